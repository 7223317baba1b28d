"""What of a region makes one figure, on pages put together by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from data_juicer_ext.pdf.figures.drawings import ABOVE, BELOW, Drawings
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line
from tests.pdf.figures.pages import STYLE, line, page

REGION = Rect(70, 100, 530, 600)


def drawings(
    drawn: Sequence[Rect] = (), labels: Sequence[Line] = (), lines: Sequence[Line] = (), blocks: Sequence[Rect] = (),
    grounds: Sequence[Rect] = (), white: Sequence[Rect] = (),
) -> Drawings:  # fmt: skip
    return Drawings(page([*lines, *labels], drawn=drawn, grounds=grounds, white=white), STYLE, labels, blocks)


@pytest.mark.parametrize(
    ("region", "found"),
    [
        (Rect(150, 200, 165, 215), True), (Rect(150, 200, 164, 215), False), (Rect(150, 200, 165, 214), False),
        (Rect(250, 200, 265, 215), False),
    ],
)  # fmt: skip
def test_a_region_is_15_points_wide_and_high_at_the_least(region: Rect, found: bool) -> None:
    assert (drawings([Rect(100, 150, 200, 300)]).drawn(region, ABOVE) is not None) == found


@pytest.mark.parametrize(
    ("rect", "found"),
    [
        (Rect(150, 200, 154, 208), True),  # 32 square points in all, 8 high
        (Rect(150, 200, 153, 209), False),  # 27
        (Rect(150, 200, 153, 210), True),  # 30
        (Rect(150, 200, 180, 207), False),  # 7 high
    ],
)
def test_a_drawing_has_30_square_points_of_ink_and_is_8_points_high(rect: Rect, found: bool) -> None:
    assert (drawings([rect]).drawn(REGION, ABOVE) is not None) == found


@pytest.mark.parametrize("side", [ABOVE, BELOW])
@pytest.mark.parametrize(("gap", "together"), [(72, True), (73, False)])
def test_parts_belong_together_up_to_72_points_of_white(side: str, gap: int, together: bool) -> None:
    upper, lower = Rect(150, 200, 450, 300), Rect(150, 300 + gap, 450, 450)
    found = drawings([upper, lower]).drawn(REGION, side)
    assert found is not None
    assert (found.y0, found.y1) == ((200, 450) if together else (lower.y0, 450) if side == ABOVE else (200, 300))


@pytest.mark.parametrize("side", [ABOVE, BELOW])
@pytest.mark.parametrize(("middle", "together"), [(301, True), (399, True), (299, False), (401, False)])
def test_a_label_in_the_white_between_two_parts_ties_them(side: str, middle: int, together: bool) -> None:
    label = line(160, middle - 1, 200, "slow", size=2.0)
    found = drawings([Rect(150, 200, 450, 300), Rect(150, 400, 450, 500)], [label]).drawn(REGION, side)
    assert found is not None and (found.height > 250) == together


@pytest.mark.parametrize(("side", "edge"), [(ABOVE, 100), (BELOW, 600)])
@pytest.mark.parametrize(
    ("gap", "height", "left_out"), [(0, 4, True), (4, 4, True), (0, 5, False), (5, 4, False), (5, 5, False)]
)
def test_ink_of_4_points_at_the_far_edge_is_of_the_text_there(
    side: str, edge: int, gap: int, height: int, left_out: bool
) -> None:
    top = edge + gap if side == ABOVE else edge - gap - height
    remnant = Rect(150, top, 180, top + height)
    rest = Rect(150, 140, 450, 200) if side == ABOVE else Rect(150, 500, 450, 560)
    found = drawings([remnant, rest]).drawn(REGION, side)
    assert found is not None and (found.height == 60) == left_out


@pytest.mark.parametrize(("rest", "part"), [(71, True), (72, False), (73, False)])
@pytest.mark.parametrize("side", [ABOVE, BELOW])
def test_text_between_a_drawing_and_its_caption_is_part_of_it_where_it_is_near(
    side: str, rest: int, part: bool
) -> None:
    drawn = Rect(150, 200, 450, 600 - rest) if side == ABOVE else Rect(150, 100 + rest, 450, 400)
    label = line(160, drawn.y1 + 30, 260, "(a) Slow") if side == ABOVE else line(160, drawn.y0 - 40, 260, "(a) Slow")
    found = drawings([drawn], [label]).drawn(REGION, side)
    assert found is not None and (found.height >= drawn.height + 30) == part


@pytest.mark.parametrize(
    ("text", "font", "size", "reach"),
    [
        ("slow", "Roman", 10.0, 12), ("slow", "Roman", 8.5, 12), ("slow", "Roman", 8.4, 24),
        ("(a) slow", "Roman", 10.0, 24), ("slow", "Courier", 10.0, 24),
    ],
)  # fmt: skip
def test_labels_are_close_by_12_points_small_ones_panels_and_code_by_24(
    text: str, font: str, size: float, reach: int
) -> None:
    drawn = Rect(150, 200, 400, 350)
    for gap, part in ((reach - 1, True), (reach, False)):
        label = line(400 + gap, 270, 480, text, size, font=font)
        found = drawings([drawn], [label]).finished(drawn, REGION)
        assert (found.x1 == 480) == part, gap


def test_a_label_of_a_label_is_part_of_it_within_the_region() -> None:
    drawn = Rect(150, 200, 400, 350)
    chain = [line(405, 270, 440, "slow"), line(445, 270, 480, "fast"), line(485, 270, 540, "late")]
    assert drawings([drawn], chain).finished(drawn, REGION).x1 == 531, "cut one point beyond the region"
    outside = line(160, 85, 200, "slow")
    assert drawings([Rect(150, 100, 400, 350)], [outside]).finished(Rect(150, 100, 400, 350), REGION).y0 == 100


@pytest.mark.parametrize(("gap", "found"), [(45, True), (46, False)])
@pytest.mark.parametrize("side", [ABOVE, BELOW])
def test_a_figure_of_text_is_at_most_45_points_from_its_caption(side: str, gap: int, found: bool) -> None:
    top = 600 - gap - 10 if side == ABOVE else 100 + gap
    code = line(100, top, 300, "x = 1", font="Courier")
    assert (drawings(lines=[code]).written(REGION, side) is not None) == found


@pytest.mark.parametrize(("gap", "height"), [(32, 52), (33, 10)])
@pytest.mark.parametrize("side", [ABOVE, BELOW])
def test_a_figure_of_text_ends_at_a_gap_of_32_points(side: str, gap: int, height: int) -> None:
    first = 570 if side == ABOVE else 120
    second = first - gap - 10 if side == ABOVE else first + 10 + gap
    lines = [line(100, top, 300, "x = 1", font="Courier") for top in (first, second)]
    found = drawings(lines=lines).written(REGION, side)
    assert found is not None and found.height == height


def test_running_text_is_no_figure_but_text_set_otherwise_is() -> None:
    def found(*lines: Line) -> bool:
        return drawings(lines=lines).written(REGION, ABOVE) is not None

    prose = line(70, 560, 530, "p" * 40)
    assert not found(prose)
    assert not found(prose, line(70, 575, 300, "c" * 40, font="Courier")), "just half of it is running text"
    assert found(prose, line(70, 575, 300, "c" * 41, font="Courier"))
    assert found(line(70, 560, 530, font="Courier")) and found(line(70, 560, 438))
    assert not found(line(70, 560, 439)), "more than 0.8 of the column's width"
    assert drawings([Rect(150, 560, 450, 590)]).written(REGION, ABOVE) is None, "no letters"


@pytest.mark.parametrize(("height", "found"), [(8, True), (7, False)])
def test_a_figure_of_text_is_8_points_high(height: int, found: bool) -> None:
    code = line(100, 570, 300, "x = 1", size=height, font="Courier")
    assert (drawings(lines=[code]).written(REGION, ABOVE) is not None) == found


def test_the_edge_is_in_the_middle_of_the_white_of_a_ground() -> None:
    drawn = Rect(200, 300, 400, 400)
    assert drawings([drawn]).finished(drawn, REGION) == drawn
    assert drawings([drawn], white=[Rect(180, 280, 440, 440)]).finished(drawn, REGION) == (190, 290, 420, 420)
    assert drawings([drawn], white=[Rect(180, 280, 440, 603)]).finished(drawn, REGION) == drawn, "out of the region"
    assert drawings([drawn], white=[Rect(180, 280, 440, 602)]).finished(drawn, REGION).y1 == 501
    over = drawings([drawn], white=[Rect(180, 280, 440, 440)], blocks=[Rect(430, 430, 500, 500)])
    assert over.finished(drawn, REGION) == drawn, "text stands on it too"
    wide = Rect(60, 300, 540, 400)
    found = drawings([drawn], white=[wide]).finished(drawn, Rect(0, 100, 600, 600))
    assert found == (135, 300, 465, 400), "no wider than the page's text"
