"""Which class of a closed list a model's answer names.

A name counts where the answer's form puts it: in the tag or JSON key that the prompt asks for, as the whole
answer, on its first or last line, or after a cue such as "the type is". A name that merely occurs is none.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from data_juicer_ext.errors import UsageError
from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.json_answer import parse_json_object

PARSER_VERSION = "class-1"

_LONGEST = 20_000  # characters of an answer that are looked at
_MOST_WORDS = 8  # of a class's name
_DROPPED = frozenset(("a", "an", "the", "figure", "image", "picture", "type", "category", "class", "panel"))
_MARK = re.compile(r"\A[\s\-*•>#\"'`“(\[{]*(?:\(?\d{1,2}[.)]\s+)?[\s*\"'`“(\[{]*")
_LABEL = re.compile(
    r"\A(?:the\s)?(?:final\s|primary\s|best\s|chosen\s|figure\s|question\s|image\s)?(?:answer|type|category|class|choice)"
    r"(?:\sis)?[\s*_`\"']{0,4}[:=]?[\s*_`\"']{0,4}(?=\S)",
    re.I,
)
_HEAD = re.compile(r"\s*(?:[:(\n]|\s[-–—]|[–—]|\.(?=\s|\Z)|\b(?:because|since|as\sit|which)\b)")
_BETWEEN = re.compile(r"[,;/|&+]|\b(?:and|or|with|plus)\b", re.I)
_CUE = re.compile(
    r"\b(?:(?:type|category|class|answer|classification)\s(?:of\s\w{1,12}\s\w{1,12}\s)?(?:is|would\sbe|should\sbe)"
    r"|(?:figure|image|question|it|this)\s(?:is|belongs\sto|falls\s(?:under|into))"
    r"|(?:classif(?:y|ied)|categori[sz]ed?|labelled|labeled)(?:\s(?:it|this|the\s\w{1,12}))?\s(?:as|under))"
    r"[:\s]{1,3}(?:best\s\w{1,12}\s(?:as|by)\s)?",
    re.I,
)
_ENDS = re.compile(r"[*_\"'`”)\]]{0,4}\s{0,2}(?:[.,;:!)\n]|\Z|\b(?:because|since)\b)")
_WORD = re.compile(r"[^\W_]+(?:['’]s\b)?")


@dataclass(frozen=True)
class ClassParse:
    """The class that an answer names; "" with a `problem`, for a repair prompt, where that can't be told."""

    name: str
    problem: str = ""


class Classes:
    """A closed list of classes, each with further names that models use for it.

    Names are compared without case, punctuation, spacing, articles and plural endings; `modifiers` are words that
    may stand before a name and change nothing ("stacked bar chart").
    """

    def __init__(
        self, names: Sequence[str], further: Mapping[str, Sequence[str]] | None = None, modifiers: Collection[str] = ()
    ) -> None:
        """Raises UsageError for an empty name, and where two classes share one."""
        self.names, self._modifiers = tuple(names), frozenset(modifiers)
        self._table: dict[str, str] = {}
        for name in self.names:
            for known in (name, *(further or {}).get(name, ())):
                if not _key(known):
                    raise UsageError(f"{known!r} cannot name a class")
                if (other := self._table.setdefault(_key(known), name)) != name:
                    raise UsageError(f"{known!r} names two classes, {other!r} and {name!r}")

    def of(self, text: str) -> str:
        """The class that `text` is a name of, "" if of none."""
        words = _words(text)
        while words:
            if name := self._table.get("".join(words), ""):
                return name
            if words.pop(0) not in self._modifiers:
                break
        return ""

    def listed(self, text: str) -> list[str]:
        """The classes that `text` names with commas, slashes or "and" between; "" for what is none. Each once."""
        pieces = (_bare(piece) for piece in _BETWEEN.split(text[:2000]))
        return list(dict.fromkeys(self.of(piece) for piece in pieces if piece))


def parse_class(text: str, classes: Classes, tag: str = "", keys: Sequence[str] = ()) -> ClassParse:
    """Read which of `classes` the answer `text` names. Never raises, and takes linear time.

    `tag` is the tag, `keys` are the keys of the JSON object, that the prompt asks for. An answer that names two
    classes names none.
    """
    shown = without_thinking(text[:_LONGEST])
    names = ", ".join(classes.names)
    for contents in _contents(shown, tag, keys):
        found = list(dict.fromkeys(name for content in contents for name in _read(content, classes)))
        if len(found) == 1:
            return ClassParse(found[0])
        if found:
            return ClassParse("", f"it names {' and '.join(found)}; name exactly one of {names}")
    return ClassParse("", f"it names none of {names}")


def _contents(shown: str, tag: str, keys: Sequence[str]) -> Iterable[list[str]]:
    """Where an answer may stand, the strongest places first."""
    for names in ([tag] if tag else [], ["answer", "class", "category", "type"]):
        contents = [part for one in find_tags(shown, names) if (part := one.content(shown).strip())] if names else []
        if contents:
            yield contents
    told = parse_json_object(shown)
    if told is not None:
        wanted = [_plain(key) for key in keys]
        yield [value for key, value in told.items() if _plain(key) in wanted and isinstance(value, str)]
    yield [shown]
    lines = [line for line in shown.split("\n") if any(map(str.isalnum, line))]
    yield list(dict.fromkeys([*lines[:1], *lines[-1:]]))


def _read(content: str, classes: Classes) -> list[str]:
    """The classes that one place names: as a whole, at its head, in a list, or in prose behind a cue."""
    bare = _bare(content)
    head = _HEAD.split(bare, maxsplit=1)[0]
    whole = classes.of(bare) or classes.of(head)
    if whole:
        return [whole]
    several = [name for name in classes.listed(head) if name]
    return several if len(several) > 1 else _announced(content, classes)


def _announced(content: str, classes: Classes) -> list[str]:
    """The classes named right behind a cue, where the sentence or clause ends with the name."""
    found = []
    for cue in _CUE.finditer(content):
        words = list(_WORD.finditer(content, cue.end(), min(len(content), cue.end() + 120)))[:_MOST_WORDS]
        for last in reversed(words):
            name = classes.of(content[cue.end() : last.end()]) if _ENDS.match(content, last.end()) else ""
            if name:
                found.append(name)
                break
    return list(dict.fromkeys(found))


def _bare(text: str) -> str:
    """A text without list marks, quotes, Markdown and a label ("Answer:") around it."""
    text = _MARK.sub("", text[:4000])
    text = _LABEL.sub("", text)
    return text.strip(" \t\n*_`\"'“”’.!;:,)]}")


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text[:200]).casefold()
    words = [word for word in re.findall(r"[^\W_]+", plain) if word not in _DROPPED]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def _key(text: str) -> str:
    return "".join(_words(text))


def _plain(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).casefold()
