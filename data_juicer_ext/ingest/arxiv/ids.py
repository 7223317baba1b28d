"""arXiv identifiers, as the catalogue writes them and as files are named."""

import posixpath
import re
from dataclasses import dataclass

_NEW = re.compile(r"(?:arxiv:)?([0-9]{4}\.[0-9]{4,5})(?:v[0-9]{1,3})?", re.IGNORECASE | re.ASCII)
_OLD = re.compile(
    r"(?:arxiv:)?([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?/?([0-9]{7})(?:v[0-9]{1,3})?", re.IGNORECASE | re.ASCII
)
_FILE = re.compile(r"(.{1,40}?)((?:\.tar)?\.gz|\.pdf|\.tar|\.zip)")


@dataclass(frozen=True)
class ArxivId:
    """An identifier without its version: `text` ("2301.00001", "math/0501001"), and its month ("0501")."""

    text: str
    month: str

    @property
    def file_name(self) -> str:
        """The name that arXiv gives the paper's files, without suffix."""
        return self.text.replace("/", "")


def read_id(text: str) -> ArxivId | None:
    """The identifier in `text`, such as "math/0501001v2", "math0501001" or "math.GT/0501001"; None if it is none."""
    if match := _NEW.fullmatch(text):
        return ArxivId(match[1], match[1][:4])
    if match := _OLD.fullmatch(text):
        return ArxivId(f"{match[1].lower()}/{match[2]}", match[2][:4])
    return None


def read_member(name: str) -> tuple[ArxivId | None, str]:
    """The identifier and the suffix of a file in a bulk archive, such as "0501/math0501001.gz"."""
    match = _FILE.fullmatch(posixpath.basename(name))
    return (read_id(match[1]), match[2]) if match else (None, "")
