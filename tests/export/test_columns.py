from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.export.columns import NUMBER, TEXT, TEXTS, TRUTH, WHOLE, Columns, in_order, value_as


def types(*rows: dict[str, Any]) -> dict[str, str]:
    columns = Columns()
    for row in rows:
        columns.add(row)
    return columns.types


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None], TEXT), ([1, 2], WHOLE), ([1, 2.5], NUMBER), ([True, False], TRUTH), ([["a"], []], TEXTS),
        ([None], TEXT), ([1, "a"], TEXT), ([True, 1], TEXT), ([{"a": 1}], TEXT), ([["a"], [1]], TEXT), ([2**70], TEXT),
        ([[], "a"], TEXT),
    ],
)  # fmt: skip
def test_a_column_has_the_type_of_all_its_values(values: list[Any], kind: str) -> None:
    found = types(*({"x": value} for value in values))
    assert found == {"x": kind, "provenance": TEXT} and types(*({"x": v} for v in reversed(values))) == found
    taken = [value_as(value, kind) for value in values]
    if kind == TEXT:
        assert all(value is None or isinstance(value, str) for value in taken)
    else:
        assert taken == values


def test_nested_values_become_json_text() -> None:
    assert json.loads(value_as({"a": ["é"]}, TEXT)) == {"a": ["é"]} and value_as([], TEXTS) == []


def test_known_columns_come_first_and_provenance_last() -> None:
    assert in_order(["zeta", "provenance", "question", "row_id", "alpha"]) == [
        "row_id", "question", "alpha", "zeta", "provenance",
    ]  # fmt: skip
