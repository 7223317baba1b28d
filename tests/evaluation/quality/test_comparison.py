from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from data_juicer_ext.evaluation.quality.comparison import evaluate
from data_juicer_ext.evaluation.quality.quality_report import as_text, write
from data_juicer_ext.judging.evidence_gating import DIMENSIONS

Rows = list[dict[str, Any]]


def predicted(figure: str, *scores: float | None, **more: Any) -> dict[str, Any]:
    quality = {"scores": dict(zip(DIMENSIONS, scores, strict=True)), "overall": 1.0}
    return {"paper_id": "p", "figure_id": figure, "quality": json.dumps(quality), **more}


def rating(figure: str, rater: str, *scores: float | None, **more: Any) -> dict[str, Any]:
    return {"paper_id": "p", "figure_id": figure, "rater": rater, **dict(zip(DIMENSIONS, scores, strict=True)), **more}


PREDICTIONS = [
    predicted("1", 8, 8, 8, 4, 8, venue="ACL", year=2020, figure_type="plot"),
    predicted("2", 6, 6, 6, None, 6, venue="ACL", year=2021, figure_type="diagram"),
    predicted("3", 9, 9, 9, 9, 9, venue="ICML", year=2021, figure_type="plot"),
]
GOLD = [
    rating("1", "a", 8, 8, 8, 2, 8), rating("1", "b", 8, 8, 8, None, 8),
    rating("2", "a", 9, 9, 5, None, 9), rating("2", "b", 7, 7, 5, None, 7),
    rating("3", "a", 9, 9, 9, 9, 9), rating("3", "b", 5, 5, 5, 5, 5),
]  # fmt: skip
# Gold overalls: 6.8, (8 + 8 + 5 + 8) / 4 = 7.25, 7. Predicted: 7.2, 6, 9.


def of(found: Any, by: str = "all", value: str = "") -> dict[str, Any]:
    return next(row for row in found.rows if (row["by"], row["value"]) == (by, value))


def test_the_measures_worked_by_hand() -> None:
    found = evaluate(PREDICTIONS, GOLD)
    whole = of(found)
    assert found.key == ("paper_id", "figure_id") and found.counts["compared"] == 3
    assert whole["mae"] == pytest.approx((0.4 + 1.25 + 2) / 3)
    assert whole["within_1"] == pytest.approx(1 / 3)
    assert whole["bias"] == pytest.approx((0.4 - 1.25 + 2) / 3)
    assert whole["srcc"] == pytest.approx(stats.spearmanr([7.2, 6, 9], [6.8, 7.25, 7]).statistic)
    assert whole["mae_C"] == pytest.approx((0 + 1 + 2) / 3) and whole["n_C"] == 3
    assert whole["mae_CTX"] == pytest.approx((2 + 2) / 2) and whole["n_CTX"] == 2, "on the evaluable ones alone"
    assert whole["mae_MR"] == pytest.approx((0 + 2 + 2) / 3)


def test_the_groups_are_venue_year_and_figure_type() -> None:
    found = evaluate(PREDICTIONS, GOLD)
    labels = [(row["by"], row["value"], row["n"]) for row in found.rows]
    assert labels == [
        ("all", "", 3), ("venue", "ACL", 2), ("venue", "ICML", 1), ("year", "2020", 1), ("year", "2021", 2),
        ("figure_type", "diagram", 1), ("figure_type", "plot", 2),
    ]  # fmt: skip
    assert of(found, "venue", "ICML")["mae"] == 2 and of(found, "venue", "ICML")["srcc"] is None
    assert of(found, "venue", "ACL")["mae"] == pytest.approx((0.4 + 1.25) / 2)


