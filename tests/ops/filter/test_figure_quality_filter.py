from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.host import run_here

Rows = list[dict[str, Any]]


def row(name: str, overall: float, c: int | None = 7, ctx: int | None = 7) -> dict[str, Any]:
    scores = {"VC": 8, "SL": 8, "C": c, "CTX": ctx, "MR": 8}
    return {"row_id": name, "paper_id": "p", "quality": json.dumps({"scores": scores, "overall": overall})}


ROWS = [row("good", 8.5), row("poor", 4.0), row("no text", 8.0, ctx=None), row("vague", 7.5, c=4)]


def kept(rows: Rows, run_dir: Path, **parameters: Any) -> list[str]:
    made = run_here(rows, [{"figure_quality_filter": {"run_dir": str(run_dir), **parameters}}])
    return [entry["row_id"] for entry in made]


def ledger(run_dir: Path) -> dict[str, tuple[str, str]]:
    found = decisions(run_dir, run_records.run_ids(run_dir)[-1])
    return {entry["row_id"]: (entry["verdict"], entry["reason"]) for entry in found}


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({}, ["good", "poor", "no text", "vague"]),
        ({"min_overall": 7.5}, ["good", "no text", "vague"]),
        ({"min_c": 5}, ["good", "poor", "no text"]),
        ({"min_overall": 7, "min_c": 5}, ["good", "no text"]),
        ({"min_ctx": 7}, ["good", "poor", "no text", "vague"]),
        ({"min_ctx": 7, "null_dimension": "drop"}, ["good", "poor", "vague"]),
        ({"min_vc": 9}, []),
    ],
)
def test_figures_are_kept_by_overall_and_by_dimension(
    parameters: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    assert kept(ROWS, tmp_path, **parameters) == names


def test_every_row_has_its_reason_in_the_ledger(tmp_path: Path) -> None:
    kept(ROWS, tmp_path, min_overall=5, min_c=5, min_ctx=5, null_dimension="drop")
    assert ledger(tmp_path) == {
        "good": ("keep", "good_enough"), "poor": ("drop", "below:overall"), "no text": ("drop", "null:CTX"),
        "vague": ("drop", "below:C"),
    }  # fmt: skip


def test_rows_without_scores_are_undecided_and_set_aside(tmp_path: Path) -> None:
    unscored = {"row_id": "unscored", "paper_id": "p", "quality": ""}
    assert kept([ROWS[0], unscored], tmp_path, min_overall=1) == ["good"]
    assert ledger(tmp_path)["unscored"] == ("undecided", "not_scored")
    [aside] = run_records.end(current_run(str(tmp_path)))
    assert aside["row_id"] == "unscored" and "figure_quality_mapper" in aside["undecided"]["message"]


@pytest.mark.parametrize("wrong", [{"min_c": 11}, {"min_overall": "high"}, {"null_dimension": "keep"}])
def test_wrong_parameters_stop_before_the_first_row(
    wrong: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        kept(ROWS, tmp_path, **wrong)
    assert next(iter(wrong)) in capfd.readouterr().err
