"""Gold from rater rows, dimension-first, and how far the raters are apart (SciFigQual, appendix D)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, median
from typing import Any

from data_juicer_ext.evaluation.quality.rows import SCORES, EvaluationKey, ScoredRow, closed_by
from data_juicer_ext.evaluation.statistics.score_agreement import NOISE, WITHIN
from data_juicer_ext.judging.evidence_gating import DIMENSIONS, gated_mean


@dataclass(frozen=True)
class GoldFigure:
    """A figure's gold: the means by dimension and "overall" (None where gated or unrated), and its raters.

    `ratings` are the scores of each rater, gated; `closed` the dimensions that the gate closes; `overall_given` the
    overall of gold that was already made.
    """

    key: EvaluationKey
    scores: dict[str, float | None]
    ratings: dict[str, dict[str, float | None]]
    closed: frozenset[str]
    about: Mapping[str, Any] = field(default_factory=dict)
    overall_given: float | None = None


def dimension_first(
    ratings: Iterable[Mapping[str, float | None]], closed: Collection[str] = ()
) -> dict[str, float | None]:
    """Gold of one figure: by dimension the mean over the raters that scored it, then the mean of those.

    A dimension in `closed` is null whatever raters wrote. Keys: the dimensions and "overall".
    """
    rows = list(ratings)
    gold: dict[str, float | None] = dict.fromkeys(DIMENSIONS)
    for name in DIMENSIONS:
        given = [row[name] for row in rows if name not in closed and row.get(name) is not None]
        gold[name] = fmean(float(score) for score in given if score is not None) if given else None
    return {**gold, "overall": gated_mean(gold)}


def make_gold(
    rows: Iterable[ScoredRow], evidence: Mapping[EvaluationKey, Mapping[str, bool]] | None = None
) -> dict[EvaluationKey, GoldFigure]:
    """Gold by figure. The last row of a rater counts; rows that name no rater are raters of their own.

    `evidence` tells of figures whose own rows say nothing of their caption or citing text.
    """
    grouped: dict[EvaluationKey, list[ScoredRow]] = {}
    for row in rows:
        grouped.setdefault(row.key, []).append(row)
    return {key: _gold_figure(key, found, (evidence or {}).get(key, {})) for key, found in grouped.items()}


def _gold_figure(key: EvaluationKey, rows: Sequence[ScoredRow], elsewhere: Mapping[str, bool]) -> GoldFigure:
    told = dict(elsewhere)
    for row in rows:
        told.update(row.evidence)
    closed = closed_by(told)
    by_rater = {row.rater or f"rater {number}": row for number, row in enumerate(rows, 1)}
    ratings = {rater: gated(row.scores, closed) for rater, row in by_rater.items()}
    gold = dimension_first(ratings.values(), closed)
    given = next((row.scores["overall"] for row in rows if not row.rater and len(rows) == 1), None)
    if gold["overall"] is None and closed != frozenset(DIMENSIONS):
        gold["overall"] = given
    return GoldFigure(key, gold, ratings, closed, rows[-1].about, given)


def gated(scores: Mapping[str, float | None], closed: Collection[str]) -> dict[str, float | None]:
    """Scores with the closed dimensions null and the overall made anew; a given one stays where there are no others."""
    kept = {name: None if name in closed else scores.get(name) for name in DIMENSIONS}
    mean = gated_mean(kept)
    alone = scores.get("overall") if mean is None and set(closed) != set(DIMENSIONS) else None
    return {**kept, "overall": mean if mean is not None else alone}


def dispersion(figures: Iterable[GoldFigure]) -> list[dict[str, Any]]:
    """How far raters are apart, one row per dimension and one for their overalls (appendix table 4).

    `n` counts the figures that at least two raters scored; `mean_spread` and `median_spread` are of the largest minus
    the smallest score of a figure; `within_1_pairs` is the share of rater pairs at most 1 apart. None where n is 0.
    """
    figures = list(figures)
    return [_dispersion_of(name, figures) for name in SCORES]


def _dispersion_of(name: str, figures: Sequence[GoldFigure]) -> dict[str, Any]:
    given = [[row[name] for row in figure.ratings.values() if row[name] is not None] for figure in figures]
    several = [[float(score) for score in scores if score is not None] for scores in given if len(scores) > 1]
    spreads = [max(scores) - min(scores) for scores in several]
    near = [abs(a - b) <= WITHIN + NOISE for scores in several for a, b in combinations(scores, 2)]
    return {
        "dimension": name, "n": len(several), "mean_spread": fmean(spreads) if spreads else None,
        "median_spread": median(spreads) if spreads else None, "within_1_pairs": fmean(near) if near else None,
    }  # fmt: skip


def adjudication(figures: Iterable[GoldFigure], gap: float = 2.0) -> list[dict[str, Any]]:
    """The figures whose raters' overalls are more than `gap` points apart, the widest first.

    Each with the overall of every rater, and the dimensions that are as far apart.
    """
    listed = []
    for figure in figures:
        spreads = {name: _spread(figure, name) for name in SCORES}
        if spreads["overall"] > gap + NOISE:
            wide = [name for name in DIMENSIONS if spreads[name] > gap + NOISE]
            overalls = {rater: row["overall"] for rater, row in figure.ratings.items()}
            listed.append(
                {"figure": "/".join(figure.key), "gap": spreads["overall"], "overalls": overalls, "wide": wide}
            )
    return sorted(listed, key=lambda entry: (-entry["gap"], entry["figure"]))


def _spread(figure: GoldFigure, name: str) -> float:
    given = [float(score) for row in figure.ratings.values() if (score := row[name]) is not None]
    return max(given) - min(given) if given else 0.0
