"""The columns of a set of rows and their types, so that every shard of every split has the same."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from data_juicer_ext.rows import QA_ROW, to_json

TEXT, WHOLE, NUMBER, TRUTH, TEXTS = "string", "int64", "float64", "bool", "list of string"
MIXED = "json"
"""The type of nested values, and of values of several types."""
_NOTHING, _EMPTY = "", "empty list"  # what fits any type, or any list
_FIRST = tuple(name for name in QA_ROW if name not in ("images", "provenance"))
_WHOLE_RANGE = range(-(2**63), 2**63)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")  # what a reader of JSON takes for a point in time


class Columns:
    """Gathers the types of columns, a row at a time."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}
        self._dated = set[str]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Take one row into account."""
        for name, value in row.items():
            self._found.setdefault(name, set()).add(_type(value))
            if _holds_date(value):
                self._dated.add(name)

    @property
    def types(self) -> dict[str, str]:
        """Each column with its type: that of all its values, else `MIXED`. Known columns first, `provenance` last."""
        return {name: _common(self._found.get(name, {TEXT})) for name in in_order([*self._found, "provenance"])}

    @property
    def line_types(self) -> dict[str, str]:
        """The types of columns in lines of JSON: `MIXED` also for texts that a reader would take for dates."""
        return {name: MIXED if name in self._dated else kind for name, kind in self.types.items()}


def in_order(names: Iterable[str]) -> list[str]:
    """Names of columns in the order in which they stand in all files."""
    there = set(names)
    others = sorted(there - {*_FIRST, "provenance"})
    return [*(name for name in _FIRST if name in there), *others, *({"provenance"} & there)]


def value_as(value: Any, kind: str) -> Any:
    """A value as a table's column of that type takes it; what is `MIXED` becomes text, nested values JSON text."""
    if value is None or (kind not in (TEXT, MIXED) and _common({_type(value), kind}) == kind):
        return value
    return value if isinstance(value, str) else to_json(value)


def _holds_date(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(text, str) and text[:1].isdigit() and _DATE.match(text) is not None for text in texts)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, int):
        return WHOLE if value in _WHOLE_RANGE else MIXED
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return TEXTS if value else _EMPTY
    return _NOTHING if value is None else TEXT if isinstance(value, str) else MIXED


def _common(kinds: set[str]) -> str:
    kinds = kinds - {_NOTHING}
    if kinds and kinds <= {TEXTS, _EMPTY}:
        return TEXTS
    if kinds == {WHOLE, NUMBER}:
        return NUMBER
    if not kinds:
        return TEXT
    return kinds.pop() if len(kinds) == 1 else MIXED
