"""Running heads, page numbers and the like: lines that stand at the same place on many pages."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from data_juicer_ext.pdf.page.lines import Line

_NUMBER = re.compile(r"[\dIVXLCivxlc]+")
_PAGE_NUMBER = re.compile(r"\W{0,3}(\d{1,4})\W{0,3}\Z")
_STEP = 4.0  # points
_MARGIN = 0.15  # of the page's height, at the top and at the bottom
_OUTER = 0.1  # the same for short lines, which labels of a figure may be as well
_SHORT = 10  # letters
_LEAST = 3  # pages


def running_heads(pages: Sequence[Sequence[Line]], heights: Sequence[float]) -> list[list[Line]]:
    """The lines of each page that come again at the top or bottom of other pages, and its page number."""
    marks = [
        [(line, mark) for line in lines if (mark := _mark(line, index, height)) is not None]
        for index, (lines, height) in enumerate(zip(pages, heights, strict=True))
    ]
    counts = Counter(mark for page in marks for mark in {mark for _, mark in page})
    return [[line for line, mark in page if counts[mark] >= _LEAST] for page in marks]


def _mark(line: Line, index: int, height: float) -> Hashable:
    """What a line has in common with those like it on other pages; None for one that is not in the margin."""
    margin = (_OUTER if len(line.text) < _SHORT else _MARGIN) * height
    if margin < line.rect.y1 and line.rect.y0 < height - margin:
        return None
    number = _PAGE_NUMBER.match(line.text)
    if number is not None:  # it grows from page to page, as the labels of an axis do not
        return int(number[1]) - index
    return _NUMBER.sub("#", line.text), round(line.rect.y0 / _STEP)
