"""Where the figure of a caption may stand: what is drawn above, below, left or right of it, up to other text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.pdf.body import PANEL, body_blocks
from data_juicer_ext.pdf.captions import Caption
from data_juicer_ext.pdf.content import Content
from data_juicer_ext.pdf.geometry import Rect, union
from data_juicer_ext.pdf.layout_model import PICTURE
from data_juicer_ext.pdf.lines import Line
from data_juicer_ext.pdf.style import Style

ABOVE, BELOW, LEFT, RIGHT = "above", "below", "left", "right"
_LEAST = 15.0  # points: what is smaller is no figure
_THIN = 8.0
_LEAST_INK = 30  # square points
_APART = 72.0  # points of white between two parts of one figure
_CLOSE = 12.0  # points between what is drawn and a label of it
_CLOSE_SMALL = 24.0  # the same for code, for captions of panels and for small letters
_FROM_CAPTION = 45.0  # points of white between a figure that is all text and its caption
_BETWEEN = 32.0  # points of white in such a figure
_EDGE = 3.0
_LEAST_ALONE = 0.05  # of the page
_SIDE_BY_SIDE = 80.0  # points of height within which two captions stand beside each other
_GUTTER = 15.0  # points that a drawing reaches into the other column to be as wide as the page


@dataclass(frozen=True)
class Candidate:
    """A place where a caption's figure may be, and on which side of the caption; or text that may be one."""

    rect: Rect
    side: str
    drawn: bool = True


