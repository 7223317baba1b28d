"""Where the figure of a caption may stand: what is drawn above, below, left or right of it, up to other text."""

from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.pdf.figures.body_text import body_blocks
from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.drawings import ABOVE, BELOW, LEAST, LEAST_INK, LEFT, RIGHT, Drawings
from data_juicer_ext.pdf.figures.page_content import Content
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import PICTURE
from data_juicer_ext.pdf.page.lines import Line

_LEAST_ALONE = 0.05  # of the page
_EDGE = 3.0
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
        labels = [line for line in content.lines if self._is_label(line)]
        self._drawings = Drawings(content, style, labels, self._blocks)

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
            drawn = self._drawings.drawn(self._region(caption.rect, band, side, self._blocks), side)
            if drawn is not None:
                found.append(Candidate(drawn, side))
                continue
            written = self._drawings.written(self._region(caption.rect, band, side, self._firm), side)
            if written is not None:
                found.append(Candidate(written, side, False))
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
        drawn = self._drawings.drawn(area, BELOW)
        return None if drawn is None or drawn.area < _LEAST_ALONE * self._page.area else Candidate(drawn, BELOW)

    # ---- above and below

    def _band(self, caption: Rect, side: str) -> tuple[float, float]:
        """The horizontal extent that the figure may have: of its column, or of the page where it crosses columns."""
        left, right = self._between_neighbours(caption, side)
        columns = self._style.columns
        own = [(x0, x1) for x0, x1 in columns if x0 - 6 <= caption.x0 and caption.x1 <= x1 + 6]
        if len(columns) < 2 or not own:
            return left, right
        gutter = self._gutters(own[0])
        column = max(left, gutter[0]), min(right, gutter[1])
        return (left, right) if self._crosses(caption, column, side) else column

    def _crosses(self, caption: Rect, column: tuple[float, float], side: str) -> bool:
        region = self._region(caption, column, side, self._blocks)
        pictures = (box.rect for box in self._content.boxes if box.kind == PICTURE)
        for rect in (*self._content.strokes, *self._content.grounds, *pictures):
            beyond = max(column[0] - rect.x0, rect.x1 - column[1]) > _GUTTER
            if beyond and rect.meets(region) and not any(rect.meets(text) for text in (*self._blocks, *self._captions)):
                return self._content.drawn.amount(rect) > LEAST_INK
        return False

    def _gutters(self, column: tuple[float, float]) -> tuple[float, float]:
        """A column, out to the middle of the white on both sides or to the edge of the page."""
        left = [x1 for _, x1 in self._style.columns if x1 <= column[0]]
        right = [x0 for x0, _ in self._style.columns if x0 >= column[1]]
        return (
            (max(left) + column[0]) / 2 if left else self._page.x0,
            (min(right) + column[1]) / 2 if right else self._page.x1,
        )

    def _between_neighbours(self, caption: Rect, side: str) -> tuple[float, float]:
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
                    right = min(right, self._parting(caption, rect, side))
                elif rect.x1 <= caption.x0:
                    left = max(left, self._parting(rect, caption, side))
        return left, right

    def _parting(self, one: Rect, other: Rect, side: str) -> float:
        """Where the figures of two captions side by side part: in the white nearest to the middle between them."""
        middle = (one.x1 + other.x0) / 2
        top = min(one.y0, other.y0)
        bottom = max(one.y1, other.y1)
        rows = (top - _SIDE_BY_SIDE, top) if side == ABOVE else (bottom, bottom + _SIDE_BY_SIDE)
        between = Rect(one.middle[0], rows[0], other.middle[0], rows[1])
        white = [(x0 + x1) / 2 for x0, x1 in self._content.ink.gaps(between) if x1 - x0 >= _EDGE]
        return min(white, key=lambda x: abs(x - middle), default=middle)

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

    # ---- beside

    def _beside(self, caption: Rect, side: str) -> Rect | None:
        """What is drawn left or right of a caption, between the texts above and below both."""
        area = self._style.area
        span = Rect(min(area.x0, caption.x0) - 5, self._page.y0, caption.x0 - 1, self._page.y1)
        if side == RIGHT:
            span = Rect(caption.x1 + 1, self._page.y0, max(area.x1, caption.x1) + 5, self._page.y1)
        if span.width < 4 * LEAST:
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
        if drawn is None or drawn.shared_height(caption) < 0.5 * caption.height or drawn.height < 2 * LEAST:
            return None
        return self._drawings.finished(drawn, region)
