from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path

from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined
from data_juicer_ext.evaluation.tables import (
    columns,
    folder_for,
    printable,
    write_csv,
    write_json,
    write_measures,
    write_table,
)


@dataclass
class Found:
    name: str
    measures: list[Measure]
    more: float = 0.0


def test_columns_are_aligned() -> None:
    assert columns([["model", "n"], ["o3", "12"]]) == ["model   n", "o3     12"]


def test_what_a_model_said_cannot_steer_the_terminal() -> None:
    assert printable("no\x1b[2J\nidea\u202e") == "no [2J idea"
    assert printable("x" * 100) == "x" * 57 + "..."
    assert columns([["a\tb\x07"]]) == ["a b"]


def test_json_holds_no_nan(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x.json", Found("a\x00b", [Measure(0.5), undefined("one row")], math.nan))
    text = path.read_text(encoding="utf-8")
    assert "NaN" not in text
    assert json.loads(text) == {
        "name": "ab",
        "measures": [
            {"value": 0.5, "note": "", "low": None, "high": None},
            {"value": None, "note": "not defined: one row", "low": None, "high": None},
        ],
        "more": None,
    }


def test_csv_with_rows_of_different_columns_and_without_rows(tmp_path: Path) -> None:
    folder = folder_for(tmp_path / "new" / "folder")
    rows = list(csv.DictReader(write_measures(folder / "m.csv", [{"a": 1}, {"a": 2, "b": Measure(3.0)}]).open()))
    assert rows == [
        {"a": "1", "b": "", "b_low": "", "b_high": "", "b_note": ""},
        {"a": "2", "b": "3.0", "b_low": "", "b_high": "", "b_note": ""},
    ]
    assert write_measures(folder / "e.csv", [], ("a", "b")).read_text().split() == ["a,b"]
    assert write_csv(folder / "c.csv", ("a", "b"), [{"b": 1}]).read_text().split() == ["a,b", ",1"]
    assert write_table(folder / "t.csv", [["x", "x"], ["1", "2,3"]]).read_text().split() == ["x,x", '1,"2,3"']
