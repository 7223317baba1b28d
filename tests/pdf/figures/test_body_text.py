"""Which text of a page belongs to no figure."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.figures.body_text import Block, body_blocks
from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line
from tests.pdf.figures.pages import STYLE, caption, line, page

WHOLE = Rect(70, 100, 530, 124)
RUNNING = [line(70, 100, 530), line(70, 112, 530)]
DRAWING = Rect(100, 300, 500, 500)


def blocks(*lines: Line, **given: object) -> list[Block]:
    return body_blocks(page(lines, **given), STYLE)  # type: ignore[arg-type]


def box(kind: str, rect: Rect = WHOLE) -> Box:
    return Box(rect, kind)


@pytest.mark.parametrize("kind", [kinds.TEXT, kinds.LIST_ITEM, kinds.FOOTNOTE, kinds.HEADING])
def test_running_text_is_firm_whatever_the_model_calls_it(kind: str) -> None:
    assert blocks(*RUNNING, boxes=[box(kind)]) == [Block(each.rect, True) for each in RUNNING]


def test_running_text_counts_where_the_model_sees_nothing() -> None:
    assert blocks(*RUNNING) == [Block(each.rect, True) for each in RUNNING]
    assert blocks(line(70, 100, 530)) == [Block(RUNNING[0].rect, True)]
    assert blocks(line(70, 100, 200, "two words")) == []
    assert blocks(line(70, 100, 530, size=8.5)) == []  # one line, and not of the usual size
    assert blocks(line(70, 100, 530, size=8.5), line(70, 112, 530, size=8.5)) != []


@pytest.mark.parametrize("kind", [kinds.PICTURE, kinds.TABLE])
def test_text_in_pictures_and_tables_is_theirs(kind: str) -> None:
    assert blocks(*RUNNING, boxes=[box(kind)]) == []


@pytest.mark.parametrize(
    ("number", "top", "is_block"),
    [("", 130, True), ("", 163, True), ("", 165, False), ("1", 130, False), ("", 60, True), ("", 40, False)],
)
def test_a_table_is_one_if_its_nearest_caption_says_so(number: str, top: float, is_block: bool) -> None:
    found = blocks(boxes=[box(kinds.TABLE)], captions=[caption(70, top, 300, top + 10, number)])
    assert found == ([Block(WHOLE, True)] if is_block else [])


def test_of_two_captions_the_nearer_one_tells_what_a_table_is() -> None:
    figure, table = caption(70, 130, 300, 140, "1"), caption(70, 75, 300, 85, "")
    assert blocks(boxes=[box(kinds.TABLE)], captions=[figure, table]) == []
    assert blocks(boxes=[box(kinds.TABLE)], captions=[caption(70, 145, 300, 155, "1"), table]) != []
    assert blocks(boxes=[box(kinds.TABLE)], captions=[caption(540, 130, 590, 140, "")]) == []


def test_ruled_tables_and_running_heads_are_firm() -> None:
    head = line(70, 30, 300, "Speeds by A. Author")
    assert blocks(head, heads=[head]) == [Block(head.rect, True)]
    rules = [Rect(70, 120, 530, 121), Rect(70, 200, 530, 201)]
    assert blocks(captions=[caption(70, 100, 300, 110, "")], drawn=rules) == [Block(Rect(70, 120, 530, 201), True)]


def test_turned_lines_and_those_of_captions_are_no_body() -> None:
    assert blocks(*(line(70, top, 530, turn=90) for top in (100, 112))) == []


def test_text_over_a_picture_is_running_text_only_if_it_reads_like_it() -> None:
    picture = box(kinds.PICTURE, Rect(60, 90, 540, 400))
    text = box(kinds.TEXT)
    assert blocks(*RUNNING, boxes=[text, picture]) == [Block(each.rect, True) for each in RUNNING]
    label = line(70, 100, 200, "a label")
    assert blocks(label, boxes=[box(kinds.TEXT, Rect(70, 100, 200, 110)), picture]) == []


def test_text_in_a_frame_is_the_figures() -> None:
    frame = Rect(60, 90, 540, 240)
    sides = [Rect(60, 90, 62, 240), Rect(538, 90, 540, 240)]
    assert blocks(*RUNNING, boxes=[box(kinds.TEXT)], white=[frame], drawn=sides) == []
    assert blocks(*RUNNING, boxes=[box(kinds.TEXT)], white=[frame]) != []  # a white ground is no frame
    assert blocks(*RUNNING, boxes=[box(kinds.TEXT)], white=[frame], drawn=sides[:1]) != []
    whole = Rect(20, 20, 580, 780)  # nor is one around the page
    edges = [Rect(20, 20, 22, 780), Rect(578, 20, 580, 780)]
    assert blocks(*RUNNING, boxes=[box(kinds.TEXT)], white=[whole], drawn=edges) != []


def test_code_is_no_body() -> None:
    code = [line(70, top, 530, font="Courier") for top in (100, 112)]
    assert blocks(*code, boxes=[box(kinds.TEXT)]) == []


@pytest.mark.parametrize(
    ("text", "kind", "size", "is_body"),
    [
        ("(a) Loss", kinds.CAPTION, 10.0, False),
        ("(a) Loss", kinds.TEXT, 8.0, False),
        ("(a) Loss", kinds.TEXT, 10.0, False),
        ("Loss of both", kinds.TEXT, 10.0, True),
    ],
)
def test_captions_of_panels_are_the_figures(text: str, kind: str, size: float, is_body: bool) -> None:
    short = line(70, 100, 170, text, size)
    assert bool(blocks(short, boxes=[box(kind, Rect(70, 100, 170, 112))])) is is_body


def test_an_item_of_a_list_may_begin_like_the_caption_of_a_panel() -> None:
    item = [line(70, 100, 530, f"(a) {RUNNING[0].text}"), line(70, 112, 530)]
    assert blocks(*item, boxes=[box(kinds.LIST_ITEM)]) == [Block(each.rect, True) for each in item]


@pytest.mark.parametrize(
    ("short", "is_body"),
    [
        (line(70, 400, 200, "two words"), True),
        (line(70, 400, 120, "one"), False),
        (line(200, 400, 300, "two words"), True),  # in the font of running text
        (line(200, 400, 300, "two words", font="Sans"), False),
        (line(200, 400, 300, "two words", size=8.0), False),
        (line(70, 400, 200, "Results", size=14.0), True),  # a heading at the edge of a column
        (line(70, 400, 120, "Results", font="Sans", bold=True), True),
        (line(200, 400, 400, "Results", size=14.0), True),  # one in the middle of it
        (line(150, 400, 250, "Results", size=14.0), False),
        (line(70, 20, 200, "two words"), True),  # heights do not matter
        (line(20, 400, 60, "two words"), False),  # the margin does
    ],
)
def test_short_text_is_body_where_it_is_set_as_such(short: Line, is_body: bool) -> None:
    assert bool(blocks(short, boxes=[box(kinds.TEXT, short.rect)])) is is_body


def test_short_text_beside_a_drawing_is_a_label_of_it() -> None:
    label = line(70, 290, 170, "two words")
    given = {"boxes": [box(kinds.TEXT, label.rect)]}
    assert blocks(label, **given) != []
    assert blocks(label, **given, drawn=[Rect(70, 305, 500, 500)]) == []
    assert blocks(label, **given, drawn=[Rect(70, 315, 500, 500)]) != []


def test_formulas_headers_and_titles_are_body_without_being_firm_text() -> None:
    short = line(200, 400, 260, "E=mc")
    for kind in (kinds.PAGE_HEADER, kinds.PAGE_FOOTER, kinds.FOOTNOTE, kinds.TITLE):
        assert blocks(short, boxes=[box(kind, short.rect)]) == [Block(short.rect, True)]
    assert blocks(short, boxes=[box(kinds.FORMULA, short.rect)]) == [Block(short.rect, False)]
    margin = line(10, 400, 60, "E=mc")
    assert blocks(margin, boxes=[box(kinds.FORMULA, margin.rect)]) == []


def test_text_is_firm_only_in_the_usual_font_and_at_the_edge_of_a_column() -> None:
    other = [line(70, top, 530, font="Sans") for top in (100, 112)]
    assert {block.firm for block in blocks(*other, boxes=[box(kinds.TEXT)])} == {False}
    for x0, firm in ((67.0, True), (65.0, False), (93.0, True), (95.0, False)):
        moved = [line(x0, top, 530) for top in (100, 112)]
        assert {block.firm for block in blocks(*moved, boxes=[box(kinds.TEXT, WHOLE.grown(10))])} == {firm}


def test_a_short_line_of_a_paragraph_that_stands_in_a_drawing_is_its_label() -> None:
    stray = line(300, 124, 360, "a label")
    whole = box(kinds.TEXT, Rect(70, 100, 530, 140))
    drawn = [Rect(290, 136, 500, 300)]
    assert [block.rect for block in blocks(*RUNNING, stray, boxes=[whole], drawn=drawn)] == [x.rect for x in RUNNING]
    assert len(blocks(*RUNNING, stray, boxes=[whole])) == 3
    assert len(blocks(*RUNNING, line(70, 124, 130, "of it."), boxes=[whole], drawn=[Rect(60, 136, 500, 300)])) == 3
