"""What of a region of a page makes one figure: what is drawn, its labels, and the white around it."""

from collections.abc import Sequence

from data_juicer_ext.pdf.figures.body_text import PANEL
from data_juicer_ext.pdf.figures.page_content import Content
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.lines import Line

ABOVE, BELOW, LEFT, RIGHT = "above", "below", "left", "right"
LEAST = 15.0  # points: what is smaller is no figure
LEAST_INK = 30  # square points
_THIN = 8.0
_APART = 72.0  # points of white between two parts of one figure
_CLOSE = 12.0  # points between what is drawn and a label of it
_CLOSE_SMALL = 24.0  # the same for code, for captions of panels and for small letters
_FROM_CAPTION = 45.0  # points of white between a figure that is all text and its caption
_BETWEEN = 32.0  # points of white in such a figure
_EDGE = 3.0
_REMNANT = 4.0  # points
_MOST_STEPS = 60  # in which labels are added to a drawing


class Drawings:
    """Finds the drawings in regions of one page. A region lies `ABOVE` or `BELOW` its caption."""

    def __init__(self, content: Content, style: Style, labels: Sequence[Line], blocks: Sequence[Rect]) -> None:
        self._content = content
        self._style = style
        self._labels = labels
        self._blocks = blocks

    def drawn(self, region: Rect, side: str) -> Rect | None:
        """The figure in a region, with its labels; None where nothing is drawn."""
        seen = self._drawn_in(region, side)
        return self.finished(self._down_to_caption(seen, region, side), region) if seen is not None else None

    def written(self, region: Rect, side: str) -> Rect | None:
        """The text in a region that is set apart from running text, such as code; None where there is none."""
        seen = self._written_in(region, side)
        return self._whole(seen, region) if seen is not None else None

    def finished(self, drawn: Rect, region: Rect) -> Rect:
        """What is drawn with the labels close to it, out to the edge of the ink."""
        return self._whole(self._with_labels(drawn, region), region)

    def _drawn_in(self, region: Rect, side: str) -> Rect | None:
        """What is drawn in a region, from the caption on, as far as it belongs together."""
        if min(region.height, region.width) < LEAST:
            return None
        bands = [
            Rect(region.x0, top, region.x1, bottom) for top, bottom in self._content.drawn.bands(region)
        ]  # fmt: skip
        if side == ABOVE:
            bands.reverse()
        if len(bands) > 1 and _is_remnant(bands[-1], region, side):
            bands.pop()
        taken: list[Rect] = []
        for band in bands:
            if taken and -band.shared_height(union(taken)) > _APART and not self._labels_between(band, taken):
                break
            taken.append(band)
        if not taken:
            return None
        drawn = self._content.drawn.extent(union(taken))
        if drawn is None or self._content.drawn.amount(drawn) < LEAST_INK or drawn.height < _THIN:
            return None
        return drawn

    def _labels_between(self, band: Rect, taken: Sequence[Rect]) -> bool:
        whole = union(taken)
        between = Rect(band.x0, min(band.y1, whole.y1), band.x1, max(band.y0, whole.y0))
        return any(between.holds_middle(line.rect) for line in self._labels)

    def _written_in(self, region: Rect, side: str) -> Rect | None:
        """The text and rules of a region, from the caption on, up to a wide gap."""
        if min(region.height, region.width) < LEAST:
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
        grown = drawn
        for _ in range(_MOST_STEPS):
            before = grown
            close = [line.rect for line in labels if line.rect.meets(grown.grown(self._reach(line)))]
            grown = union((grown, *close)).cut(region.grown(1.0, 0.0))
            if grown == before:
                break
        return grown

    def _reach(self, line: Line) -> float:
        apart = line.is_code or line.size < self._style.size - 1.5 or PANEL.match(line.text)
        return _CLOSE_SMALL if apart else _CLOSE

    def _whole(self, rect: Rect, region: Rect) -> Rect:
        """The ink in `rect`, out to the middle of the white of the pictures and grounds that it stands on."""
        inked = self._content.ink.extent(rect) or rect
        left, right = min(self._style.area.x0, inked.x0), max(self._style.area.x1, inked.x1)
        grounds = [
            ground for ground in self._content.grounds
            if ground.meets(inked) and region.holds(ground, 2.0) and not any(map(ground.meets, self._blocks))
        ]  # fmt: skip
        x0, y0, x1, y1 = union((inked, *grounds))
        outer = (max(x0, left), y0, min(x1, right), y1)
        return Rect(*((edge + wide) / 2 for edge, wide in zip(inked, outer, strict=True)))


def _is_remnant(band: Rect, region: Rect, side: str) -> bool:
    """Whether ink at the far end of a region is of the text there: the tail of a letter, the strip it stands on."""
    gap = band.y0 - region.y0 if side == ABOVE else region.y1 - band.y1
    return max(gap, band.height) <= _REMNANT
