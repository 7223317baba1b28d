"""What is drawn on a page: pictures and paths by their rectangles, and the ink itself, one pixel a point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from data_juicer_ext.pdf.geometry import Rect

_PALE = 245  # of 255: what is lighter is no ink
_BACKGROUND = 0.85  # of the page: a scan's picture of it, or its ground
_MOST_GRAPHICS = 200_000


def read_graphics(page: Any) -> list[Rect]:
    """The rectangles of pictures, strokes and fills on a page of PyMuPDF, those of whole pages left out."""
    whole = Rect(*page.rect)
    found = []
    for kind, box in page.get_bboxlog()[:_MOST_GRAPHICS]:
        if "text" in kind or kind.startswith("ignore"):
            continue
        rect = Rect(*box).cut(whole)
        if rect.width >= 0 and rect.height >= 0 and rect.area < _BACKGROUND * whole.area:
            found.append(rect)
    return found


class Ink:
    """The ink of a page. Rectangles are in points; so are the stretches and areas that are told."""

    def __init__(self, marks: npt.NDArray[np.bool_]) -> None:
        self.marks = marks

    @classmethod
    def of_page(cls, page: Any, grey: Any) -> Ink:
        """The ink of a page of PyMuPDF; `grey` is that library's grey colour space."""
        pixels = page.get_pixmap(colorspace=grey, alpha=False)
        rows = np.frombuffer(pixels.samples, dtype=np.uint8).reshape(pixels.height, pixels.stride)
        return cls(rows[:, : pixels.width] < _PALE)

    def without(self, rects: Iterable[Rect]) -> Ink:
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
        inked = np.concatenate(([False], self.marks[y0:y1, x0:x1].any(axis=1), [False]))
        edges = np.flatnonzero(inked[1:] != inked[:-1])
        return [(float(y0 + top), float(y0 + bottom)) for top, bottom in zip(edges[::2], edges[1::2], strict=True)]

    def _pixels(self, rect: Rect, outward: bool = False) -> tuple[int, int, int, int]:
        """Top, bottom, left, right as indices."""
        height, width = self.marks.shape
        if outward:
            x0, y0, x1, y1 = int(rect.x0), int(rect.y0), int(rect.x1 + 1), int(rect.y1 + 1)
        else:
            x0, y0, x1, y1 = (round(value) for value in rect)
        return max(0, y0), max(0, min(y1, height)), max(0, x0), max(0, min(x1, width))
