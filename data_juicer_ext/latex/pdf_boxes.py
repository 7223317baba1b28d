"""The box of a figure on a page of a PDF: what is drawn above (or below, or beside) its caption, up to the text.

The running text, other captions and the edge of the text area end a figure. What is left between them and
the caption is its box, as far as there is ink.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.latex.pdf_captions import starts_caption, starts_table
from data_juicer_ext.latex.pdf_layout import Page, TextArea
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.lines import Line

ABOVE, BELOW, LEFT, RIGHT = "above", "below", "left", "right"
_LEAST = 15.0  # points: what is smaller is no figure
_FAR = 60.0  # points between a caption and its figure
_APART = 8.0  # points between what is drawn beside a caption and a text that belongs to it
_EDGE = 3.0
_BESIDE = 80.0  # points of height within which two captions with nothing in common stand side by side
_PANEL = re.compile(r"\(?[a-zA-Z]\)")
_ACROSS = 40.0  # points that a figure may stand out of the text area


@dataclass(frozen=True)
class FigureBox:
    """Where a figure stands, and on which side of its caption."""

    rect: Rect
    side: str


class FigureFinder:
    """Finds the boxes of the figures on one page."""

    def __init__(self, page: Page, area: TextArea) -> None:
        self._page = page
        self._area = area
        self._graphics = [rect for rect in page.graphics if rect.width >= 1 or rect.height >= 1]
        self._text = self._running_text()
        captions = [line for line in page.lines if not line.turn and starts_caption(line)]
        self._captions = [line.rect for line in captions]
        self._tables = [line.rect for line in captions if starts_table(line)]

    def _running_text(self) -> list[Rect]:
        """The blocks of running text: wide lines, not inside a frame."""
        blocks: dict[int, list[Line]] = {}
        for line in self._page.lines:
            blocks.setdefault(line.block, []).append(line)
        found = [union(line.rect for line in lines) for lines in blocks.values() if self._is_running(lines)]
        return [rect for rect in found if not self._framed(rect)]

    def _is_running(self, lines: Sequence[Line]) -> bool:
        if _PANEL.match(lines[0].text) or lines[0].turn:
            return False
        column = self._area.column_width
        usual = [line for line in lines if abs(line.size - self._area.size) < 0.8]
        wide = [line for line in lines if line.rect.width >= 0.6 * column and len(line.text) >= 0.09 * column
                and line.text.count(" ") >= 4]  # fmt: skip
        widest = max(line.rect.width for line in lines)
        beside = [line for line in usual if line.rect.width > widest - _EDGE and line.text.count(" ") >= 3]
        starts_column = any(abs(lines[0].rect.x0 - x0) < 4 for x0, _ in self._area.columns)
        heading = len(lines) == 1 and lines[0].size > self._area.size + 0.9 and starts_column
        narrow = len(beside) >= max(4, 0.6 * len(lines))  # beside a figure that the text flows around
        return len(wide) >= 2 or (len(wide) == 1 and len(usual) == len(lines)) or narrow or heading

    def _framed(self, rect: Rect) -> bool:
        most = 0.5 * self._page.width * self._page.height
        return any(
            box.holds(rect) and box.height > rect.height + 4 and box.width * box.height < most for box in self._graphics
        )

    def find(self, caption: Rect, sides: Sequence[str] = (ABOVE, BELOW, LEFT, RIGHT)) -> FigureBox | None:
        """The box of the figure with this caption: the first of `sides` on which something is drawn."""
        for side in sides:
            rect = self._beside(caption, side) if side in (LEFT, RIGHT) else self._over_or_under(caption, side)
            if rect is not None:
                return FigureBox(rect, side)
        return None

    def unless_taken(self, box: FigureBox | None, caption: Rect, usual: str) -> FigureBox | None:
        """`box`, unless it is what stands on the `usual` side of another caption of the page."""
        for rect in self._captions if box is not None else ():
            other = None if rect.meets(caption) else self.find(rect, (usual,))
            if other is not None and box is not None and other.rect.meets(box.rect):
                return None
        return box

    # ---- above and below

    def _over_or_under(self, caption: Rect, side: str) -> Rect | None:
        band = self._band(caption, side)
        beside = (Rect(band[0], caption.y0, caption.x0 - _EDGE, caption.y1),
                  Rect(caption.x1 + _EDGE, caption.y0, band[1], caption.y1))  # fmt: skip
        if any(self._page.ink_runs(part) and any(rect.meets(part) for rect in self._graphics) for part in beside):
            return None  # what is drawn there would be cut in two
        region, after_table = self._region(caption, band, side)
        return self._drawn_in(region, side, after_table)

    def _band(self, caption: Rect, side: str) -> tuple[float, float]:
        """The horizontal extent that the figure may have: its column, between what stands beside it, or all."""
        left, right = self._area.rect.x0, self._area.rect.x1
        for x0, x1 in self._area.columns if len(self._area.columns) > 1 else ():
            if x0 - 6 <= caption.x0 and caption.x1 <= x1 + 6 and not self._crosses(caption, (x0, x1), side):
                left, right = x0, x1
        beside = [rect for rect in self._text if rect.shared_height(caption) > 0.5 * min(rect.height, caption.height)]
        for other in self._captions:
            if abs(other.y0 - caption.y0) < _BESIDE and other.shared_width(caption) <= 0:
                beside += [other, *self._under_or_over(other, caption)]
        for rect in beside:
            if rect.x1 <= caption.x0 + _EDGE:
                left = max(left, rect.x1 + 1)
            elif rect.x0 >= caption.x1 - _EDGE:
                right = min(right, rect.x0 - 1)
        return left, right

    def _under_or_over(self, other: Rect, caption: Rect) -> list[Rect]:
        """What is drawn in line with another caption and not with this one."""
        return [
            rect for rect in self._graphics
            if rect.shared_width(other) > 0.5 * min(rect.width, other.width) and rect.shared_width(caption) <= 0
        ]  # fmt: skip

    def _crosses(self, caption: Rect, column: tuple[float, float], side: str) -> bool:
        """Whether what is drawn next to the caption goes far beyond its column."""
        for rect in self._graphics:
            distance = caption.y0 - rect.y1 if side == ABOVE else rect.y0 - caption.y1
            inside = min(rect.x1, column[1]) - max(rect.x0, column[0]) > 20
            beyond = max(column[0] - rect.x0, rect.x1 - column[1]) > 20
            if abs(distance) < _FAR and inside and beyond and not any(text.meets(rect) for text in self._text):
                return True
        return False

    def _region(self, caption: Rect, band: tuple[float, float], side: str) -> tuple[Rect, bool]:
        """From the caption to the next text, caption or edge of the text area; and whether a table begins there."""
        above = side == ABOVE
        top, bottom = self._edges(band)
        limit = min(top, caption.y0) if above else max(bottom, caption.y1)
        for rect in (*self._text, *self._captions):
            if min(rect.x1, band[1]) - max(rect.x0, band[0]) < 0.1 * (band[1] - band[0]) or rect.meets(caption):
                continue
            if above and rect.y1 <= caption.y0 + _EDGE:
                limit = max(limit, rect.y1)
            elif not above and rect.y0 >= caption.y1 - _EDGE:
                limit = min(limit, rect.y0)
        span = (limit, caption.y0) if above else (caption.y1, limit)
        table = above and any(rect.y1 == limit for rect in self._tables)
        return self._widened(Rect(band[0], span[0], band[1], span[1])), table

    def _edges(self, band: tuple[float, float]) -> tuple[float, float]:
        """Top and bottom of the text area, moved out to what stands across them."""
        top, bottom = self._area.rect.y0, self._area.rect.y1
        for rect in (*self._graphics, *(line.rect for line in self._page.lines)):
            if min(rect.x1, band[1]) <= max(rect.x0, band[0]):
                continue
            if rect.y0 < self._area.rect.y0 < rect.y1 and rect.y0 > self._area.rect.y0 - _ACROSS:
                top = min(top, rect.y0)
            if rect.y0 < self._area.rect.y1 < rect.y1 and rect.y1 < self._area.rect.y1 + _ACROSS:
                bottom = max(bottom, rect.y1)
        return top, bottom

    def _widened(self, region: Rect) -> Rect:
        """A region that touches the edge of the text area goes as far as what is drawn in it."""
        drawn = [rect for rect in self._graphics if region.y0 - 1 <= rect.y0 and rect.y1 <= region.y1 + 1]
        left, right = region.x0, region.x1
        if drawn and region.x0 <= self._area.rect.x0 + 1:
            left = max(0.0, min(left, min(rect.x0 for rect in drawn)))
        if drawn and region.x1 >= self._area.rect.x1 - 1:
            right = min(self._page.width, max(right, max(rect.x1 for rect in drawn)))
        return Rect(left - 1, region.y0, right + 1, region.y1)

    def _drawn_in(self, region: Rect, side: str, after_table: bool) -> Rect | None:
        """The ink of a region from the caption on, as far as it belongs together; None if nothing is drawn."""
        if region.height < _LEAST or region.width < _LEAST:
            return None
        runs = self._page.ink_runs(Rect(region.x0, region.y0 + 1, region.x1, region.y1 - 1))
        # Distances from the caption on: where each stretch of ink begins and ends.
        spans = [(region.y1 - bottom, region.y1 - top) for top, bottom in reversed(runs)]
        if side == BELOW:
            spans = [(top - region.y0, bottom - region.y0) for top, bottom in runs]
        drawn = self._drawn(region, runs if side == BELOW else runs[::-1])
        if not any(drawn) or spans[0][0] > _FAR:
            return None
        first = 0 if after_table else max(index for index, is_drawn in enumerate(drawn) if is_drawn)
        near, far = spans[0][0], spans[_last_of_its_own(spans, first, region.height, after_table)][1]
        top, bottom = (region.y1 - far, region.y1 - near) if side == ABOVE else (region.y0 + near, region.y0 + far)
        rect = self._ink_in(Rect(region.x0, top, region.x1, bottom))
        return rect if rect is not None and min(rect.width, rect.height) >= _LEAST else None

    def _ink_in(self, area: Rect) -> Rect | None:
        down, across = self._page.ink_runs(area), self._page.ink_runs(area, across=True)
        return Rect(across[0][0], down[0][0], across[-1][1], down[-1][1]) if down and across else None

    def _drawn(self, region: Rect, runs: Sequence[tuple[float, float]]) -> list[bool]:
        """Which stretches hold a picture or drawing; one or two rules are none."""
        inside = [rect for rect in self._graphics if rect.meets(region)]
        if len(inside) < 3 and not any(rect.height >= 3 for rect in inside):
            return [False] * len(runs)
        bands = [Rect(region.x0, top, region.x1, bottom) for top, bottom in runs]
        return [any(rect.meets(band) for rect in inside) for band in bands]

    # ---- beside

    def _beside(self, caption: Rect, side: str) -> Rect | None:
        """What is drawn left or right of a caption, between the texts above and below both."""
        area = self._area.rect
        span = Rect(area.x0, area.y0, caption.x0 - 1, area.y1)
        if side == RIGHT:
            span = Rect(caption.x1 + 1, area.y0, area.x1, area.y1)
        if span.width < _LEAST:
            return None
        middle = (caption.y0 + caption.y1) / 2
        top, bottom = area.y0, area.y1
        for rect in (*self._text, *self._captions):
            if rect.meets(caption) or rect.shared_width(span) < 0.2 * span.width:
                continue
            if rect.y1 <= middle:
                top = max(top, rect.y1)
            elif rect.y0 >= middle:
                bottom = min(bottom, rect.y0)
            else:
                return None  # text beside the caption
        drawn = [
            rect for rect in self._graphics if span.holds(rect, 3) and top - 1 <= rect.y0 and rect.y1 <= bottom + 1
        ]
        if not drawn:
            return None
        extent = union(drawn)
        if extent.shared_height(caption) <= 0 or min(extent.width, extent.height) < _LEAST:
            return None
        close = [
            line.rect for line in self._page.lines if line.rect.meets(extent.grown(_APART)) and span.holds(line.rect)
        ]
        return self._ink_in(union((extent, *close)))


def _last_of_its_own(spans: Sequence[tuple[float, float]], first: int, end: float, forced: bool) -> int:
    """The last of `spans` that belongs to the figure: what follows the widest gap behind `first` does not.

    Text at the far end of the region may be the figure's own or the last words of the running text: it is nearer to
    what it belongs to. `forced`: the far end is no part in any case, so that the last gap does not count.
    """
    ends = [span[0] for span in spans[first + 1 :]] + ([] if forced else [end])
    gaps = [following - span[1] for span, following in zip(spans[first:], ends, strict=False)]
    return first + gaps.index(max(gaps)) if gaps else first
