"""The tags of model answers: found in linear time, tolerant of what models leave out.

Positions always refer to the text as given: what is taken out is overwritten with blanks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_THINKING = ("think", "thinking", "thought", "scratchpad", "reflection", "seed:think")
# Harmony-style models answer in channels; what stands before the final one is reasoning.
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s{0,4}final\s{0,4}<\|message\|>", re.I)
_CHANNEL = re.compile(r"<\|channel\|>")
_SPECIAL = re.compile(r"<\|[A-Za-z_▁]{1,40}\|>")


@dataclass(frozen=True)
class Tag:
    """An element: its name in lower case, the span of its content and that of all of it."""

    name: str
    start: int
    end: int
    outer_start: int
    outer_end: int
    closed: bool

    def content(self, text: str) -> str:
        """What stands between the tags."""
        return text[self.start : self.end]


@lru_cache(maxsize=64)
def _marks(names: tuple[str, ...]) -> re.Pattern[str]:
    union = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?:<|&lt;)\s{{0,3}}(/?)\s{{0,3}}({union})\s{{0,3}}(?:>|&gt;)", re.I)


def find_tags(text: str, names: Sequence[str], stop: Sequence[str] = ()) -> list[Tag]:
    """The elements called one of `names`, in order; elements do not nest.

    One ends at its closing tag, else (`closed` is False) at the next tag of `names` or `stop`, or with the text.
    """
    wanted, found = {name.lower() for name in names}, list[Tag]()
    opened: re.Match[str] | None = None
    for mark in _marks((*names, *stop)).finditer(text):
        name, closing = mark.group(2).lower(), bool(mark.group(1))
        if opened is not None:
            closes = closing and name == opened.group(2).lower()
            found.append(_tag(opened, mark.start(), mark.end() if closes else mark.start(), closes))
        opened = mark if name in wanted and not closing else None
    if opened is not None:
        found.append(_tag(opened, len(text), len(text), False))
    return found


def _tag(opened: re.Match[str], end: int, outer_end: int, closed: bool) -> Tag:
    return Tag(opened.group(2).lower(), opened.end(), end, opened.start(), outer_end, closed)


def blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """`text` with each span (sorted, not overlapping) overwritten by blanks, line ends kept."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], re.sub(r"[^\n]", " ", text[start:end])]
        last = end
    return "".join([*parts, text[last:]])


def without_thinking(text: str) -> str:
    """`text` with a model's thinking blanked out, positions kept.

    Thinking is what stands in <think> and the like, before a closing tag without an opening one (chat templates that
    open it in the prompt), after an opening one that is never closed, and in every channel but the final one.
    """
    finals = [match.end() for match in _FINAL_CHANNEL.finditer(text)]
    if finals:
        text = blank(text, [(0, finals[-1])])
    elif _CHANNEL.search(text):
        return blank(text, [(0, len(text))])
    spans = list[tuple[int, int]]()
    open_at: int | None = None
    for mark in _marks(_THINKING).finditer(text):
        if not mark.group(1):
            open_at = mark.start() if open_at is None else open_at
            continue
        if open_at is None:
            spans = []
        spans.append((open_at or 0, mark.end()))
        open_at = None
    if open_at is not None:
        spans.append((open_at, len(text)))
    return _SPECIAL.sub(lambda mark: " " * len(mark.group()), blank(text, spans))
