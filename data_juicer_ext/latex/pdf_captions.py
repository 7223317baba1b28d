"""Captions of figures in a PDF, told by their number and by how like they are to a caption that is known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from Levenshtein import ratio

from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.lines import Line

_FIGURE = re.compile(
    r"\W{0,3}(?:(?:extended data|supplementa(?:ry|l)|online|appendix)\s+)?"
    r"(?:fig(?:ure|ura)?|abb(?:ildung)?)\b\s*[.:]?\s*"
    r"([A-Z]{0,3}[.\-]?\d{1,4}(?:[.\-]\d{1,4}){0,3}[a-z]?|[IVXLC]{1,7})(?![A-Za-z0-9])\s*([.:|—–-]?)",
    re.IGNORECASE,
)
# What else a caption may belong to; such a line ends the area of a figure as well.
_OTHER = re.compile(
    r"\W{0,3}(?:tab(?:le|\.)|algorithm|listing|box|scheme|chart|plate)\s*[A-Z]?\.?\d{1,3}\s*[.:|—–]", re.IGNORECASE
)
_NO_LETTER = re.compile(r"[\W_]+")
_MOST_LINES = 60
_MOST_CHARACTERS = 3000
_ALIKE = 0.6
_SURE = 0.9  # alike enough to overrule the number: the PDF may be of an earlier draft
_SAME_NUMBER = 0.15  # what the right number is worth beside the likeness
_LONG = 30
_MOST_STARTS = 2000


@dataclass(frozen=True)
class PrintedCaption:
    """A caption on a page (index from 0): its number, its rectangle, and how like the wanted one it is."""

    page: int
    number: str
    rect: Rect
    likeness: float


def letters(text: str) -> str:
    """`text` in lower case without spaces, marks and ligatures: what two prints of it have in common."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text)).lower()


def starts_caption(line: Line) -> bool:
    """Whether a line begins the caption of a figure, table, algorithm or the like (and no sentence about one)."""
    match = _FIGURE.match(line.text)
    if match is not None:
        return bool(match.group(2)) or len(line.text) == match.end() or line.text[match.end()].isupper()
    return starts_table(line)


def starts_table(line: Line) -> bool:
    """Whether a line begins the caption of something else than a figure, which stands below it as a rule."""
    return _OTHER.match(line.text) is not None


def find_captions(pages: Sequence[Sequence[Line]], wanted: Sequence[tuple[str, str]]) -> list[PrintedCaption | None]:
    """Where each of `wanted` (number, caption text) is printed; None where nothing is like it enough.

    A caption on a page is that of one figure at most: the one that it is most like.
    """
    starts = [
        (page, index, match.group(1))
        for page, lines in enumerate(pages)
        for index, line in enumerate(lines)
        if not line.turn and (match := _FIGURE.match(line.text))
    ][:_MOST_STARTS]
    offers: list[tuple[float, int, tuple[int, int, str], PrintedCaption]] = []
    for position, (number, text) in enumerate(wanted):
        caption = letters(text)[:_MOST_CHARACTERS]
        for start in starts if caption else ():
            offer = _offer(pages, start, number, caption)
            if offer is not None:
                offers.append((offer[0], position, start, offer[1]))
    found: list[PrintedCaption | None] = [None] * len(wanted)
    taken: set[tuple[int, int, str]] = set()
    for _, position, start, printed in sorted(offers, key=lambda offer: -offer[0]):
        if found[position] is None and start not in taken:
            found[position] = printed
            taken.add(start)
    return found


def _offer(
    pages: Sequence[Sequence[Line]], start: tuple[int, int, str], number: str, caption: str
) -> tuple[float, PrintedCaption] | None:
    """How well the caption that begins at `start` fits, with the caption; None if it does not."""
    page, index, printed = start
    line = pages[page][index]
    same = printed.lower() == number.lower()
    if not same:
        match = _FIGURE.match(line.text)
        first = letters(line.text[match.end() if match else 0 :])[:_LONG]
        if len(caption) < _LONG or not starts_caption(line) or ratio(first, caption[: len(first)]) < _ALIKE:
            return None
    read = _read(pages[page], page, index, printed, caption)
    if read.likeness < (_ALIKE if same else _SURE):
        return None
    return read.likeness + _SAME_NUMBER * same, read


def _read(lines: Sequence[Line], page: int, index: int, number: str, caption: str) -> PrintedCaption:
    """The caption that begins at lines[index], as far as it is most like `caption`."""
    first = lines[index]
    match = _FIGURE.match(first.text)
    text = letters(first.text[match.end() :] if match else first.text)
    taken = [first]
    best, likeness = 1, _likeness(text, caption)
    while len(taken) < _MOST_LINES and len(text) < len(caption):
        following = _line_below(lines, taken)
        if following is None:
            break
        taken.append(following)
        text += letters(following.text)
        now = _likeness(text, caption)
        if now >= likeness:
            best, likeness = len(taken), now
    rect = union(line.rect for line in taken[:best])
    return PrintedCaption(page, number, rect, likeness)


def _likeness(text: str, caption: str) -> float:
    return float(ratio(text[:_MOST_CHARACTERS], caption))


def _line_below(lines: Sequence[Line], taken: Sequence[Line]) -> Line | None:
    """The next line of a caption: close below its last line, equally large."""
    last, extent = taken[-1], union(line.rect for line in taken)
    best, nearest = None, 1.3 * last.size
    for line in lines:
        gap = line.rect.y0 - last.rect.y1
        alike = not line.turn and abs(line.size - last.size) <= 1.5 and line.rect.shared_width(extent) > 0
        if alike and -0.5 * last.size <= gap < nearest and line.rect.y1 > last.rect.y1:
            best, nearest = line, gap
    return best
