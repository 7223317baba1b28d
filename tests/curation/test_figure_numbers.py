"""What is odd about figure numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.curation.figure_numbers import mark_indices, place_in_series
from data_juicer_ext.curation.findings import Finding, Item
from tests.figures.charts import item


def marks(*numbers: str, deleted: str | None = None, **more: object) -> dict[str, list[str]]:
    items = [item(number, **more) for number in numbers]
    for one in items:
        if one.figure.number == deleted:
            one.deleted = Finding("S1", "too_small")
    left = [one for one in items if one.deleted is None]
    mark_indices(items, left)
    return {f"{one.figure.number}#{place}": [mark.reason for mark in one.marks] for place, one in enumerate(left)}


@pytest.mark.parametrize(
    ("number", "place"),
    [("3", ("", 3)), ("3b", ("", 3)), ("A.1", ("A.", 1)), ("a.1", ("A.", 1)), ("S12", ("S", 12)), ("2.4", ("2.", 4)),
     ("3.", ("", 3)), ("IV", ("", 4)), ("XLIX", ("", 49)), ("XC", ("", 90)), ("", None), ("?", None), ("IIII", None),
     ("C", None), ("1234567", None)],
)  # fmt: skip
def test_places_in_series(number: str, place: tuple[str, int] | None) -> None:
    assert place_in_series(number) == place


@given(st.integers(1, 89))
def test_roman_numbers_count_as_they_should(number: int) -> None:
    tens, ones = divmod(number, 10)
    roman = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX"][tens]
    roman += ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"][ones]
    assert place_in_series(roman) == ("", number)


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_none(text: str) -> None:
    place_in_series(text)


def test_a_full_row_of_numbers_has_nothing_odd() -> None:
    assert set(map(tuple, marks("1", "2", "3", "A.1", "A.2").values())) == {()}
    assert marks() == {}


def test_a_gap_is_marked_behind_it_and_at_the_start() -> None:
    assert marks("1", "4")["4#1"] == ["index_gap"] and marks("1", "4")["1#0"] == []
    assert marks("2", "3") == {"2#0": ["index_gap"], "3#1": []}
    items = [item("1"), item("4")]
    mark_indices(items, items)
    assert (items[1].marks[0].measured, items[1].figure.flags) == (2, ["index_gap"])


def test_a_figure_that_was_deleted_leaves_no_gap() -> None:
    assert marks("1", "2", "3", deleted="2") == {"1#0": [], "3#1": []}


def test_repeats_are_marked_each_and_parts_and_continued_ones_are_none() -> None:
    assert marks("1", "2", "2") == {"1#0": [], "2#1": ["index_repeated"], "2#2": ["index_repeated"]}
    assert marks("1", "2a", "2b") == {"1#0": [], "2a#1": [], "2b#2": []}
    items = [item("1"), item("1", flags=["continued"])]
    mark_indices(items, items)
    assert [one.marks for one in items] == [[], []]


def test_a_missing_number_is_marked_and_panels_are_not_looked_at() -> None:
    assert marks("1", "") == {"1#0": [], "#1": ["index_missing"]}
    assert marks("5a", panel="a", parent_label="fig:5") == {"5a#0": []}


def test_marks_become_flags() -> None:
    one: Item = item("", flags=["no_label"])
    mark_indices([one], [one])
    assert one.figure.flags == ["index_missing", "no_label"]
