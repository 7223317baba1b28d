"""The running text of a document cut into paragraphs, each with its page and the heading it stands under."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.document_style import Style, Styles
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line
from data_juicer_ext.pdf.text.line_joining import Words

_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*(?:\s?\[?\d{1,3}(?:[,–-]\d{1,3})*\]?)?\Z")
_ITEM = re.compile(r"(?:[•◦▪‣∙·*–—]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s")
_REFERENCES = re.compile(
    r"\W*(?:[\dIVX]+[.\s]*)?(?:references|bibliography|literature cited|works cited)\W*\Z", re.IGNORECASE
)
_NOTE_MARK = re.compile(r"(?:\d{1,2}|[∗*†‡§¶])(?=[A-Z])")
_ACROSS = 15.0  # points of a column that a box reaches into
_NOTE = re.compile(r"(?:Notes?|Sources?) ?:")  # below a figure or a table, and part of it
_LONG = 40  # letters
_ODD_SIZE = 0.6  # points
_INDENT = (4.0, 45.0)  # points
_FORMULA = " […] "


@dataclass(frozen=True)
class Page:
    """What of a page (index from 0) is looked at: its boxes in reading order, its lines, and what is no text."""

    number: int
    lines: Sequence[Line]
    boxes: Sequence[Box]
    taken: Sequence[Rect]  # figures and captions
    heads: Sequence[Line]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, on one line; `page` counts from 1 and is where it begins."""

    text: str
    page: int
    section: str


@dataclass
class _Open:
    """The paragraph that is being read."""

    page: int = 0
    lines: list[str] = field(default_factory=list)
    last: Line | None = None
    item: bool = False
    after_formula: bool = False

    @property
    def ended(self) -> bool:
        return not self.lines or _ENDS.search(self.lines[-1]) is not None


def paragraphs(pages: Sequence[Page], styles: Styles, words: Words) -> list[Paragraph]:
    """The paragraphs of the pages in reading order; bibliographies, headers, footers and tables are left out."""
    return list(_ParagraphReader(styles, words, _indents(pages, styles)).read(pages))


def reading_order(boxes: Sequence[Box], style: Style) -> list[Box]:
    """Boxes in the order in which they are read: down one column after the other, as far as the next box across.

    With one column they stay as they are.
    """
    columns = style.columns
    if len(columns) < 2:
        return list(boxes)
    ordered: list[Box] = []
    waiting: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.rect.y0):
        if sum(min(box.rect.x1, x1) - max(box.rect.x0, x0) > _ACROSS for x0, x1 in columns) > 1:
            ordered += [*_by_column(waiting, columns), box]
            waiting = []
        else:
            waiting.append(box)
    return ordered + _by_column(waiting, columns)


def _by_column(boxes: Sequence[Box], columns: Sequence[tuple[float, float]]) -> list[Box]:
    def column(box: Box) -> int:
        return max(
            range(len(columns)),
            key=lambda number: box.rect.shared_width(Rect(columns[number][0], 0, columns[number][1], 0)),
        )

    return sorted(boxes, key=lambda box: (column(box), box.rect.y0))


