"""The text of a page that belongs to no figure: paragraphs, headings, formulas, tables, headers, footers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.pdf.figures.page_content import Content
from data_juicer_ext.pdf.figures.tables import ruled_tables
from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect, union
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line

PANEL = re.compile(r"[(\[](?:[a-zA-Z]|[ivx]{1,4})[)\]]|[a-z][.):](?=\s|\Z)|[A-Z]\)|[a-zA-Z]\Z")
_TEXTUAL = frozenset((kinds.TEXT, kinds.LIST_ITEM, kinds.HEADING, kinds.TITLE, kinds.FOOTNOTE, kinds.FORMULA))
_EDGE = 4.0  # points
_CLOSE = 10.0  # points between what is drawn and a label of it
_ODD_SIZE = 0.6
_INDENT = 24.0
_SMALLER = 2.2  # points by which notes and references are set smaller than running text
_STROKE = 7.0
_MOST_OF_PAGE = 0.5
_NEAR_TABLE = 40.0  # points between a table and its caption


@dataclass(frozen=True)
class Block:
    """A rectangle that no drawing reaches into; nor does a figure made of text, where it is `firm`."""

    rect: Rect
    firm: bool


def body_blocks(content: Content, style: Style) -> list[Block]:
    """The text of a page that belongs to no figure, captions left out."""
    return _Body(content, style).blocks()


class _Body:
    def __init__(self, content: Content, style: Style) -> None:
        self._content = content
        self._style = style
        self._pictures = [box.rect for box in content.boxes if box.kind == kinds.PICTURE]
        known = {id(line) for caption in content.captions for line in caption.lines} | set(map(id, content.heads))
        self._lines = [line for line in content.lines if id(line) not in known and not line.turn]

    def blocks(self) -> list[Block]:
        found = [Block(line.rect, True) for line in self._content.heads]
        found += [Block(rect, True) for rect in ruled_tables(self._content.captions, self._content.rules)]
        for box in self._content.boxes:
            lines = [line for line in self._lines if box.rect.holds_middle(line.rect)]
            if box.kind == kinds.TABLE and self._has_table_caption(box.rect):
                found.append(Block(box.rect, True))
            elif box.kind not in (kinds.PICTURE, kinds.TABLE) and lines and self._is_body(box, lines):
                firm = self._is_firm(box, lines)
                found += [Block(line.rect, firm) for line in lines if not self._is_stray(line)]
        loose: dict[int, list[Line]] = {}
        for line in self._lines:
            if not any(box.rect.holds_middle(line.rect) for box in self._content.boxes):
                loose.setdefault(line.block, []).append(line)
        for lines in loose.values():
            extent = union(line.rect for line in lines)
            if self._is_running(lines) and not self._in_drawing(extent):
                found += [Block(line.rect, True) for line in lines]
        return found

    def _is_stray(self, line: Line) -> bool:
        """Whether a line is a label of a drawing after all, which the layout model took for part of the text."""
        column = self._style.column_width
        starts = any(-_EDGE < line.rect.x0 - x0 < _INDENT for x0, _ in self._style.columns)
        return not starts and line.rect.width < 0.4 * column and self._by_drawing(line.rect)

    def _is_firm(self, box: Box, lines: Sequence[Line]) -> bool:
        """Whether this is prose, a heading or a part of the page's frame."""
        if box.kind in (kinds.TEXT, kinds.LIST_ITEM):
            letters = sum(len(line.text) for line in lines)
            usual = 3 * sum(len(line.text) for line in lines if line.font == self._style.font) > letters
            left = min(line.rect.x0 for line in lines)
            return usual and any(-_EDGE < left - x0 < _INDENT for x0, _ in self._style.columns)
        return box.kind != kinds.FORMULA

    def _is_body(self, box: Box, lines: Sequence[Line]) -> bool:
        extent = union(line.rect for line in lines)
        if 2 * sum(line.is_code for line in lines) > len(lines) or self._is_panel(box, lines, extent):
            return False
        if self._in_drawing(extent):
            return self._is_running(lines) and not self._framed(extent)
        if box.kind in (kinds.PAGE_HEADER, kinds.PAGE_FOOTER, kinds.FOOTNOTE, kinds.TITLE) or self._is_running(lines):
            return True
        if box.kind == kinds.FORMULA:
            return self._in_area(extent)
        return self._in_area(extent) and self._like_text(lines) and not self._by_drawing(extent)

    def _is_panel(self, box: Box, lines: Sequence[Line], extent: Rect) -> bool:
        """Whether this is the caption of a panel: "(a) Loss"."""
        if PANEL.match(lines[0].text) is None:
            return False
        odd = box.kind == kinds.CAPTION or abs(lines[0].size - self._style.size) > _ODD_SIZE
        return odd or self._by_drawing(extent) or (len(lines) < 4 and not self._is_running(lines))

    def _is_running(self, lines: Sequence[Line]) -> bool:
        """Whether there are lines as wide as a column, of whole words, not much smaller than running text."""
        column = self._style.column_width
        wide = [line for line in lines if line.rect.width >= 0.6 * column and line.text.count(" ") >= 4
                and len(line.text) >= 0.09 * column and line.size > self._style.size - _SMALLER]  # fmt: skip
        usual = all(abs(line.size - self._style.size) < 0.8 for line in lines)
        return len(wide) >= 2 or (len(wide) == 1 and usual)

    def _like_text(self, lines: Sequence[Line]) -> bool:
        """Whether a short block is set as running text, or as a heading of it."""
        first = lines[0]
        near = abs(first.size - self._style.size) < 0.8
        starts = any(abs(first.rect.x0 - x0) < _EDGE + 2 for x0, _ in self._style.columns)
        words = sum(line.text.count(" ") + 1 for line in lines)
        large = first.size > self._style.size + 0.8
        heading = (large or first.bold_lead) and (starts or self._centred(first.rect))
        return (near and words >= 2 and (starts or first.font == self._style.font)) or heading

    def _centred(self, rect: Rect) -> bool:
        spans = [*self._style.columns, (self._style.area.x0, self._style.area.x1)]
        return any(abs(rect.middle[0] - (x0 + x1) / 2) < _EDGE for x0, x1 in spans)

    def _in_area(self, rect: Rect) -> bool:
        return self._style.area.grown(2 * _EDGE, self._content.height).holds(rect)

    def _in_drawing(self, rect: Rect) -> bool:
        return any(rect.share(picture) > 0.6 for picture in self._pictures) or self._framed(rect)

    def _by_drawing(self, rect: Rect) -> bool:
        return self._content.drawn.amount(rect.grown(_CLOSE)) > 20

    def _framed(self, rect: Rect) -> bool:
        most = _MOST_OF_PAGE * self._content.width * self._content.height
        return any(
            frame.holds(rect) and frame.height > rect.height + _EDGE and frame.area < most and self._is_seen(frame)
            for frame in (*self._content.strokes, *self._content.grounds)
        )

    def _is_seen(self, frame: Rect) -> bool:
        """Whether there is ink along the sides of a frame: it is no white ground."""
        least = 0.6 * frame.height
        # The rectangle of a stroke is larger than what is seen of it.
        left = Rect(frame.x0 - 1.5, frame.y0, frame.x0 + _STROKE, frame.y1)
        right = Rect(frame.x1 - _STROKE, frame.y0, frame.x1 + 1.5, frame.y1)
        return all(self._content.drawn.rows(side) >= least for side in (left, right))

    def _has_table_caption(self, rect: Rect) -> bool:
        """Whether the nearest caption above or below is one of a table."""
        near: list[tuple[float, bool]] = []
        for caption in self._content.captions:
            if caption.rect.shared_width(rect) > 0:
                gap = -caption.rect.shared_height(rect)
                if gap < _NEAR_TABLE:
                    near.append((gap, caption.number == ""))
        return min(near)[1] if near else False
