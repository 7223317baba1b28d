from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.evaluation.quality.gold import GoldFigure, adjudication, dimension_first, dispersion, make_gold
from data_juicer_ext.evaluation.quality.rows import EvaluationKey, ScoredRow
from data_juicer_ext.judging.evidence_gating import DIMENSIONS

Scores = tuple[float | None, ...]


def scores(*values: float | None) -> dict[str, float | None]:
    return {**dict(zip(DIMENSIONS, values, strict=True)), "overall": None}


def rated(figure: str, rater: str, values: Scores, **evidence: bool) -> ScoredRow:
    return ScoredRow((figure,), rater, scores(*values), evidence, {"figure_id": figure})


def gold_of(*rows: ScoredRow, evidence: dict[EvaluationKey, dict[str, bool]] | None = None) -> GoldFigure:
    [figure] = make_gold(rows, evidence).values()
    return figure


EX_A: list[Scores] = [(9, 9, 5, None, 9), (8, 8, 5, None, 8), (9, 9, 6, None, 7)]
EX_B: list[Scores] = [(6, 5, 5, 6, 4), (5, 6, 5, 6, 4), (8, 9, 6, 7, 5)]
EX_C: list[Scores] = [(8, 9, 9, 8, 9), (9, 9, 8, 9, 9), (9, 9, 9, 9, 8)]


@pytest.mark.parametrize(
    ("raters", "means", "overall"),
    [
        ([(8, 8, 8, 2, 8), (8, 8, 8, None, 8)], (8, 8, 8, 2, 8), 6.8),
        (EX_A, (8.67, 8.67, 5.33, None, 8), 7.67),
        (EX_B, (6.33, 6.67, 5.33, 6.33, 4.33), 5.80),
        (EX_C, (8.67, 9, 8.67, 8.67, 8.67), 8.73),
        ([(7, 7, 7, 7, 7)], (7, 7, 7, 7, 7), 7),
        ([], (None,) * 5, None),
    ],
)
def test_gold_is_the_mean_by_dimension_and_then_over_dimensions(
    raters: list[Scores], means: Scores, overall: float | None
) -> None:
    gold = dimension_first(scores(*row) for row in raters)
    assert gold["overall"] == (None if overall is None else pytest.approx(overall, abs=0.005))
    for name, mean in zip(DIMENSIONS, means, strict=True):
        assert gold[name] == (None if mean is None else pytest.approx(mean, abs=0.005))


def test_gold_is_not_the_mean_of_the_raters_overalls() -> None:
    figure = gold_of(rated("f", "a", (8, 8, 8, 2, 8)), rated("f", "b", (8, 8, 8, None, 8)))
    overalls = [row["overall"] for row in figure.ratings.values()]
    assert overalls == [6.8, 8.0] and sum(overalls) / 2 == 7.4
    assert figure.scores["overall"] == pytest.approx(6.8)


def test_a_dimension_that_the_gate_closes_is_null_whatever_raters_wrote() -> None:
    figure = gold_of(rated("f", "a", (8, 8, 8, 2, 8), context=False), rated("f", "b", (6, 6, 6, 9, 6), context=False))
    assert figure.scores == {"VC": 7, "SL": 7, "C": 7, "CTX": None, "MR": 7, "overall": 7}
    elsewhere = gold_of(rated("f", "a", (8, 8, 2, 8, 8)), evidence={("f",): {"caption": False, "context": True}})
    assert elsewhere.scores["C"] is None and elsewhere.scores["overall"] == 8
    excluded = gold_of(rated("f", "a", (8, 8, 2, 8, 8), caption=False, context=False))
    assert set(excluded.scores.values()) == {None}


def test_the_last_row_of_a_rater_counts_and_nameless_raters_are_apart() -> None:
    twice = gold_of(rated("f", "a", (2, 2, 2, 2, 2)), rated("f", "a", (8, 8, 8, 8, 8)))
    assert len(twice.ratings) == 1 and twice.scores["overall"] == 8
    nameless = gold_of(rated("f", "", (2, 2, 2, 2, 2)), rated("f", "", (8, 8, 8, 8, 8)))
    assert len(nameless.ratings) == 2 and nameless.scores["overall"] == 5


def figures(**rows: list[Scores]) -> list[GoldFigure]:
    made = [rated(name, str(n), values) for name, given in rows.items() for n, values in enumerate(given)]
    return list(make_gold(made).values())


def table(found: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {
        row["dimension"]: (row["n"], row["mean_spread"], row["median_spread"], row["within_1_pairs"]) for row in found
    }


def test_dispersion_worked_by_hand() -> None:
    found = table(dispersion(figures(a=EX_A, b=EX_B, c=EX_C)))
    assert found["VC"] == (3, pytest.approx((1 + 3 + 1) / 3), 1, pytest.approx((3 + 1 + 3) / 9))
    assert found["CTX"] == (2, 1, 1, 1.0)
    assert found["C"][:3] == (3, 1, 1)
    overall = found["overall"]  # raters: 8, 7.25, 7.75; 5.2, 5.2, 7.0; 8.6, 8.8, 8.8
    assert overall == (3, pytest.approx((0.75 + 1.8 + 0.2) / 3), 0.75, pytest.approx((3 + 1 + 3) / 9))


def test_single_raters_have_no_dispersion() -> None:
    assert table(dispersion(figures(a=[(8, 8, 8, 8, 8)])))["VC"] == (0, None, None, None)
    assert table(dispersion([]))["overall"] == (0, None, None, None)
    assert adjudication(figures(a=[(8, 8, 8, 8, 8)])) == []


def test_figures_whose_overalls_are_more_than_two_apart_are_listed() -> None:
    found = adjudication(figures(a=EX_A, b=EX_B, wide=[(9, 9, 9, 9, 9), (9, 4, 6, 6, 6)], edge=[(8,) * 5, (6,) * 5]))
    assert [(entry["figure"], round(entry["gap"], 2)) for entry in found] == [("wide", 2.8)]
    assert found[0]["wide"] == ["SL", "C", "CTX", "MR"] and found[0]["overalls"] == {"0": 9.0, "1": 6.2}
    assert [entry["figure"] for entry in adjudication(figures(a=EX_A, b=EX_B), gap=1.5)] == ["b"]
