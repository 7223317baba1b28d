"""The columns of a set of rows and their types, so that every shard of every split has the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from data_juicer_ext.rows import QA_ROW, to_json

TEXT, WHOLE, NUMBER, TRUTH, TEXTS = "string", "int64", "float64", "bool", "list of string"
_FIRST = tuple(name for name in QA_ROW if name not in ("images", "provenance"))


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Each column with its type: that of all its values, else text. Known columns first, `provenance` last."""
    found: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, set()).add(_type(value))
    found.pop("images", None)
    found.setdefault("provenance", {TEXT})
    known = [name for name in _FIRST if name in found]
    others = sorted(name for name in found if name not in _FIRST and name != "provenance")
    return {name: _common(found[name] - {""}) for name in (*known, *others, "provenance")}


def value_as(value: Any, kind: str) -> Any:
    """A value as its column's type takes it; what is nested becomes JSON text."""
    if value is None or (kind != TEXT and _common({_type(value), kind}) == kind):
        return value
    return value if isinstance(value, str) else to_json(value)


def _type(value: Any) -> str:
    """The type of a value, "" for none."""
    for kind, types in ((TRUTH, bool), (WHOLE, int), (NUMBER, float)):
        if isinstance(value, types):
            return kind
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return TEXTS
    return "" if value is None else TEXT


def _common(kinds: set[str]) -> str:
    if kinds == {WHOLE, NUMBER}:
        return NUMBER
    return kinds.pop() if len(kinds) == 1 else TEXT
