"""Rectangles: edges count as inside, and what only touches does not overlap."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.page.geometry import Rect, union

ONE = Rect(0, 0, 10, 20)


@pytest.mark.parametrize(
    ("other", "meets"),
    [
        (Rect(5, 10, 25, 30), True),
        (Rect(10, 0, 20, 20), False),
        (Rect(0, 20, 10, 30), False),
        (Rect(9, 25, 25, 30), False),
        (Rect(15, 10, 25, 30), False),
    ],
)
def test_what_only_touches_does_not_overlap(other: Rect, meets: bool) -> None:
    assert ONE.meets(other) is meets
    assert other.meets(ONE) is meets


@pytest.mark.parametrize(
    ("middle", "held"),
    [((0, 0), True), ((10, 20), True), ((10, 0), True), ((5, 5), True), ((-1, 5), False), ((11, 5), False),
     ((5, -1), False), ((5, 21), False)],
)  # fmt: skip
def test_a_middle_on_the_edge_lies_inside(middle: tuple[int, int], held: bool) -> None:
    x, y = middle
    assert ONE.holds_middle(Rect(x - 1, y - 1, x + 1, y + 1)) is held


@pytest.mark.parametrize("edge", range(4))
def test_a_point_of_slack_at_each_edge(edge: int) -> None:
    out = -1 if edge < 2 else 1
    for points, held in ((1, True), (1.5, False)):
        values = list(ONE)
        values[edge] += out * points
        assert ONE.holds(Rect(*values)) is held
        assert ONE.holds(Rect(*values), slack=2.0)


def test_sizes_and_common_parts() -> None:
    assert (ONE.width, ONE.height, ONE.area, ONE.middle) == (10, 20, 200, (5, 10))
    assert Rect(10, 0, 0, 20).area == 0 and Rect(0, 20, 10, 0).area == 0 and Rect(10, 20, 0, 0).area == 0
    assert ONE.shared_width(Rect(13, 0, 20, 1)) == -3 and ONE.shared_height(Rect(0, 25, 1, 30)) == -5
    assert ONE.cut(Rect(5, -5, 25, 15)) == Rect(5, 0, 10, 15)
    assert Rect(0, 0, 0, 5).share(ONE) == 0.0 and Rect(0, 0, 20, 20).share(ONE) == 0.5
    assert ONE.grown(2) == Rect(-2, -2, 12, 22) and ONE.grown(2, 0) == Rect(-2, 0, 12, 20)
    assert union([Rect(1, 2, 3, 4), Rect(0, 3, 2, 9), Rect(2, 1, 8, 3)]) == Rect(0, 1, 8, 9)