class RegionFinder:
    """Finds the candidates of the captions of one page."""

    def __init__(self, content: Content, style: Style) -> None:
        self._content = content
        self._style = style
        self._page = Rect(0.0, 0.0, content.width, content.height)
        blocks = body_blocks(content, style)
        self._blocks = [block.rect for block in blocks]
        self._firm = [block.rect for block in blocks if block.firm]
        self._captions = [caption.rect for caption in content.captions]
        self._labels = [line for line in content.lines if self._is_label(line)]

    def _is_label(self, line: Line) -> bool:
        """Whether a line may belong to a figure: neither running text nor caption nor a number in the margin."""
        margin = line.rect.x1 < self._style.area.x0 or line.rect.x0 > self._style.area.x1
        if margin and line.text.isdigit() and len(line.text) <= 4:
            return False
        return not any(block.holds_middle(line.rect) for block in (*self._blocks, *self._captions))

    def candidates(self, caption: Caption) -> list[Candidate]:
        """The places, at most one on each side; where nothing is drawn, text that is set apart, such as code."""
        found = []
        for side in (ABOVE, BELOW):
            band = self._band(caption.rect, side)
            region = self._region(caption.rect, band, side, self._blocks)
            seen = self._drawn_in(region, side)
            if seen is None:
                region = self._region(caption.rect, band, side, self._firm)
                written = self._written_in(region, side)
                if written is not None:
                    found.append(Candidate(self._whole(written, region), side, False))
            else:
                seen = self._down_to_caption(seen, region, side)
                found.append(Candidate(self._whole(self._with_labels(seen, region), region), side))
        for side in (LEFT, RIGHT):
            beside = self._beside(caption.rect, side)
            if beside is not None:
                found.append(Candidate(beside, side))
        return found

    def alone(self) -> Candidate | None:
        """What is drawn on a page that has no caption and no running text."""
        heads = {line.rect for line in self._content.heads}
        if self._captions or any(rect not in heads for rect in self._firm):
            return None
        area = self._page.grown(0.0, -_EDGE)
        for head in heads:
            above = head.middle[1] < self._page.y1 / 2
            area = area._replace(y0=max(area.y0, head.y1)) if above else area._replace(y1=min(area.y1, head.y0))
        drawn = self._drawn_in(area, BELOW)
        if drawn is None or drawn.area < _LEAST_ALONE * self._page.area:
            return None
        return Candidate(self._whole(self._with_labels(drawn, area), area), BELOW)

    # ---- above and below

    def _band(self, caption: Rect, side: str) -> tuple[float, float]:
        """The horizontal extent that the figure may have: of its column, or of the page where it crosses columns."""
        left, right = self._between_neighbours(caption)
        columns = self._style.columns
        own = [(x0, x1) for x0, x1 in columns if x0 - 6 <= caption.x0 and caption.x1 <= x1 + 6]
        if len(columns) < 2 or not own:
            return left, right
        gutter = self._gutters(own[0])
        column = max(left, gutter[0]), min(right, gutter[1])
        return (left, right) if self._crosses(caption, column, side) else column

    def _crosses(self, caption: Rect, column: tuple[float, float], side: str) -> bool:
        """Whether something drawn near the caption reaches far out of its column."""
        region = self._region(caption, column, side, self._blocks)
        pictures = (box.rect for box in self._content.boxes if box.kind == PICTURE)
        for rect in (*self._content.graphics, *pictures):
            beyond = max(column[0] - rect.x0, rect.x1 - column[1]) > _GUTTER
            if beyond and rect.meets(region) and not any(rect.meets(text) for text in (*self._blocks, *self._captions)):
                return self._content.drawn.amount(rect) > _LEAST_INK
        return False

    def _gutters(self, column: tuple[float, float]) -> tuple[float, float]:
        """A column, out to the middle of the white on both sides or to the edge of the page."""
        left = [x1 for _, x1 in self._style.columns if x1 <= column[0]]
        right = [x0 for x0, _ in self._style.columns if x0 >= column[1]]
        return (
            (max(left) + column[0]) / 2 if left else self._page.x0,
            (min(right) + column[1]) / 2 if right else self._page.x1,
        )

    def _between_neighbours(self, caption: Rect) -> tuple[float, float]:
        """From what stands left of a caption to what stands right of it, or to the edges of the page."""
        left, right = self._page.x0, self._page.x1
        for rect in self._blocks:
            if rect.shared_height(caption) > 0.5 * min(rect.height, caption.height):
                if rect.x1 <= caption.x0 + _EDGE:
                    left = max(left, rect.x1)
                elif rect.x0 >= caption.x1 - _EDGE:
                    right = min(right, rect.x0)
        for rect in self._captions:
            if abs(rect.y0 - caption.y0) < _SIDE_BY_SIDE and rect != caption:
                if rect.x0 >= caption.x1:
                    right = min(right, (rect.x0 + caption.x1) / 2)
                elif rect.x1 <= caption.x0:
                    left = max(left, (rect.x1 + caption.x0) / 2)
        return left, right

    def _whole(self, rect: Rect, region: Rect) -> Rect:
        """The ink in `rect`, out to the middle of the white of the pictures and grounds that it stands on."""
        inked = self._content.ink.extent(rect) or rect
        left, right = min(self._style.area.x0, inked.x0), max(self._style.area.x1, inked.x1)
        grounds = [
            ground for ground in self._content.graphics
            if ground.meets(inked) and region.holds(ground, 2.0) and not any(map(ground.meets, self._blocks))
        ]  # fmt: skip
        x0, y0, x1, y1 = union((inked, *grounds))
        outer = (max(x0, left), y0, min(x1, right), y1)
        return Rect(*((edge + wide) / 2 for edge, wide in zip(inked, outer, strict=True)))

    def _region(self, caption: Rect, band: tuple[float, float], side: str, blocks: Sequence[Rect]) -> Rect:
        """From the caption to the next text, caption or edge of the page."""
        limit = self._page.y0 if side == ABOVE else self._page.y1
        for rect in (*blocks, *self._captions):
            shared = min(rect.x1, band[1]) - max(rect.x0, band[0])
            if rect == caption or shared < min(0.1 * (band[1] - band[0]), 0.5 * rect.width):
                continue
            if side == ABOVE and rect.middle[1] < caption.y0:
                limit = max(limit, min(rect.y1, caption.y0))
            elif side == BELOW and rect.middle[1] > caption.y1:
                limit = min(limit, max(rect.y0, caption.y1))
        if side == ABOVE:
            return Rect(band[0], limit, band[1], caption.y0)
        return Rect(band[0], caption.y1, band[1], limit)

    def _drawn_in(self, region: Rect, side: str) -> Rect | None:
        """What is drawn in a region, from the caption on, as far as it belongs together."""
        if min(region.height, region.width) < _LEAST:
            return None
        bands = [
            Rect(region.x0, top, region.x1, bottom) for top, bottom in self._content.drawn.bands(region)
        ]  # fmt: skip
        if side == ABOVE:
            bands.reverse()
        taken: list[Rect] = []
        for band in bands:
            if taken and -band.shared_height(union(taken)) > _APART and not self._labels_between(band, taken):
                break
            taken.append(band)
        if not taken:
            return None
        drawn = self._content.drawn.extent(union(taken))
        if drawn is None or self._content.drawn.amount(drawn) < _LEAST_INK or drawn.height < _THIN:
            return None
        return drawn

    def _labels_between(self, band: Rect, taken: Sequence[Rect]) -> bool:
        whole = union(taken)
        between = Rect(band.x0, min(band.y1, whole.y1), band.x1, max(band.y0, whole.y0))
        return any(between.holds_middle(line.rect) for line in self._labels)

    def _written_in(self, region: Rect, side: str) -> Rect | None:
        """The text and rules of a region, from the caption on, up to a wide gap."""
        if min(region.height, region.width) < _LEAST:
            return None
        bands = self._content.ink.bands(region.grown(0.0, -_EDGE))
        if side == ABOVE:
            bands.reverse()
        end = region.y1 if side == ABOVE else region.y0
        taken: list[tuple[float, float]] = []
        for band in bands:
            gap = end - band[1] if side == ABOVE else band[0] - end
            if gap > (_BETWEEN if taken else _FROM_CAPTION):
                break
            taken.append(band)
            end = band[0] if side == ABOVE else band[1]
        if not taken:
            return None
        extent = Rect(region.x0, min(top for top, _ in taken), region.x1, max(bottom for _, bottom in taken))
        return self._content.ink.extent(extent) if self._is_apart(extent) else None

    def _is_apart(self, extent: Rect) -> bool:
        """Whether the text in a place is set otherwise than running text."""
        lines = [line for line in self._content.lines if extent.holds_middle(line.rect)]
        letters = sum(len(line.text) for line in lines)
        wide = 0.8 * self._style.column_width
        prose = sum(len(line.text) for line in lines if line.font == self._style.font and line.rect.width > wide)
        return extent.height >= _THIN and letters > 0 and 2 * prose < letters

    def _down_to_caption(self, drawn: Rect, region: Rect, side: str) -> Rect:
        """`drawn` with the text between it and the caption: what panels are called."""
        rest = region._replace(y0=drawn.y1) if side == ABOVE else region._replace(y1=drawn.y0)
        labels = [line.rect for line in self._labels if rest.holds_middle(line.rect)]
        return union((drawn, *labels)) if rest.height < _APART else drawn

    def _with_labels(self, drawn: Rect, region: Rect) -> Rect:
        """`drawn` with the text that stands in it or close to it."""
        labels = [line for line in self._labels if region.holds_middle(line.rect)]
        grown, before = drawn, None
        while grown != before:
            before = grown
            close = [line.rect for line in labels if line.rect.meets(grown.grown(self._reach(line)))]
            grown = union((grown, *close)).cut(region.grown(1.0, 0.0))
        return grown

    def _reach(self, line: Line) -> float:
        """How far from what is drawn a line may stand that belongs to it."""
        apart = line.is_code or line.size < self._style.size - 1.5 or PANEL.match(line.text)
        return _CLOSE_SMALL if apart else _CLOSE

    # ---- beside

    def _beside(self, caption: Rect, side: str) -> Rect | None:
        """What is drawn left or right of a caption, between the texts above and below both."""
        area = self._style.area
        span = Rect(min(area.x0, caption.x0) - 5, self._page.y0, caption.x0 - 1, self._page.y1)
        if side == RIGHT:
            span = Rect(caption.x1 + 1, self._page.y0, max(area.x1, caption.x1) + 5, self._page.y1)
        if span.width < 4 * _LEAST:
            return None
        top, bottom = self._page.y0, self._page.y1
        for rect in (*self._blocks, *self._captions):
            if rect == caption or rect.shared_width(span) < 0.2 * min(span.width, rect.width):
                continue
            if rect.y1 <= caption.y0 + _EDGE:
                top = max(top, rect.y1)
            elif rect.y0 >= caption.y1 - _EDGE:
                bottom = min(bottom, rect.y0)
            else:
                return None  # text beside the caption
        region = Rect(span.x0, top, span.x1, bottom)
        drawn = self._content.drawn.extent(region)
        if drawn is None or drawn.shared_height(caption) < 0.5 * caption.height or drawn.height < 2 * _LEAST:
            return None
        return self._whole(self._with_labels(drawn, region), region)
