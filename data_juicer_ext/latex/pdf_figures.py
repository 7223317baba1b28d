"""Pages and boxes of figures in the compiled PDF of a paper; called in a process of its own."""

from __future__ import annotations

from collections import Counter
from typing import Any

from data_juicer_ext.figures.page_drawing import mupdf, open_document
from data_juicer_ext.latex.pdf_boxes import ABOVE, BELOW, LEFT, RIGHT, FigureBox, FigureFinder
from data_juicer_ext.latex.pdf_captions import PrintedCaption, find_captions
from data_juicer_ext.latex.pdf_layout import TextArea, read_page, text_area
from data_juicer_ext.pdf.page.lines import Line, as_shown, upright_lines

_MOST_PAGES = 500
_MARGIN = 2.0  # points of white around a figure


def page_count(data: bytes) -> tuple[int, bytes]:
    """How many pages a PDF has."""
    with open_document(data) as document:
        return document.page_count, b""


def locate(data: bytes, wanted: list[list[str]]) -> tuple[list[dict[str, Any]], bytes]:
    """Where each of `wanted` (number, caption) stands in a PDF, in the same order.

    An object each: `page` (from 1), `box` (left, top, right, bottom in points of the page as it is shown) and
    `turn` (degrees clockwise that make it upright); or `reason`, why it was not found.
    """
    with open_document(data) as document:
        sheets = [document[index] for index in range(min(document.page_count, _MOST_PAGES))]
        upright = [upright_lines(sheet) for sheet in sheets]
        lines, turns = [found for found, _ in upright], [turn for _, turn in upright]
        area = text_area(lines, max(sheet.rect.height for sheet in sheets))
        if area is None:
            return [{"reason": "the PDF has no text"} for _ in wanted], b""
        captions = find_captions(lines, [(number, caption) for number, caption in wanted])
        boxes = _boxes(sheets, lines, captions, area)
        found = [
            _place(caption, box, sheets[caption.page] if caption else None, turns)
            for caption, box in zip(captions, boxes, strict=True)
        ]
    return found, b""


def _boxes(
    sheets: list[Any], lines: list[list[Line]], captions: list[PrintedCaption | None], area: TextArea
) -> list[FigureBox | None]:
    """The box of each caption; captions of one paper stand on one side of their figures."""
    finders = {
        number: FigureFinder(read_page(sheets[number], lines[number], mupdf()), area)
        for number in {caption.page for caption in captions if caption}
    }
    above = [finders[caption.page].find(caption.rect, (ABOVE,)) if caption else None for caption in captions]
    below = [finders[caption.page].find(caption.rect, (BELOW,)) if caption else None for caption in captions]
    votes = Counter(
        ABOVE if up else BELOW for up, down in zip(above, below, strict=True) if (up is None) != (down is None)
    )
    usual = BELOW if votes[BELOW] > votes[ABOVE] else ABOVE
    boxes: list[FigureBox | None] = []
    for caption, up, down in zip(captions, above, below, strict=True):
        found, second = (down, up) if usual == BELOW else (up, down)
        if found is None and caption is not None:
            finder = finders[caption.page]
            found = finder.unless_taken(second or finder.find(caption.rect, (LEFT, RIGHT)), caption.rect, usual)
        boxes.append(found)
    return boxes


def _place(caption: PrintedCaption | None, box: FigureBox | None, sheet: Any, turns: list[int]) -> dict[str, Any]:
    if caption is None:
        return {"reason": "no caption in the PDF has its number and is like its caption"}
    if box is None:
        return {"reason": f"nothing is drawn next to its caption on page {caption.page + 1}"}
    turn = turns[caption.page]
    shown = as_shown(box.rect.grown(_MARGIN), turn, sheet.rect.width, sheet.rect.height)
    return {"page": caption.page + 1, "box": [round(value, 1) for value in shown], "turn": turn}
