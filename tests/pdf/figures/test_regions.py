"""Where the figure of a caption may stand, on pages put together by hand."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.page_content import Content
from data_juicer_ext.pdf.figures.regions import RegionFinder
from data_juicer_ext.pdf.page import layout_model as kinds
from data_juicer_ext.pdf.page.document_style import Style
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.layout_model import Box
from data_juicer_ext.pdf.page.lines import Line
from tests.latex.printed import near
from tests.pdf.figures.pages import STYLE, TWO_COLUMNS, caption, line, page

OWN = caption(70, 400, 530, 420)


def prose(x0: float, top: float, x1: float, bottom: float) -> list[Line]:
    """Running text in the rectangle."""
    return [line(x0, y0, x1) for y0 in range(round(top), round(bottom) - 9, 12)]


def sides(content: Content, style: Style = STYLE, of: Caption = OWN) -> dict[str, Rect]:
    """What may be the caption's figure, by the side of the caption that it is on."""
    return {found.side: found.rect for found in RegionFinder(content, style).candidates(of)}


def test_a_drawing_above_and_one_below_are_both_candidates() -> None:
    found = sides(page(captions=[OWN], drawn=[Rect(150, 200, 450, 390), Rect(150, 430, 450, 600)]))
    assert set(found) == {"above", "below"}
    assert near(found["above"], (150, 200, 450, 390)) and near(found["below"], (150, 430, 450, 600))


def test_a_region_ends_at_text_and_at_other_captions() -> None:
    drawn = [Rect(150, 100, 450, 190), Rect(150, 250, 450, 390)]
    assert near(sides(page(prose(70, 200, 530, 245), captions=[OWN], drawn=drawn))["above"], (150, 250, 450, 390))
    other = caption(70, 200, 530, 220, "2")
    assert near(sides(page(captions=[OWN, other], drawn=drawn))["above"], (150, 250, 450, 390))
    assert near(sides(page(captions=[OWN], drawn=drawn))["above"], (150, 100, 450, 390))


def test_parts_that_are_far_apart_are_no_figure_together_unless_a_label_stands_between() -> None:
    drawn = [Rect(150, 100, 450, 200), Rect(150, 280, 450, 390)]
    assert near(sides(page(captions=[OWN], drawn=drawn))["above"], (150, 280, 450, 390))
    label = line(280, 230, 320, "slow", size=8.0)
    assert near(sides(page([label], captions=[OWN], drawn=drawn))["above"], (150, 100, 450, 390))


@pytest.mark.parametrize("rect", [Rect(150, 386, 450, 390), Rect(200, 380, 202, 392), Rect(150, 396, 450, 397)])
def test_what_is_too_small_or_a_rule_is_no_figure(rect: Rect) -> None:
    assert "above" not in sides(page(captions=[OWN], drawn=[rect]))


def test_labels_close_to_a_drawing_are_part_of_it_and_others_are_not() -> None:
    drawn = [Rect(150, 200, 400, 350)]
    for x0, part in ((406, True), (410, True), (414, False)):
        label = line(x0, 270, 440, "slow")
        assert near(sides(page([label], captions=[OWN], drawn=drawn))["above"], (150, 200, 440 if part else 400, 350))
    small = line(420, 270, 440, "slow", size=8.0)
    assert near(sides(page([small], captions=[OWN], drawn=drawn))["above"], (150, 200, 440, 350))
    number = line(540, 270, 550, "17")  # of a line, in the margin
    assert near(sides(page([number], captions=[OWN], drawn=[Rect(150, 200, 535, 350)]))["above"], (150, 200, 535, 350))


def test_the_names_of_panels_between_drawing_and_caption_are_part_of_it() -> None:
    names = [line(180, 370, 260, "(a) Slow"), line(340, 370, 420, "(b) Fast")]
    found = sides(page(names, captions=[OWN], drawn=[Rect(150, 200, 450, 340)]))
    assert near(found["above"], (150, 200, 450, 380))


def test_a_drawing_beside_a_caption() -> None:
    own = caption(330, 300, 530, 340)
    content = page(captions=[own], drawn=[Rect(80, 200, 300, 400)])
    assert near(sides(content, of=own)["left"], (80, 200, 300, 400))
    own = caption(70, 300, 270, 340)
    content = page(captions=[own], drawn=[Rect(300, 200, 520, 400)])
    assert near(sides(content, of=own)["right"], (300, 200, 520, 400))


def test_text_beside_a_caption_leaves_no_room_for_a_figure_there() -> None:
    own = caption(330, 300, 530, 340)
    drawn = [Rect(80, 100, 300, 220)]
    assert "left" not in sides(page(prose(70, 290, 300, 350), captions=[own], drawn=drawn), TWO_COLUMNS, own)
    assert "left" not in sides(page(captions=[own], drawn=drawn), of=own)  # all above the caption
    assert "left" not in sides(page(captions=[OWN], drawn=[Rect(10, 300, 60, 500)]))  # no room


def test_a_figure_beside_a_caption_ends_at_the_text_above_and_below_both() -> None:
    own = caption(330, 300, 530, 340)
    text = [*prose(70, 100, 530, 180), *prose(70, 420, 530, 500)]
    found = sides(page(text, captions=[own], drawn=[Rect(80, 200, 300, 400)]), of=own)
    assert near(found["left"], (80, 200, 300, 400))