def test_gold_that_is_already_made_gives_the_same_as_its_raters() -> None:
    made = [
        {"figure_id": "1", "VC": 8, "SL": 8, "C": 8, "CTX": 2, "MR": 8, "overall": 6.8},
        {"figure_id": "2", "VC": 8, "SL": 8, "C": 5, "CTX": None, "MR": 8, "overall": 7.25},
        {"figure_id": "3", "VC": 7, "SL": 7, "C": 7, "CTX": 7, "MR": 7, "overall": 7.9},
    ]
    found = evaluate(PREDICTIONS, made)
    assert of(found) == {**of(evaluate(PREDICTIONS, GOLD))}
    assert found.counts["gold_overall_remade"] == 1
    assert all(row["n"] == 0 for row in found.dispersion) and found.adjudication == []


def test_the_gate_of_the_prediction_closes_the_golds_dimension_too() -> None:
    gate = {
        "gate": {"evidence": ["caption"]},
        "scores": dict(zip(DIMENSIONS, (8, 8, 8, None, 8), strict=True)),
        "overall": 8,
    }
    found = evaluate([{"figure_id": "1", "quality": json.dumps(gate)}], [rating("1", "a", 8, 8, 8, 2, 8)])
    assert of(found)["mae"] == 0 and of(found)["n_CTX"] == 0


def test_figures_are_counted_that_lack_a_partner_a_score_or_all_evidence() -> None:
    rows = [*PREDICTIONS, predicted("4", 8, 8, 8, 8, 8), predicted("5", *[None] * 5), predicted("3", 9, 9, 9, 9, 9)]
    rows[-2]["quality"] = json.dumps({"scores": {}, "overall": None})
    gold = [
        *GOLD, rating("5", "a", 8, 8, 8, 8, 8), rating("6", "a", 8, 8, 8, 8, 8),
        rating("7", "a", 8, 8, 8, 8, 8, caption="", context=""), rating("8", "a", 99, 8, 8, 8, 8),
    ]  # fmt: skip
    found = evaluate(rows, gold)
    assert found.counts == {
        "compared": 3, "without_scores": 1, "excluded": 1, "predictions_without_gold": 1, "gold_without_prediction": 2,
        "repeated_predictions": 1, "gold_overall_remade": 0, "refused_rows": 1,
    }  # fmt: skip
    assert found.refused == ["gold: p/8: VC is 99, not a number from 1 to 10"]


def test_a_dimension_that_only_the_gold_has_is_told_as_missing() -> None:
    found = evaluate([predicted("1", 8, 8, None, 4, 8)], [rating("1", "a", 8, 8, 8, 4, 8)])
    assert found.missing["C"] == 1 and of(found)["n_C"] == 0
    assert "1  without a score of C" in as_text(found)


def test_one_figure_and_constant_columns_give_a_stated_result() -> None:
    found = evaluate(PREDICTIONS[:1], GOLD[:1])
    assert of(found)["srcc"] is None and "fewer than two" in as_text(found)
    same = [predicted(name, 7, 7, 7, 7, 7) for name in "123"]
    assert "all predictions are equal" in as_text(evaluate(same, GOLD))


def test_empty_files_are_an_error() -> None:
    with pytest.raises(ValueError, match="predictions hold no rows"):
        evaluate([], GOLD)
    with pytest.raises(ValueError, match="gold hold no rows"):
        evaluate(PREDICTIONS, [])


def test_the_files_say_what_the_screen_says(tmp_path: Path) -> None:
    found = evaluate(PREDICTIONS, GOLD)
    whole, table, spread, listed = write(found, tmp_path / "new" / "folder")
    assert json.loads(whole.read_text())["rows"][0]["mae"] == of(found)["mae"]
    rows = list(csv.DictReader(table.open()))
    assert [(row["by"], row["value"]) for row in rows] == [(row["by"], row["value"]) for row in found.rows]
    assert float(rows[0]["mae_CTX"]) == 2 and rows[2]["srcc"] == ""
    assert [row["dimension"] for row in csv.DictReader(spread.open())] == [*DIMENSIONS, "overall"]
    [entry] = csv.DictReader(listed.open())
    assert entry["figure"] == "p/3" and float(entry["gap"]) == 4
    text = as_text(found)
    assert "3 figures compared" in text and f"{of(found)['mae']:.3f}" in text and "p/3" in text
