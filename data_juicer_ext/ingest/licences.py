"""Licences of papers: from the URL in a catalogue to a name, and which names are taken."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from data_juicer_ext.errors import UsageError

# Anyone may redistribute and adapt, for any purpose.
REDISTRIBUTABLE = ("cc-by", "cc-by-sa", "cc0")
NONE = "none"
NAMES = (
    "cc-by", "cc-by-sa", "cc-by-nc", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd", "cc0", "public-domain",
    "arxiv", "other", NONE,
)  # fmt: skip
_HOST = r"(?:https?://)?(?:www\.)?"
_CC = re.compile(_HOST + r"creativecommons\.org/licenses/(by(?:-nc)?(?:-sa|-nd)?)/(\d\.\d)(?:/.*)?", re.IGNORECASE)
_ZERO = re.compile(_HOST + r"creativecommons\.org/publicdomain/zero/(\d\.\d)(?:/.*)?", re.IGNORECASE)
_PUBLIC = re.compile(_HOST + r"creativecommons\.org/(?:licenses/publicdomain|publicdomain/mark)(?:/.*)?", re.IGNORECASE)
_ARXIV = re.compile(_HOST + r"arxiv\.org/licenses/(nonexclusive-distrib/1\.0|assumed-1991-2003)(?:/.*)?", re.IGNORECASE)
_SHORT = re.compile(r"cc[ -]?(by(?:-nc)?(?:-sa|-nd)?|0)(?:[ -](\d\.\d))?", re.IGNORECASE)


@dataclass(frozen=True)
class Licence:
    """A licence: its `name` without a version (one of NAMES), `text` as rows carry it ("cc-by-4.0"), and URL."""

    name: str
    text: str
    url: str


def read_licence(stated: object) -> Licence:
    """The licence that a catalogue states: a URL, a short name such as "CC BY 4.0", or nothing.

    What is not known is named "other" and carries its own words.
    """
    url = " ".join(stated.split())[:200] if isinstance(stated, str) else ""
    if not url:
        return Licence(NONE, "", "")
    if match := _CC.fullmatch(url):
        return Licence(f"cc-{match[1].lower()}", f"cc-{match[1].lower()}-{match[2]}", url)
    if match := _ZERO.fullmatch(url):
        return Licence("cc0", f"cc0-{match[1]}", url)
    if _PUBLIC.fullmatch(url):
        return Licence("public-domain", "public-domain", url)
    if match := _ARXIV.fullmatch(url):
        return Licence("arxiv", f"arxiv-{match[1].lower().replace('/', '-')}", url)
    if match := _SHORT.fullmatch(url.replace("CC BY ", "CC-BY ").replace("CC BY-", "CC-BY-")):
        kind = match[1].lower()
        name = "cc0" if kind == "0" else f"cc-{kind}"
        return Licence(name, f"{name}-{match[2]}" if match[2] else name, "")
    return Licence("other", url, url)


def chosen(text: str) -> tuple[str, ...]:
    """The names that a list such as "cc-by,cc-by-nc*" takes; "any" takes all but papers without a licence.

    Raises UsageError for a word that fits no name.
    """
    names: set[str] = set()
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        found = [name for name in NAMES if name != NONE if word == "any" or fnmatchcase(name, word)]
        found += [NONE] if word == NONE else []
        if not found:
            raise UsageError(f"--licence: {word!r} is none of {', '.join(NAMES)}, any")
        names.update(found)
    if not names:
        raise UsageError(f"--licence is empty; name some of {', '.join(NAMES)}, or any")
    return tuple(name for name in NAMES if name in names)
