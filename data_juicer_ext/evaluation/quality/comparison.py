"""The evaluation of quality scores against gold: overall, by dimension, by venue, year and figure type."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.quality.gold import GoldFigure, adjudication, dispersion, gated, make_gold
from data_juicer_ext.evaluation.quality.rows import EvaluationKey, ScoredRow, key_names, read_all
from data_juicer_ext.evaluation.statistics.score_agreement import agreement, errors
from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.rows import Row

GROUPS = ("venue", "year", "figure_type")
_UNKNOWN = "(not said)"
_SAME_OVERALL = 0.05  # two figures after the point, as published gold has them


@dataclass(frozen=True)
class ScorePair:
    """A judge's scores and the gold of one figure, both gated alike."""

    key: EvaluationKey
    predicted: dict[str, float | None]
    gold: dict[str, float | None]
    groups: dict[str, str]


@dataclass(frozen=True)
class QualityEvaluation:
    """All that was found. `rows` are the lines of the table: `by`, `value`, and the measures of `measures`.

    `counts` says how many figures were compared, lack a partner, or are excluded by the gate; `missing` by dimension
    how many have gold but no prediction. `key` names the columns that figures are known by.
    """

    key: EvaluationKey
    counts: dict[str, int]
    missing: dict[str, int]
    rows: list[dict[str, Any]]
    dispersion: list[dict[str, Any]]
    adjudication: list[dict[str, Any]]
    refused: list[str]


def evaluate(
    predictions: Sequence[Row], gold_rows: Sequence[Row], key: str = "", gap: float = 2.0
) -> QualityEvaluation:
    """Compare scored figures with gold, or with rater rows that gold is made of.

    Raises UsageError where either is empty, or where no columns name the figures of both.
    """
    for name, rows in (("predictions", predictions), ("gold", gold_rows)):
        if not rows:
            raise UsageError(f"the {name} hold no rows")
    names = key_names(predictions, gold_rows, key)
    scored, refused = read_all(predictions, names)
    rated, refused_gold = read_all(gold_rows, names)
    judged = {row.key: row for row in scored}
    gold = make_gold(rated, {key: row.evidence for key, row in judged.items()})
    excluded = {key for key, figure in gold.items() if figure.closed == frozenset(DIMENSIONS)}
    pairs = [_pair(judged[key], figure) for key, figure in gold.items() if key in judged and key not in excluded]
    compared = [pair for pair in pairs if pair.predicted["overall"] is not None and pair.gold["overall"] is not None]
    counts = {
        "compared": len(compared), "without_scores": len(pairs) - len(compared), "excluded": len(excluded),
        "predictions_without_gold": len(judged.keys() - gold.keys()),
        "gold_without_prediction": len(gold.keys() - judged.keys()),
        "repeated_predictions": len(scored) - len(judged), "gold_overall_remade": sum(map(_remade, gold.values())),
        "refused_rows": len(refused) + len(refused_gold),
    }  # fmt: skip
    missing = {name: sum(_lacks(pair, name) for pair in compared) for name in DIMENSIONS}
    figures = list(gold.values())
    return QualityEvaluation(names, counts, missing, _rows(compared), dispersion(figures), adjudication(figures, gap),
                      [*refused, *(f"gold: {reason}" for reason in refused_gold)])  # fmt: skip


def _remade(figure: GoldFigure) -> bool:
    """Whether gold that was already made had another overall than its dimensions give."""
    given, made = figure.overall_given, figure.scores["overall"]
    return given is not None and made is not None and abs(given - made) > _SAME_OVERALL


def _lacks(pair: ScorePair, name: str) -> bool:
    return pair.gold[name] is not None and pair.predicted[name] is None


def _pair(row: ScoredRow, figure: GoldFigure) -> ScorePair:
    return ScorePair(row.key, gated(row.scores, figure.closed), figure.scores, _groups(row.about, figure.about))


def _groups(predicted: Row, gold: Row) -> dict[str, str]:
    """Venue, year and figure type: the gold's, else the prediction's, else what the vision stage saw."""
    found = {name: str(gold.get(name) or predicted.get(name) or "") for name in GROUPS}
    if not found["figure_type"]:
        found["figure_type"] = _seen_type(predicted.get("quality"))
    return {name: value or _UNKNOWN for name, value in found.items()}


def _seen_type(quality: Any) -> str:
    held = json.loads(quality) if isinstance(quality, str) and quality.strip() else quality
    try:
        return str(held["reports"]["vision"]["figure_type"])
    except (KeyError, TypeError):
        return ""


def _rows(pairs: Sequence[ScorePair]) -> list[dict[str, Any]]:
    rows = [{"by": "all", "value": "", **measures(pairs)}]
    for by in GROUPS:
        values = sorted({pair.groups[by] for pair in pairs})
        if values != [_UNKNOWN]:
            rows += [
                {"by": by, "value": value, **measures([p for p in pairs if p.groups[by] == value])} for value in values
            ]
    return rows


def measures(pairs: Sequence[ScorePair]) -> dict[str, Any]:
    """Agreement of the overalls, and `mae_<dimension>` with `n_<dimension>` over the figures that have gold for it."""
    found = agreement(*_both(pairs, "overall"))
    for name in DIMENSIONS:
        of_dimension = errors(*_both(pairs, name))
        found |= {f"n_{name}": of_dimension["n"], f"mae_{name}": of_dimension["mae"]}
    return found


def _both(pairs: Sequence[ScorePair], name: str) -> tuple[list[float], list[float]]:
    given = [(p.predicted[name], p.gold[name]) for p in pairs]
    whole = [(p, g) for p, g in given if p is not None and g is not None]
    return [p for p, _ in whole], [g for _, g in whole]
