"""What is drawn on a page: pictures and paths by their rectangles, and the ink itself, one pixel per point."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from data_juicer_ext.pdf.page.geometry import Rect

_PALE = 245  # of 255: what is lighter is no ink
_BACKGROUND = 0.85  # of the page: a scan's picture of it, or its ground
_LEAST = 15.0  # points: smaller ones are marks in a drawing
_MOST_GRAPHICS = 2000


def read_graphics(page: Any) -> tuple[list[Rect], list[Rect]]:
    """The rectangles of strokes on a page of PyMuPDF, and of pictures and fills, the largest first.

    Those of whole pages are left out, and small ones. Those of strokes are some points too large.
    """
    whole = Rect(*page.rect)
    strokes: dict[Rect, None] = {}
    grounds: dict[Rect, None] = {}
    for kind, box in page.get_bboxlog():
        if "text" in kind or kind.startswith("ignore"):
            continue
        rect = Rect(*box).cut(whole)
        if min(rect.width, rect.height) >= 0 and max(rect.width, rect.height) >= _LEAST:
            (strokes if kind.startswith("stroke") else grounds)[rect] = None
    return _largest(strokes, whole), _largest(grounds, whole)


def _largest(rects: Iterable[Rect], whole: Rect) -> list[Rect]:
    large = sorted(rects, key=lambda rect: -max(rect.width, rect.height))[:_MOST_GRAPHICS]
    return [rect for rect in large if rect.area < _BACKGROUND * whole.area]


class Ink:
    """The ink of a page. Rectangles are in points; so are the stretches and areas that are told."""

    def __init__(self, marks: npt.NDArray[np.bool_]) -> None:
        self.marks = marks

    @classmethod
    def of_page(cls, page: Any, grey: Any) -> "Ink":
        """The ink of a page of PyMuPDF; `grey` is that library's grey colour space."""
        pixels = page.get_pixmap(colorspace=grey, alpha=False)
        rows = np.frombuffer(pixels.samples, dtype=np.uint8).reshape(pixels.height, pixels.stride)
        return cls(rows[:, : pixels.width] < _PALE)

    def without(self, rects: Iterable[Rect]) -> "Ink":
        """The ink with that of `rects` (and half a point around) wiped out."""
        marks = self.marks.copy()
        for rect in rects:
            y0, y1, x0, x1 = self._pixels(rect.grown(0.5), outward=True)
            marks[y0:y1, x0:x1] = False
        return Ink(marks)

    def amount(self, area: Rect) -> int:
        """How many square points of `area` are inked."""
        y0, y1, x0, x1 = self._pixels(area)
        return int(self.marks[y0:y1, x0:x1].sum())

    def rows(self, area: Rect) -> int:
        """How many points of height of `area` have ink in them."""
        y0, y1, x0, x1 = self._pixels(area)
        return int(self.marks[y0:y1, x0:x1].any(axis=1).sum())

    def extent(self, area: Rect) -> Rect | None:
        """The smallest rectangle around all ink in `area`; None where there is none."""
        y0, y1, x0, x1 = self._pixels(area)
        part = self.marks[y0:y1, x0:x1]
        rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
        if not len(rows):
            return None
        return Rect(float(x0 + columns[0]), float(y0 + rows[0]), float(x0 + columns[-1] + 1), float(y0 + rows[-1] + 1))

    def bands(self, area: Rect) -> list[tuple[float, float]]:
        """The stretches from top to bottom of `area` that have ink in them."""
        y0, y1, x0, x1 = self._pixels(area)
        return _runs(self.marks[y0:y1, x0:x1].any(axis=1), y0)

    def gaps(self, area: Rect) -> list[tuple[float, float]]:
        """The stretches from left to right of `area` that have none."""
        y0, y1, x0, x1 = self._pixels(area)
        return _runs(~self.marks[y0:y1, x0:x1].any(axis=0), x0)

    def _pixels(self, rect: Rect, outward: bool = False) -> tuple[int, int, int, int]:
        height, width = self.marks.shape
        if outward:
            x0, y0, x1, y1 = int(rect.x0), int(rect.y0), int(rect.x1 + 1), int(rect.y1 + 1)
        else:
            x0, y0, x1, y1 = (round(value) for value in rect)
        return max(0, y0), max(0, min(y1, height)), max(0, x0), max(0, min(x1, width))


def _runs(marks: Any, first: int) -> list[tuple[float, float]]:
    """Start and end of each run of marks, counted from `first`."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).astype(np.int8)))
    return [(float(first + start), float(first + end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]