def test_a_figure_keeps_to_its_column_unless_it_crosses_into_the_other() -> None:
    own = caption(75, 400, 285, 420)
    beside = prose(310, 100, 530, 500)
    narrow = sides(page(beside, captions=[own], drawn=[Rect(80, 200, 280, 390)]), TWO_COLUMNS, own)
    assert near(narrow["above"], (80, 200, 280, 390))
    two = [Rect(80, 200, 280, 390), Rect(320, 200, 520, 390)]
    assert near(sides(page(captions=[own], drawn=two), TWO_COLUMNS, own)["above"], (80, 200, 280, 390))
    wide = [Rect(80, 200, 520, 390)]
    assert near(sides(page(captions=[own], drawn=wide), TWO_COLUMNS, own)["above"], (80, 200, 520, 390))
    ground = page(captions=[own], grounds=wide)
    assert near(sides(ground, TWO_COLUMNS, own)["above"], (80, 200, 520, 390))


def test_a_picture_of_the_layout_model_tells_that_a_figure_crosses_columns() -> None:
    own = caption(75, 400, 285, 420)
    marks = [Rect(x, 200, x + 20, 390) for x in range(80, 520, 40)]
    assert near(sides(page(captions=[own], drawn=marks), TWO_COLUMNS, own)["above"], (80, 200, 300, 390))
    boxes = [Box(Rect(75, 195, 525, 395), kinds.PICTURE)]
    crossing = page(captions=[own], drawn=marks, boxes=boxes)
    assert near(sides(crossing, TWO_COLUMNS, own)["above"], (80, 200, 500, 390))


def test_what_reaches_over_text_does_not_make_a_figure_wide() -> None:
    own = caption(75, 400, 285, 420)
    text = prose(310, 250, 530, 390)
    over = page(text, captions=[own], drawn=[Rect(80, 200, 280, 390)], white=[Rect(75, 190, 535, 395)])
    assert near(sides(over, TWO_COLUMNS, own)["above"], (80, 200, 280, 390))


def test_figures_of_captions_side_by_side_part_in_the_white_between_them() -> None:
    own, other = caption(80, 400, 250, 420), caption(330, 400, 500, 420, "2")
    content = page(captions=[own, other], drawn=[Rect(80, 200, 310, 390), Rect(330, 200, 500, 390)])
    assert near(sides(content, of=own)["above"], (80, 200, 310, 390))
    assert near(sides(content, of=other)["above"], (330, 200, 500, 390))
    below = page(captions=[own, other], drawn=[Rect(80, 430, 310, 600), Rect(330, 430, 500, 600)])
    assert near(sides(below, of=own)["below"], (80, 430, 310, 600))
    assert near(sides(below, of=other)["below"], (330, 430, 500, 600))


def test_code_is_a_candidate_where_nothing_is_drawn_and_prose_is_not() -> None:
    code = [line(90, top, 300, "speed = 2 * heat", font="Courier") for top in range(250, 390, 12)]
    [found] = RegionFinder(page(code, captions=[OWN]), STYLE).candidates(OWN)
    assert (found.side, found.drawn) == ("above", False) and near(found.rect, (90, 250, 300, 392))
    far = [line(90, top, 300, "speed = 2 * heat", font="Courier") for top in range(150, 340, 12)]
    assert sides(page(far, captions=[OWN])) == {}
    assert sides(page(prose(70, 250, 530, 390), captions=[OWN])) == {}


def test_code_ends_at_a_wide_gap() -> None:
    code = [
        line(90, top, 300, "speed = 2 * heat", font="Courier") for top in (*range(200, 260, 12), *range(300, 390, 12))
    ]
    [found] = RegionFinder(page(code, captions=[OWN]), STYLE).candidates(OWN)
    assert near(found.rect, (90, 300, 300, 394))


def test_a_page_with_a_drawing_and_nothing_else() -> None:
    drawn = [Rect(80, 60, 520, 700)]
    alone = RegionFinder(page(drawn=drawn), STYLE).alone()
    assert alone is not None and near(alone.rect, (80, 60, 520, 700))
    assert RegionFinder(page(drawn=drawn, captions=[caption(70, 720, 530, 740)]), STYLE).alone() is None
    assert RegionFinder(page(prose(70, 720, 530, 760), drawn=drawn), STYLE).alone() is None
    assert RegionFinder(page(drawn=[Rect(80, 60, 200, 180)]), STYLE).alone() is None  # a logo
    assert RegionFinder(page(), STYLE).alone() is None


def test_running_heads_are_no_part_of_a_drawing_on_a_page_of_its_own() -> None:
    heads = [line(70, 30, 530, "Speeds by A. Author"), line(290, 760, 310, "17")]
    alone = RegionFinder(page(heads=heads, drawn=[Rect(80, 60, 520, 700)]), STYLE).alone()
    assert alone is not None and near(alone.rect, (80, 60, 520, 700))


def test_the_white_of_a_picture_is_its_own_up_to_the_middle() -> None:
    content = page(captions=[OWN], drawn=[Rect(200, 250, 400, 350)], white=[Rect(180, 210, 420, 390)])
    assert sides(content)["above"] == Rect(190, 230, 410, 370)
    over_text = page(prose(70, 150, 530, 180), captions=[OWN], drawn=[Rect(200, 250, 400, 350)],
                     white=[Rect(180, 170, 420, 390)])  # fmt: skip
    assert sides(over_text)["above"] == Rect(200, 250, 400, 350)


def test_text_elsewhere_does_not_hide_text_beside_a_caption() -> None:
    own = caption(330, 300, 530, 340)
    elsewhere, beside = prose(330, 500, 530, 550), prose(70, 290, 300, 350)
    drawn = [Rect(80, 360, 300, 480), Rect(80, 150, 300, 280)]
    assert "left" in sides(page(elsewhere, captions=[own], drawn=[Rect(80, 200, 300, 400)]), TWO_COLUMNS, own)
    assert "left" not in sides(page([*elsewhere, *beside], captions=[own], drawn=drawn), TWO_COLUMNS, own)
