"""All that the search for figures looks at on one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.pdf.figures.captions import Caption, CaptionFinder, without_panels
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.drawn_ink import Ink, read_graphics
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import PICTURE, Box
from data_juicer_ext.pdf.page.lines import Line

_RULE = 2.5  # points: what is thinner and long is a rule
_LONG_RULE = 40.0


@dataclass
class Content:
    """A page, turned upright: its size in points, its lines, the boxes of the layout model, its captions, the
    rectangles of what is drawn on it (`strokes`, `grounds`: pictures and fills, `rules`: thin lines across), all
    `ink`, the ink that is neither text nor a rule (`drawn`), and running heads."""

    width: float
    height: float
    lines: Sequence[Line]
    boxes: Sequence[Box]
    captions: Sequence[Caption]
    strokes: list[Rect]
    grounds: list[Rect]
    rules: list[Rect]
    ink: Ink
    drawn: Ink
    heads: Sequence[Line] = ()


def read_content(
    page: Any, lines: Sequence[Line], heads: Sequence[Line], boxes: Sequence[Box], style: Style, grey: Any
) -> Content:
    """The content of a page of PyMuPDF whose lines and boxes are known; `grey` is that library's colour space."""
    strokes, grounds = read_graphics(page)
    rules = [rect for rect in (*strokes, *grounds) if is_rule(rect)]
    ink = Ink.of_page(page, grey)
    drawn = ink.without([*(_with_strokes(line) for line in lines), *rules])
    pictures = [box.rect for box in boxes if box.kind == PICTURE]
    heads = [line for line in heads if not any(rect.holds_middle(line.rect) for rect in pictures)]
    captions = without_panels(CaptionFinder(lines, boxes, style).find())
    strokes, grounds = ([rect for rect in rects if not is_rule(rect)] for rects in (strokes, grounds))
    return Content(
        page.rect.width, page.rect.height, lines, boxes, captions, strokes, grounds, rules, ink, drawn, heads
    )


def _with_strokes(line: Line) -> Rect:
    """The rectangle of a line with the strokes of its letters that stand out of it in some fonts."""
    over = 0.2 * line.size
    return line.rect.grown(over) if line.turn else line.rect.grown(0.0, over)


def is_rule(rect: Rect) -> bool:
    """Whether a drawn rectangle is a long thin line across."""
    return rect.height < _RULE and rect.width > _LONG_RULE