def _indents(pages: Sequence[Page], styles: Styles) -> bool:
    firsts = 0
    for page in pages:
        style = styles.of(page.number)
        for above, line in pairwise(page.lines):
            column = _column(line.rect, style)
            close = 0 < line.base - above.base < 1.3 * style.pitch
            if column and close and _ENDS.search(above.text) and _is_indented(line, column) and line.text[:1].isupper():
                firsts += 1
    return firsts >= max(3, len(pages) // 2)


def _column(rect: Rect, style: Style) -> tuple[float, float] | None:
    return next(((x0, x1) for x0, x1 in style.columns if x0 - 8 <= rect.x0 < x1), None)


def _is_indented(line: Line, column: tuple[float, float]) -> bool:
    return _INDENT[0] < line.rect.x0 - column[0] < _INDENT[1]


class _ParagraphReader:
    def __init__(self, styles: Styles, words: Words, indents: bool) -> None:
        self._styles = styles
        self._style = styles.even
        self._words = words
        self._indents = indents
        self._section = ""
        self._in_references = False
        self._open = _Open()
        self._last_page = 0
        self._taken: Sequence[Rect] = ()

    def read(self, pages: Sequence[Page]) -> Iterator[Paragraph]:
        for page in pages:
            self._taken, self._style = page.taken, self._styles.of(page.number)
            for box in reading_order(page.boxes, self._style):
                lines = self._lines_of(box, page)
                if lines:
                    yield from self._box(box.kind, lines, page.number + 1)
        yield from self._close()

    def _lines_of(self, box: Box, page: Page) -> list[Line]:
        heads = {id(line) for line in page.heads}
        return [
            line for line in page.lines
            if box.rect.holds_middle(line.rect) and not line.turn and id(line) not in heads
            and not any(rect.holds_middle(line.rect) for rect in page.taken)
            and not (line.text.isdigit() and _column(line.rect, self._style) is None)
        ]  # fmt: skip

    def _box(self, kind: str, lines: list[Line], page: int) -> Iterator[Paragraph]:
        if kind == kinds.PAGE_HEADER and self._is_prose(lines[0]):
            kind = kinds.TEXT  # the model takes a last line on a page of its own for a header
        if kind in (kinds.HEADING, kinds.TITLE):
            yield from self._heading(self._words.join([line.text for line in lines]))
        elif kind == kinds.FORMULA:
            self._open.after_formula = bool(self._open.lines)
        elif kind in (kinds.TEXT, kinds.LIST_ITEM, kinds.CAPTION) and not self._in_references:
            for part in self._parts(lines):
                yield from self._part(part, page, kind == kinds.LIST_ITEM)
        elif kind == kinds.FOOTNOTE and not self._in_references:
            kept = self._open
            self._open = _Open(page, [_NOTE_MARK.sub("", lines[0].text), *(line.text for line in lines[1:])])
            yield from self._close()
            self._open = kept

    def _is_prose(self, line: Line) -> bool:
        alike = line.font == self._style.font and abs(line.size - self._style.size) < _ODD_SIZE
        return alike and len(line.text) >= _LONG

    def _heading(self, text: str) -> Iterator[Paragraph]:
        yield from self._close()
        self._in_references = _REFERENCES.match(text) is not None
        self._section = text

    def _parts(self, lines: Sequence[Line]) -> Iterator[list[Line]]:
        part: list[Line] = []
        for line in lines:
            if part and self._begins(line, part[-1]):
                yield part
                part = []
            part.append(line)
        if part:
            yield part

    def _begins(self, line: Line, above: Line) -> bool:
        pitch = line.base - above.base
        if pitch < 0.3 * line.size:
            return False
        column = _column(line.rect, self._style)
        indented = column is not None and _is_indented(line, column) and line.rect.x0 - above.rect.x0 > _INDENT[0]
        ended = _ENDS.search(above.text) is not None
        if _ITEM.match(line.text) and ended:
            return True
        return (self._indents and indented and ended) or (pitch > 1.5 * self._style.pitch and ended)

    def _part(self, lines: list[Line], page: int, item: bool) -> Iterator[Paragraph]:
        item = item and _ITEM.match(lines[0].text) is not None
        if item or not self._continues(lines[0], page):
            yield from self._close()
            self._open = _Open(page, item=item)
        elif self._open.after_formula:
            self._open.lines.append(_FORMULA.strip())
        self._open.after_formula = False
        self._open.lines += [line.text for line in lines]
        self._open.last, self._last_page = lines[-1], page

    def _continues(self, line: Line, page: int) -> bool:
        noted = _NOTE.match(line.text) is not None
        if noted or not self._open.lines or (self._open.ended and self._stands_apart(line, page)):
            return False
        if line.text[:1].islower():
            return True
        if self._open.item or not self._indents:
            return not self._open.ended
        column = _column(line.rect, self._style)
        return column is None or not _is_indented(line, column)

    def _stands_apart(self, line: Line, page: int) -> bool:
        """Whether a line begins with a heading of its own, or more white than usual is above it."""
        if line.bold_lead and line.lead not in (line.font, self._style.font):
            return True
        last = self._open.last
        if (
            last is None
            or page != self._last_page
            or self._open.after_formula
            or last.rect.shared_width(line.rect) <= 0
        ):
            return False
        between = Rect(line.rect.x0, last.rect.y1, line.rect.x1, line.rect.y0)
        floats = any(rect.meets(between) for rect in self._taken)
        return line.base - last.base > 1.4 * self._style.pitch and not floats

    def _close(self) -> Iterator[Paragraph]:
        text = self._words.join(self._open.lines)
        if text and not _NOTE.match(text):
            yield Paragraph(text, self._open.page, self._section)
        self._open = _Open()
