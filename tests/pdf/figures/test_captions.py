"""Captions on a page: which lines begin one, and how far it goes."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.figures.captions import Caption, CaptionFinder, without_panels
from data_juicer_ext.pdf.figures.tables import ruled_tables
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import CAPTION, TEXT, Box
from data_juicer_ext.pdf.page.lines import Line

STYLE = Style(10.0, "Roman", Rect(70, 60, 530, 740), ((70.0, 530.0),), 12.0)


def line(top: float, text: str, x0: float = 70, x1: float = 530, size: float = 10.0, **given: object) -> Line:
    font = str(given.get("font", "Roman"))
    return Line(Rect(x0, top, x1, top + size), text, size, font, str(given.get("lead", font)),
                bool(given.get("bold")), 0, 0, top + 8)  # fmt: skip


def found(*lines: Line, boxes: tuple[Box, ...] = ()) -> list[tuple[str, int]]:
    """Number and count of lines of each caption."""
    return [(caption.number, len(caption.lines)) for caption in CaptionFinder(lines, boxes, STYLE).find()]


def test_a_caption_goes_as_far_as_its_lines_are_set_alike() -> None:
    caption = [line(300, "Figure 1: The speed of the"), line(312, "reaction in the vessel.", x1=300)]
    assert found(*caption, line(345, "We measure it.")) == [("1", 2)]
    assert found(*caption, line(324, "Larger words.", size=14)) == [("1", 2)]
    assert found(*caption, line(324, "Figure 2: The heat.", lead="Bold", bold=True)) == [("1", 2), ("2", 1)]


def test_a_figure_named_at_the_start_of_a_line_does_not_end_a_caption() -> None:
    caption = [line(300, "Figure 2: The heat of the reaction of"), line(312, "Fig. 1. It is drawn in red and goes on.")]
    assert found(*caption) == [("2", 2)]


def test_the_layout_tells_how_far_a_caption_goes() -> None:
    lines = (line(300, "Figure 1. The speed."), line(318, "(a) The slow one."), line(336, "We measure it."))
    box = Box(Rect(70, 298, 530, 329), CAPTION)
    assert found(*lines, boxes=(box, Box(Rect(70, 334, 530, 400), TEXT))) == [("1", 2)]


@pytest.mark.parametrize(
    "above",
    [line(288, "and it is, as we have seen before, drawn in full in"), line(289, "a full line of running text, as in")],
)
def test_a_line_in_the_middle_of_a_paragraph_begins_none(above: Line) -> None:
    assert found(above, line(300, "Fig. 3. However, this is a sentence that goes on.")) == []
    in_sans = line(300, "Fig. 3. However, this is a sentence that goes on.", lead="Sans")
    far = line(80, "Far above.")
    assert found(far, in_sans) == [("3", 1)] and found(far, above, in_sans) == []
    bold = line(300, "Fig. 3. However, this is a caption.", lead="Bold", bold=True)
    assert found(above, bold) == [("3", 1)]


def test_other_captions_have_no_number() -> None:
    assert found(line(300, "Table 2: The speeds."), line(400, "Algorithm 1: The way")) == [("", 1), ("", 1)]


def test_captions_of_panels_give_way_to_that_of_the_figure() -> None:
    rect = Rect(0, 0, 1, 1)
    captions = [Caption(number, (), rect, 1.0) for number in ("2a", "2b", "2", "3a", "")]
    assert [caption.number for caption in without_panels(captions)] == ["2", "3a", ""]


def test_tables_go_from_rule_to_rule() -> None:
    table, figure = Caption("", (), Rect(70, 100, 300, 110), 1.0), Caption("1", (), Rect(70, 400, 300, 410), 1.0)
    rules = [Rect(70, top, 530, top + 0.5) for top in (120, 135, 200, 390, 700)]
    assert ruled_tables([table, figure], rules[:3]) == [Rect(70, 120, 530, 200.5)]
    assert ruled_tables([table, figure], [rules[0], rules[4]]) == []
    assert ruled_tables([figure], rules) == []
