"""The columns of a set of rows and their types, so that every shard of every split has the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from data_juicer_ext.rows import QA_ROW, to_json

TEXT, WHOLE, NUMBER, TRUTH, TEXTS = "string", "int64", "float64", "bool", "list of string"
_NOTHING, _EMPTY = "", "empty list"  # what fits any type, or any list
_FIRST = tuple(name for name in QA_ROW if name not in ("images", "provenance"))
_WHOLE_RANGE = range(-(2**63), 2**63)


class Columns:
    """Gathers the types of columns, a row at a time."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take one row into account."""
        for name, value in row.items():
            self._found.setdefault(name, set()).add(_type(value))

    @property
    def types(self) -> dict[str, str]:
        """Each column with its type: that of all its values, else text. Known columns first, `provenance` last."""
        return {name: _common(self._found.get(name, {TEXT})) for name in in_order([*self._found, "provenance"])}


def in_order(names: Iterable[str]) -> list[str]:
    """Names of columns in the order in which they stand in all files."""
    there = set(names)
    others = sorted(there - {*_FIRST, "provenance"})
    return [*(name for name in _FIRST if name in there), *others, *({"provenance"} & there)]


def value_as(value: Any, kind: str) -> Any:
    """A value as its column's type takes it; what is nested becomes JSON text."""
    if value is None or (kind != TEXT and _common({_type(value), kind}) == kind):
        return value
    return value if isinstance(value, str) else to_json(value)


def _type(value: Any) -> str:
    """The type of a value, "" for none."""
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, int):
        return WHOLE if value in _WHOLE_RANGE else TEXT
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return TEXTS if value else _EMPTY
    return _NOTHING if value is None else TEXT


def _common(kinds: set[str]) -> str:
    kinds = kinds - {_NOTHING}
    if kinds and kinds <= {TEXTS, _EMPTY}:
        return TEXTS
    if kinds == {WHOLE, NUMBER}:
        return NUMBER
    return kinds.pop() if len(kinds) == 1 else TEXT
