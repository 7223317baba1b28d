"""Records of arXiv's metadata snapshot: read from JSON Lines, judged by licence and category, made into paper rows."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from data_juicer_ext.errors import UsageError
from data_juicer_ext.ingest.arxiv.ids import read_id
from data_juicer_ext.ingest.licences import NONE, REDISTRIBUTABLE, read_licence
from data_juicer_ext.latex.source.decompression import Decompressed, is_compressed
from data_juicer_ext.rows import scrub

_LONGEST_LINE = 16_000_000
_MOST = 1 << 40
_BUFFER = 1 << 20
# "Withdrawn by the author", "This paper has been withdrawn ..."; not "replaces a withdrawn paper".
_COMMENT = re.compile(
    r"\W*withdrawn\b|.{0,2000}\b(?:been|is|was|paper|article|submission|manuscript) withdrawn\b", re.I
)
_ABSTRACT = re.compile(r"\W*(?:this|the) (?:paper|article|submission|manuscript) (?:has been|is|was) withdrawn\b", re.I)


@dataclass(frozen=True)
class Choice:
    """Which papers are taken.

    :param licences: names of licences (`licences.NAMES`).
    :param categories: patterns such as "cs.*"; empty takes all.
    :param cross_lists: whether a pattern may match any category of a paper, not only its primary one.
    """

    licences: tuple[str, ...] = REDISTRIBUTABLE
    categories: tuple[str, ...] = ()
    cross_lists: bool = False

    @property
    def words(self) -> str:
        """The choice as the command has it: `--licence ... --category ...`."""
        options = [f"--licence {','.join(self.licences)}", *(f"--category {name}" for name in self.categories)]
        return " ".join([*options, *(["--cross-lists"] if self.cross_lists else [])])


@dataclass(frozen=True)
class Record:
    """What is known of a paper: its id, why it is refused ("" where it is not) with a detail, and its row."""

    paper_id: str
    reason: str
    detail: str
    row: dict[str, str]


def read_lines(path: Path) -> Iterator[bytes | None]:
    """The lines of a JSON Lines file, plain or compressed, one at a time; None for a line that is far too long.

    Raises UsageError if the file is no JSON Lines.
    """
    with path.open("rb") as file:
        stream: BufferedReader = file
        if is_compressed(file.peek(8)):
            stream = BufferedReader(cast(Any, Decompressed(cast(BinaryIO, file), _MOST)), _BUFFER)
        if stream.peek(1)[:1] not in (b"{", b"\n", b""):
            raise UsageError(f"{path} is no JSON Lines file: a line starts with {{; unpack it if it is a zip")
        while line := stream.readline(_LONGEST_LINE):
            if line.endswith(b"\n") or len(line) < _LONGEST_LINE:
                if line.strip():
                    yield line
                continue
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST_LINE)
            yield None


def read_record(line: bytes, choice: Choice) -> Record | None:
    """The record in a line, judged; None for a line that is no record with an arXiv id."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    identifier = read_id(data["id"]) if isinstance(data, dict) and isinstance(data.get("id"), str) else None
    if identifier is None:
        return None
    row = _row(identifier.text, data)
    reason, detail = _refusal(row, data, choice)
    return Record(identifier.text, reason, detail, row)


def _row(paper_id: str, data: Mapping[str, Any]) -> dict[str, str]:
    licence = read_licence(data.get("license") or data.get("licence"))
    categories = _text(data, "categories").split()
    versions = data.get("versions")
    last = versions[-1] if isinstance(versions, list) and versions else None
    return {
        "paper_id": paper_id,
        "paper_path": "",
        "domain": categories[0] if categories else "",
        "licence": scrub(licence.text),
        "licence_url": scrub(licence.url),
        "title": _text(data, "title"),
        "authors": _text(data, "authors"),
        "categories": " ".join(categories),
        "version": _text(last, "version") if isinstance(last, dict) else "",
        "updated": _text(data, "update_date"),
    }


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if isinstance(value, list):
        value = " ".join(item for item in value if isinstance(item, str))
    return scrub(" ".join(value.split())) if isinstance(value, str) else ""


def _refusal(row: Mapping[str, str], data: Mapping[str, Any], choice: Choice) -> tuple[str, str]:
    licence = read_licence(data.get("license") or data.get("licence")).name
    considered = row["categories"].split() if choice.cross_lists else [row["domain"]]
    if choice.categories and not any(fnmatchcase(c.lower(), p.lower()) for c in considered for p in choice.categories):
        return "category", row["domain"]
    if licence not in choice.licences:
        return ("no_licence", "") if licence == NONE else ("licence", row["licence"])
    if _COMMENT.match(_text(data, "comments")) or _ABSTRACT.match(_text(data, "abstract")):
        return "withdrawn", ""
    return "", ""
