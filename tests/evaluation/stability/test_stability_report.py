"""What is printed and written of the stability of judges, from figures made by hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.stability.judge_stability import JudgeStability
from data_juicer_ext.evaluation.stability.stability_report import _COUNTED, as_text, write
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


def row(by: str = "all", value: str = "", **more: Any) -> dict[str, Any]:
    known = {
        "by": by, "value": value, "n": 6, "icc": Measure(0.91234), "between": Measure(0.05), "within": Measure(0.00123),
        "direction_flip": Measure(0.125), "criterion_flip": Measure(0.25), "criterion_dispersion": Measure(0.1),
        "direction_flip_pairs": Measure(0.0833), "criterion_flip_pairs": Measure(0.2), "run_sd": Measure(0.01),
    }  # fmt: skip
    return {**known, **more}


def judge(name: str, *groups: dict[str, Any], refused: list[str] | None = None, **counts: int) -> JudgeStability:
    counted = {**dict.fromkeys(_COUNTED, 0), "judged": 9, "compared": 6, "fewest_runs": 3, "most_runs": 3, **counts}
    return JudgeStability(name, counted, [row(), *groups], refused or [])


def test_the_tables() -> None:
    lines = as_text([judge("one", one_run=2), judge("two", fewest_runs=2, most_runs=4)]).splitlines()
    assert lines[:3] == [
        "one: 6 of 9 judged pairs compared, 3 runs each", "       2  left out: judged in one run only",
        "two: 6 of 9 judged pairs compared, 2 to 4 runs each",
    ]  # fmt: skip
    words = [line.split() for line in lines]
    assert ["one", "6", "0.9123", "0.0500", "0.00123", "0.1250", "0.2500", "0.1000"] in words
    assert ["two", "0.0833", "0.2000", "0.0100"] in words
    assert not any("by group" in line for line in lines)


def test_groups_reasons_and_refused_rows() -> None:
    found = judge("one", row("type", "flow", n=2), refused=["row 3: no scores"])
    lines = as_text([found, judge("two")]).splitlines()
    assert "one: by group" in lines and "two: by group" not in lines and lines[-1] == "refused: one: row 3: no scores"
    assert ["type", "flow", "2", "0.9123", "0.0500", "0.00123", "0.1250", "0.2500", "0.1000"] in [
        x.split() for x in lines
    ]
    unknown = JudgeStability("u", {**found.counts, "compared": 0}, [row(icc=undefined("one run"))], [])
    text = as_text([unknown])
    assert "u: 0 of 9 judged pairs compared, none with two runs" in text and "u: icc not defined: one run" in text


def test_all_is_written(tmp_path: Path) -> None:
    paths = write([judge("one", row("type", "flow"))], tmp_path / "out")
    assert [path.name for path in paths] == ["stability.json", "stability.csv"]
    with paths[1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(one["judge"], one["by"], one["value"], one["icc"]) for one in rows] == [
        ("one", "all", "", "0.91234"), ("one", "type", "flow", "0.91234"),
    ]  # fmt: skip
    assert write([], tmp_path / "none")[1].read_text().strip() == "judge,by,value,n"
