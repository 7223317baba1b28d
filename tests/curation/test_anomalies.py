"""S2: what stands out from a paper, on each side of its threshold."""

from __future__ import annotations

import pytest

from data_juicer_ext.curation.anomalies import flag_anomalies
from data_juicer_ext.curation.findings import Item
from data_juicer_ext.curation.thresholds import Rules
from tests.figures.charts import item

PAGE = {1: (600.0, 800.0)}


def placed(number: str, *bbox: float, page: int = 1) -> Item:
    return item(number, page=page, bbox=bbox)


def reasons(items: list[Item], sizes: dict[int, tuple[float, float]] | None = None) -> list[list[str]]:
    flag_anomalies(items, items, Rules(), sizes or {})
    return [[mark.reason for mark in one.marks] for one in items]


@pytest.mark.parametrize(("height", "expected"), [(300, []), (301, ["oversized"])])
def test_three_medians_and_more(height: float, expected: list[str]) -> None:
    items = [placed(str(n), 0, 0, 100, 100) for n in (1, 2, 3)] + [placed("4", 0, 0, 100, height)]
    assert reasons(items) == [[], [], [], expected]


def test_without_boxes_the_pixels_count() -> None:
    small = [item(str(n), 100, 100) for n in (1, 2)]
    assert reasons([*small, item("3", 300, 100)]) == [[], [], []]
    assert reasons([*small, item("3", 301, 100)])[2] == ["oversized"]


def test_boxes_and_pixels_are_not_mixed() -> None:
    items = [placed("1", 0, 0, 10, 10), placed("2", 0, 0, 10, 10), item("3", 1000, 1000), item("4", 1000, 1000)]
    assert reasons(items) == [[], [], [], []]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((15, 100, 585, 300), []),
        ((14, 100, 586, 300), ["width_overflow"]),
        ((100, 20, 200, 780), []),
        ((100, 19, 200, 781), ["height_overflow"]),
        ((-1, 100, 100, 200), []),
        ((-2, 100, 100, 200), ["width_overflow"]),
        ((500, 100, 602, 200), ["width_overflow"]),
        ((100, 700, 200, 802), ["height_overflow"]),
        ((0, 0, 600, 800), ["width_overflow", "height_overflow"]),
    ],
)
def test_overflow_of_the_page(box: tuple[float, ...], expected: list[str]) -> None:
    assert reasons([placed("1", *box)], PAGE) == [expected]


def test_pages_that_are_not_known_are_not_looked_at() -> None:
    assert reasons([placed("1", 0, 0, 600, 800, page=2)], PAGE) == [[]]


def test_panels_are_not_held_against_whole_figures() -> None:
    panels = [item(f"1{letter}", 10, 10, panel=letter, parent_label="fig:1") for letter in "abcd"]
    assert reasons([item("1", 100, 100), *panels, item("2", 100, 100)]) == [[]] * 6


def test_nothing_is_deleted() -> None:
    items = [placed("1", -50, -50, 900, 900), placed("9", 0, 0, 1, 1), placed("9", 0, 0, 1, 1)]
    flag_anomalies(items, items, Rules(), PAGE)
    assert all(one.deleted is None for one in items)
    assert items[0].figure.flags == ["height_overflow", "oversized", "width_overflow"]
