"""Pages put together by hand: lines, boxes of the layout model, captions, and what is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.page_content import Content, is_rule
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.drawn_ink import Ink
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line

STYLE = Style(10.0, "Roman", Rect(70, 60, 530, 740), ((70.0, 530.0),), 12.0)
TWO_COLUMNS = Style(10.0, "Roman", Rect(70, 60, 530, 740), ((70.0, 290.0), (310.0, 530.0)), 12.0)
PROSE = "we measure how the rate of the reaction depends on the heat"


def line(x0: float, y0: float, x1: float, text: str = PROSE, size: float = 10.0, **given: object) -> Line:
    """A line of text; `font`, `lead`, `bold`, `block` and `turn` as of `Line`."""
    font = str(given.get("font", "Roman"))
    return Line(Rect(x0, y0, x1, y0 + size), text, size, font, str(given.get("lead", font)),
                bool(given.get("bold")), int(str(given.get("block", 0))), int(str(given.get("turn", 0))),
                y0 + 0.8 * size)  # fmt: skip


def caption(x0: float, y0: float, x1: float, y1: float, number: str = "1") -> Caption:
    """A caption of a figure, of a table where `number` is ""."""
    return Caption(number, (), Rect(x0, y0, x1, y1), 0.9)


def page(
    lines: Sequence[Line] = (),
    boxes: Sequence[Box] = (),
    captions: Sequence[Caption] = (),
    drawn: Sequence[Rect] = (),
    grounds: Sequence[Rect] = (),
    heads: Sequence[Line] = (),
    white: Sequence[Rect] = (),
) -> Content:
    """A page of 600 x 800 points: `drawn` and `grounds` are inked, `white` is not."""
    ink = np.zeros((800, 600), dtype=bool)
    shown = np.zeros((800, 600), dtype=bool)
    for rect in (*drawn, *grounds):
        x0, y0, x1, y1 = map(round, rect)
        ink[y0:y1, x0:x1] = not is_rule(rect)
        shown[y0:y1, x0:x1] = True
    for rect in (*(each.rect for each in (*lines, *heads)), *(each.rect for each in captions)):
        x0, y0, x1, y1 = map(round, rect)
        shown[y0:y1, x0:x1] = True
    rules = [rect for rect in drawn if is_rule(rect)]
    strokes = [rect for rect in drawn if not is_rule(rect)]
    return Content(
        600.0, 800.0, list(lines), list(boxes), list(captions), strokes, [*grounds, *white], rules, Ink(shown),
        Ink(ink), list(heads),
    )  # fmt: skip
