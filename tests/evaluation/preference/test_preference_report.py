"""What is printed and written of judges against people's preferences, from figures made by hand."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.preference.judge_preference import (
    GENERATED,
    REFERENCE,
    JudgePreference,
    PreferenceEvaluation,
)
from data_juicer_ext.evaluation.preference.preference_report import _COUNTED, as_text, write
from data_juicer_ext.evaluation.preference.votes import Human
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


def row(by: str, value: str, dar: float, **more: Any) -> dict[str, Any]:
    known = {"by": by, "value": value, "n": 7, "mean_s_final": Measure(0.61234), "delta": Measure(0.11234),
             "dar": Measure(dar, "", dar - 0.1, dar + 0.1), "kendall_tau_b": Measure(0.3),
             "spearman_rho": undefined("fewer than 3 pairs"), "ties": 2}  # fmt: skip
    return {**known, **more}


def judge(*groups: dict[str, Any], **counts: int) -> JudgePreference:
    counted = {**dict.fromkeys(_COUNTED, 0), "compared": 7, "judged": 9, **counts}
    rows = [row("all", "", 0.75), row("direction", GENERATED, 0.8), row("direction", REFERENCE, 0.5),
            row("strength", "strongly", 0.9, delta=Measure(-0.2)), row("strength", "never", 0.9, delta=undefined("x")),
            *groups]  # fmt: skip
    return JudgePreference("j", counted, rows, Measure(0.125), 8, ["row 4: no scores"])


AGREEMENT = {"raters": 3, "pairs": 9, "kappa_left_out": 0, "kappa_direction": Measure(0.5, "", 0.2, 0.8),
             "alpha_ordinal": undefined("one rater")}  # fmt: skip


def found(*judges: JudgePreference, **agreement: Any) -> PreferenceEvaluation:
    return PreferenceEvaluation(list(judges), [Human("p1", 1, 2.0)], {**AGREEMENT, **agreement}, ["line 2: odd"])


def test_tables_of_a_judge() -> None:
    lines = as_text(found(judge(contaminated=2))).splitlines()
    words = [line.split() for line in lines]
    assert lines[:2] == ["j: 7 of 9 judged pairs compared", "       2  left out: they copy their reference"]
    assert ["j", "7", "0.750", "0.800", "0.500", "0.300", "-", "0.125"] in words
    assert ["j", "0.650", "to", "0.850", "0.700", "to", "0.900", "0.400", "to", "0.600", "-", "-", "-"] in words
    assert ["strongly", "7", "0.6123", "-0.2000", "0.9000", "2"] in words
    assert ["never", "7", "0.6123", "-", "0.9000", "2"] in words
    assert not any("by group" in line for line in lines)
    assert "raters: 3 over 9 pairs" in lines
    assert "  Fleiss' kappa of the direction: 0.500 (0.200 to 0.800)" in lines
    assert "  Krippendorff's alpha, ordinal: -" in lines
    assert "j: spearman_rho not defined: fewer than 3 pairs" in lines
    assert "raters: alpha_ordinal not defined: one rater" in lines
    assert lines[-2:] == ["refused: line 2: odd", "refused: j: row 4: no scores"]


def test_groups_and_what_kappa_is_without_are_told() -> None:
    text = as_text(found(judge(row("diagram_type", "flow", 0.4)), kappa_left_out=3))
    assert "j: by group" in text and "0.500 (0.200 to 0.800), without 3 pairs with another number of ratings" in text
    assert ["diagram_type", "flow", "7", "0.612", "0.400", "0.300", "-"] in [line.split() for line in text.splitlines()]
    unknown = replace(judge(), flip_rate=undefined("one order"))
    assert "j: order flip rate not defined: one order" in as_text(found(unknown)).splitlines()


def test_all_is_written(tmp_path: Path) -> None:
    paths = write(found(judge()), tmp_path / "out")
    assert [path.name for path in paths] == ["preference.json", "preference.csv", "people.csv"]
    with paths[1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(one["judge"], one["by"], one["dar"]) for one in rows[:2]] == [
        ("j", "all", "0.75"),
        ("j", "direction", "0.8"),
    ]
    assert paths[2].read_text().splitlines()[0] == "pair,direction,strength,left_out"
    none = write(found(), tmp_path / "none")
    assert none[1].read_text().strip() == "judge,by,value,n"
