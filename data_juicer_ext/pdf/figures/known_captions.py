"""Where captions that are known, as those of a paper's LaTeX are, are printed: told by number and likeness."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from Levenshtein import ratio

from data_juicer_ext.pdf.page.caption_cues import Cue, figure_cue
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.lines import Line

_NO_LETTER = re.compile(r"[\W_]+")
_SUPPLEMENT = re.compile(r"(?:s|ed)(?=\d)")  # a number as `cues` tells that of "Supplementary Figure 2"
_MOST_LINES = 60
_MOST_CHARACTERS = 3000
_MOST_STARTS = 2000
_ALIKE = 0.6
_SURE = 0.9  # alike enough to overrule the number: the PDF may be of an earlier draft
_SAME_NUMBER = 0.15  # what the right number is worth beside the likeness
_LONG = 30


@dataclass(frozen=True)
class PrintedCaption:
    """The lines of a caption on a page (index from 0), and how like the known one it is, 0 to 1."""

    page: int
    lines: tuple[Line, ...]
    likeness: float

    @property
    def rect(self) -> Rect:
        """The rectangle of its lines."""
        return union(line.rect for line in self.lines)


@dataclass(frozen=True)
class _Start:
    """A line that may begin a caption, among the `lines` of its page."""

    page: int
    lines: Sequence[Line]
    first: Line
    cue: Cue

    def has(self, number: str) -> bool:
        own = self.cue.number.lower()
        return number.lower() in (own, _SUPPLEMENT.sub("", own))

    @property
    def text(self) -> str:
        return letters(self.first.text[self.cue.end :])


def letters(text: str) -> str:
    """`text` in lower case without spaces, marks and ligatures: what two prints of it have in common."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text)).lower()


def find_captions(pages: Sequence[Sequence[Line]], known: Sequence[tuple[str, str]]) -> list[PrintedCaption | None]:
    """Where each of `known` (number, caption text) is printed; None where nothing is like it enough.

    A caption on a page is that of one figure at most: the one that it is most like.
    """
    starts = [
        _Start(page, lines, line, cue)
        for page, lines in enumerate(pages)
        for line in lines
        if not line.turn and (cue := figure_cue(line.text)) is not None
    ][:_MOST_STARTS]
    offers = [
        (worth, position, printed)
        for position, (number, text) in enumerate(known)
        if (caption := letters(text)[:_MOST_CHARACTERS])
        for start in starts
        for worth, printed in _offer(start, number, caption)
    ]
    found: list[PrintedCaption | None] = [None] * len(known)
    taken: set[int] = set()
    for _, position, printed in sorted(offers, key=lambda offer: -offer[0]):
        if found[position] is None and id(printed.lines[0]) not in taken:
            found[position] = printed
            taken.add(id(printed.lines[0]))
    return found


def _offer(start: _Start, number: str, caption: str) -> list[tuple[float, PrintedCaption]]:
    """How well the caption that begins at `start` fits, with the caption; nothing if it does not."""
    same = start.has(number)
    if not same:
        first = start.text[:_LONG]
        if len(caption) < _LONG or ratio(first, caption[: len(first)]) < _ALIKE:
            return []
    printed = _read(start, caption)
    fits = printed.likeness >= (_ALIKE if same else _SURE)
    return [(printed.likeness + _SAME_NUMBER * same, printed)] if fits else []


def _read(start: _Start, caption: str) -> PrintedCaption:
    """The caption that begins at `start`, as far as it is most like `caption`."""
    text, taken = start.text, [start.first]
    best, likeness = 1, _likeness(text, caption)
    while len(taken) < _MOST_LINES and len(text) < len(caption):
        following = _line_below(start.lines, taken)
        if following is None:
            break
        taken.append(following)
        text += letters(following.text)
        now = _likeness(text, caption)
        if now >= likeness:
            best, likeness = len(taken), now
    return PrintedCaption(start.page, tuple(taken[:best]), likeness)


def _likeness(text: str, caption: str) -> float:
    return float(ratio(text[:_MOST_CHARACTERS], caption))


def _line_below(lines: Sequence[Line], taken: Sequence[Line]) -> Line | None:
    last, extent = taken[-1], union(line.rect for line in taken)
    best, nearest = None, 1.3 * last.size
    for line in lines:
        gap = line.rect.y0 - last.rect.y1
        alike = not line.turn and abs(line.size - last.size) <= 1.5 and line.rect.shared_width(extent) > 0
        if alike and -0.5 * last.size <= gap < nearest and line.rect.y1 > last.rect.y1:
            best, nearest = line, gap
    return best
