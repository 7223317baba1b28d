"""What stands on a page of a PDF: lines of text, drawn things, ink. Points, origin top left, y downwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from PIL import Image

from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line

_USUAL_TOP = 0.12  # of the height of a page
_PALE = 245  # of 255: what is lighter is no ink


@dataclass
class Page:
    """One page: its size, lines, drawn things (pictures, strokes, fills) and the ink, one pixel a point."""

    width: float
    height: float
    lines: list[Line]
    graphics: list[Rect]
    ink: Any

    def ink_runs(self, area: Rect, across: bool = False) -> list[tuple[float, float]]:
        """The stretches from top to bottom (`across`: left to right) of `area` that have ink in them."""
        x0, y0, x1, y1 = (max(0, round(value)) for value in area)
        x1, y1 = min(x1, self.ink.width), min(y1, self.ink.height)
        if x1 <= x0 or y1 <= y0:
            return []
        marks = self.ink.crop((x0, y0, x1, y1)).getprojection()[0 if across else 1]
        runs, first = [], x0 if across else y0
        start = None
        for index, mark in enumerate([*marks, 0]):
            if mark and start is None:
                start = index
            elif not mark and start is not None:
                runs.append((float(first + start), float(first + index)))
                start = None
        return runs


@dataclass(frozen=True)
class TextArea:
    """Where the running text of a document stands: its outline, the columns in it, and its usual size."""

    rect: Rect
    columns: tuple[tuple[float, float], ...]
    size: float

    @property
    def column_width(self) -> float:
        """The width of one column."""
        return self.columns[0][1] - self.columns[0][0]


def read_page(page: Any, lines: list[Line], mupdf: Any) -> Page:
    """All that the search for a figure looks at on a page of PyMuPDF, whose lines are known."""
    width, height = page.rect.width, page.rect.height
    whole = Rect(0, 0, width, height)
    graphics = []
    for kind, box in page.get_bboxlog():
        rect = Rect(*box)
        is_text = "text" in kind or kind.startswith("ignore")
        background = rect.width * rect.height > 0.85 * width * height
        if not is_text and not background and rect.meets(whole):
            graphics.append(rect)
    pixels = page.get_pixmap(colorspace=mupdf.csGRAY, alpha=False)
    ink = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    return Page(width, height, lines, graphics, ink.point(lambda value: 255 if value < _PALE else 0))


def text_area(pages: Sequence[Sequence[Line]], height: float) -> TextArea | None:
    """The text area of a document, from all its lines and the height of a page; None if there is no running text."""
    upright = [[line for line in lines if not line.turn] for lines in pages]
    sizes: Counter[float] = Counter()
    for line in chain.from_iterable(upright):
        sizes[round(line.size * 2) / 2] += len(line.text)
    if not sizes:
        return None
    size = sizes.most_common(1)[0][0]
    body = [[line.rect for line in lines if abs(line.size - size) < 0.8 and len(line.text) >= 25] for lines in upright]
    widths = Counter(round(rect.width / 4) * 4 for rect in chain.from_iterable(body))
    if not widths:
        return None
    width = widths.most_common(1)[0][0]
    full = [[rect for rect in rects if abs(rect.width - width) <= 6] for rects in body]
    columns = _columns(list(chain.from_iterable(full)))
    if not columns:
        return None
    top = _edge([min(rect.y0 for rect in rects) for rects in full if rects], _USUAL_TOP * height, min)
    bottom = _edge([max(rect.y1 for rect in rects) for rects in full if rects], (1 - _USUAL_TOP) * height, max)
    return TextArea(Rect(columns[0][0], top, columns[-1][1], bottom), tuple(columns), size)


def _columns(full: Sequence[Rect]) -> list[tuple[float, float]]:
    """Left and right of each column, from the lines that fill one."""
    starts = Counter(round(rect.x0 / 6) * 6 for rect in full)
    columns: list[tuple[float, float]] = []
    for start, count in sorted(starts.items()):
        if count >= 0.12 * len(full) and (not columns or start >= columns[-1][1] - 6):
            mine = [rect for rect in full if abs(rect.x0 - start) <= 6]
            columns.append((min(rect.x0 for rect in mine), max(rect.x1 for rect in mine)))
    return columns


def _edge(ends: list[float], usual: float, outermost: Callable[..., float]) -> float:
    """Where the text of the pages begins (or ends): at the outermost line, if two pages agree about it.

    In a short paper a figure may stand on top of each page; then the text area is at least the usual one.
    """
    edge = outermost(ends)
    agreeing = sum(abs(end - edge) < 8 for end in ends)
    return edge if agreeing > 1 else outermost(edge, usual)
