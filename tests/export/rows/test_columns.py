from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.export.rows.columns import MIXED, NUMBER, TEXT, TEXTS, TRUTH, WHOLE, Columns, in_order, value_as


def types(*rows: dict[str, Any]) -> dict[str, str]:
    columns = Columns()
    for row in rows:
        columns.add(row)
    return columns.types


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None], TEXT), ([1, 2], WHOLE), ([1, 2.5], NUMBER), ([True, False], TRUTH), ([["a"], []], TEXTS),
        ([None], TEXT), ([1, "a"], MIXED), ([True, 1], MIXED), ([{"a": 1}], MIXED), ([["a"], [1]], MIXED),
        ([2**70], MIXED), ([[], "a"], MIXED), (["2024-05-01"], TEXT), ([["2024-05-01"]], TEXTS),
    ],
)  # fmt: skip
def test_a_column_has_the_type_of_all_its_values(values: list[Any], kind: str) -> None:
    found = types(*({"x": value} for value in values))
    assert found == {"x": kind, "provenance": TEXT} and types(*({"x": v} for v in reversed(values))) == found
    taken = [value_as(value, kind) for value in values]
    if kind in (TEXT, MIXED):
        assert all(value is None or isinstance(value, str) for value in taken)
    else:
        assert taken == values


def test_nested_values_become_json_text() -> None:
    assert json.loads(value_as({"a": ["é"]}, MIXED)) == {"a": ["é"]} and value_as([], TEXTS) == []


def test_texts_that_readers_of_json_take_for_dates_are_called_mixed_in_lines() -> None:
    columns = Columns()
    columns.add({"day": "2024-05-01", "days": ["2024-05-01T10:00:00Z"], "year": "2024", "said": "on 2024-05-01"})
    assert columns.line_types == {"day": MIXED, "days": MIXED, "year": TEXT, "said": TEXT, "provenance": TEXT}


def test_known_columns_come_first_and_provenance_last() -> None:
    assert in_order(["zeta", "provenance", "question", "row_id", "alpha"]) == [
        "row_id", "question", "alpha", "zeta", "provenance",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "kind", "taken"),
    [
        (None, WHOLE, None), (3, NUMBER, 3), (2**63 - 1, WHOLE, 2**63 - 1), (-(2**63), WHOLE, -(2**63)),
        (3, MIXED, "3"), ("x", MIXED, "x"), (True, TRUTH, True), ([1], MIXED, "[1]"), (["a"], TEXTS, ["a"]),
        ("text", TEXT, "text"), (2.5, WHOLE, "2.5"),
    ],
)  # fmt: skip
def test_what_a_tables_column_takes(value: Any, kind: str, taken: Any) -> None:
    assert value_as(value, kind) == taken and type(value_as(value, kind)) is type(taken)


@pytest.mark.parametrize(
    ("value", "kind"), [(2**63 - 1, WHOLE), (2**63, MIXED), (-(2**63), WHOLE), (-(2**63) - 1, MIXED)]
)
def test_whole_numbers_are_those_of_64_bits(value: int, kind: str) -> None:
    assert types({"x": value})["x"] == kind


def test_a_column_with_no_value_at_all_is_text() -> None:
    assert types({"x": None}, {"y": 1}) == {"x": TEXT, "y": WHOLE, "provenance": TEXT}
    assert types({"x": []}) == {"x": TEXTS, "provenance": TEXT}
