"""Paragraphs from lines and boxes put together by hand."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.document_style import Style, Styles
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line
from data_juicer_ext.pdf.text.line_joining import Words
from data_juicer_ext.pdf.text.paragraphs import Page, paragraphs, reading_order
from tests.pdf.figures.pages import STYLE, TWO_COLUMNS, line

LONG = "the rate of the reaction depends on the heat"


def box(top: float, bottom: float, kind: str = kinds.TEXT, x0: float = 70, x1: float = 530) -> Box:
    return Box(Rect(x0, top, x1, bottom), kind)


def read(*pages: tuple[list[Line], list[Box]], style: Style = STYLE, **given: object) -> list[str]:
    taken, heads = given.get("taken", ()), given.get("heads", ())
    made = [Page(number, lines, boxes, taken, heads) for number, (lines, boxes) in enumerate(pages)]  # type: ignore[arg-type]
    return [paragraph.text for paragraph in paragraphs(made, Styles(style, style), Words())]


def test_columns_are_read_one_after_the_other_up_to_a_box_across() -> None:
    left, right = box(100, 200, x0=70, x1=290), box(90, 200, x0=310, x1=530)
    low = box(300, 400, x0=70, x1=290)
    across = box(220, 260)
    assert reading_order([right, low, across, left], TWO_COLUMNS) == [left, right, across, low]
    assert reading_order([right, low, left], TWO_COLUMNS) == [left, low, right]
    assert reading_order([low, left], STYLE) == [low, left]
    title = box(20, 40, x0=150, x1=330)  # reaches 20 points into the other column
    assert reading_order([right, left, title], TWO_COLUMNS) == [title, left, right]
    heading = box(95, 99, x0=70, x1=320)  # 10 points only
    assert reading_order([right, heading, left], TWO_COLUMNS) == [heading, left, right]


@pytest.mark.parametrize(
    ("end", "start", "count"),
    [
        ("it goes", "on with it", 1),
        ("it goes", "On with it", 1),
        ("it ends.", "Next begins", 2),
        ("it ends.", "next goes on", 2),  # far below the last line
        ("as follows:", "Next begins", 2),
        ("it ends.”", "Next begins", 2),
        ("it ends. [3,4]", "Next begins", 2),
        ("it ends.12", "Next begins", 2),
        ("it goes", "Note: of the table", 1),
    ],
)
def test_a_paragraph_goes_on_in_the_next_box_unless_it_has_ended(end: str, start: str, count: int) -> None:
    lines = [line(70, 100, 530, end), line(70, 200, 530, start)]
    assert len(read((lines, [box(98, 112), box(198, 212)]))) == count


def test_a_paragraph_goes_on_over_the_page() -> None:
    first = ([line(70, 700, 530, "it goes")], [box(698, 712)])
    second = ([line(70, 60, 530, "on with it.")], [box(58, 72)])
    assert read(first, second) == ["it goes on with it."]
    ended = ([line(70, 700, 530, "it ends.")], [box(698, 712)])
    assert read(ended, second) == ["it ends. on with it."]  # a small letter begins no paragraph


def test_where_a_paragraph_begins_and_under_which_heading() -> None:
    pages = [
        ([line(70, 100, 530, "1 Methods"), line(70, 120, 530, "it goes")],
         [box(98, 112, kinds.HEADING), box(118, 132)]),
        ([line(70, 60, 530, "on."), line(70, 90, 530, "2 Results"), line(70, 120, 530, "We see.")],
         [box(58, 72), box(88, 102, kinds.HEADING), box(118, 132)]),
    ]  # fmt: skip
    made = [Page(number, lines, boxes, (), ()) for number, (lines, boxes) in enumerate(pages)]
    found = paragraphs(made, Styles(STYLE, STYLE), Words())
    assert [(each.text, each.page, each.section) for each in found] == [
        ("it goes on.", 1, "1 Methods"), ("We see.", 2, "2 Results")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "heading", ["References", "7. REFERENCES", "Bibliography", "VI Works cited", "Literature Cited:"]
)
def test_bibliographies_are_left_out_up_to_the_next_heading(heading: str) -> None:
    lines = [
        line(70, top, 530, text) for top, text in ((100, heading), (120, "[1] A."), (150, "A Proofs"), (170, "We."))
    ]
    boxes = [box(98, 112, kinds.HEADING), box(118, 132), box(148, 162, kinds.HEADING), box(168, 182)]
    assert read((lines, boxes)) == ["We."]


@pytest.mark.parametrize("kind", [kinds.PAGE_FOOTER, kinds.PICTURE, kinds.TABLE, kinds.PAGE_HEADER])
def test_footers_pictures_tables_and_headers_are_no_text(kind: str) -> None:
    assert read(([line(70, 100, 200, "Speeds")], [box(98, 112, kind)])) == []


def test_a_last_line_that_is_taken_for_a_header_is_text() -> None:
    assert read(([line(70, 100, 530, LONG)], [box(98, 112, kinds.PAGE_HEADER)])) == [LONG]
    assert read(([line(70, 100, 530, LONG, font="Sans")], [box(98, 112, kinds.PAGE_HEADER)])) == []
    assert read(([line(70, 100, 530, LONG, size=8.0)], [box(98, 112, kinds.PAGE_HEADER)])) == []


def test_lines_of_figures_heads_turned_lines_and_line_numbers_are_left_out() -> None:
    kept = line(70, 100, 530, "We see.")
    number, turned, head = line(30, 100, 40, "17"), line(70, 112, 530, "turned", turn=90), line(70, 124, 530, "head")
    taken = line(70, 136, 530, "a caption")
    lines = [kept, number, turned, head, taken]
    whole = Box(Rect(20, 90, 540, 150), kinds.TEXT)
    assert read((lines, [whole]), heads=[head], taken=[taken.rect]) == ["We see."]
    assert read(([line(70, 100, 90, "17")], [whole])) == ["17"]


def test_a_formula_within_a_sentence_leaves_a_mark() -> None:
    lines = [line(70, 100, 530, "it is given by"), line(200, 112, 300, "v=aT"), line(70, 124, 530, "where a is known.")]
    boxes = [box(98, 111), box(112, 122, kinds.FORMULA), box(123, 136)]
    assert read((lines, boxes)) == ["it is given by […] where a is known."]
    assert read((lines[1:], boxes[1:])) == ["where a is known."]


def test_items_of_a_list_are_paragraphs_of_their_own() -> None:
    lines = [line(70, 100, 530, "We see:"), line(80, 112, 530, "• the one"), line(80, 124, 530, "• the other")]
    boxes = [box(98, 111), box(112, 123, kinds.LIST_ITEM), box(124, 136, kinds.LIST_ITEM)]
    assert read((lines, boxes)) == ["We see:", "• the one", "• the other"]
    one = [line(70, 100, 530, "We see."), line(70, 112, 530, "(a) the one.")]
    assert read((one, [box(98, 124)])) == ["We see.", "(a) the one."]


def test_more_white_than_usual_begins_a_paragraph() -> None:
    for pitch, count in ((12, 1), (17, 1), (19, 2)):
        lines = [line(70, 100, 530, "We see."), line(70, 100 + pitch, 530, "It is.")]
        assert len(read((lines, [box(98, 140)]))) == count
        goes_on = [line(70, 100, 530, "We see"), line(70, 100 + pitch, 530, "It is.")]
        assert len(read((goes_on, [box(98, 140)]))) == 1


def test_indents_begin_paragraphs_in_a_document_that_uses_them() -> None:
    lines = []
    for number in range(4):
        lines += [line(90, 100 + 24 * number, 530, f"We see {number}"), line(70, 112 + 24 * number, 530, "so it is.")]
    assert len(read((lines, [box(90, 300)]))) == 4
    assert len(read((lines[:4], [box(90, 300)]))) == 1  # too few to tell


def test_notes_of_figures_and_tables_are_no_paragraphs() -> None:
    for note in ("Note: measured twice.", "Notes : measured twice.", "Source: ours."):
        lines = [line(70, 100, 530, "it goes"), line(70, 112, 530, note), line(70, 130, 530, "We see.")]
        assert read((lines, [box(98, 111), box(111, 124), box(128, 142)])) == ["it goes", "We see."]


def test_a_lead_in_bold_begins_a_paragraph() -> None:
    lines = [line(70, 100, 530, "It ends."), line(70, 112, 530, "Speed. we see", lead="Bold", bold=True)]
    assert len(read((lines, [box(98, 111), box(111, 124)]))) == 2
    plain = [line(70, 100, 530, "It ends."), line(70, 112, 530, "speed we see")]
    assert len(read((plain, [box(98, 111), box(111, 124)]))) == 1
