"""Scores of models against mean opinion scores: SRCC and PLCC for Perception, Knowledge and both (SIQA table 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.evaluation.siqa.mos import Mos
from data_juicer_ext.evaluation.siqa.votes import DIMENSIONS, ImageScores, read_row
from data_juicer_ext.evaluation.statistics.bootstrap import Resampling, with_interval
from data_juicer_ext.evaluation.statistics.correlation import CorrelationKind, coefficient, column, correlation
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined
from data_juicer_ext.rows import Row

COEFFICIENTS: tuple[CorrelationKind, ...] = ("srcc", "plcc")
COLUMNS = (*DIMENSIONS, "siqa_s", "mean_rating")


@dataclass(frozen=True)
class ModelScores:
    """The scores of one model, by image; `repeated` counts images scored more than once (the last counts)."""

    model: str
    scores: dict[str, ImageScores]
    refused: list[str]
    repeated: int


@dataclass(frozen=True)
class SiqaEvaluation:
    """All that was found: one row per model, the MOS, and what was refused.

    A row has `srcc_` and `plcc_` of perception, knowledge, siqa_s (the mean of these two coefficients, as the paper has
    it) and mean_rating (the coefficient of the mean of both scores with the mean of both MOS); `n_` counts the images
    of each dimension.
    """

    key: str
    rows: list[dict[str, Any]]
    mos: Mos
    refused: list[str]


def read_predicted(model: str, rows: Sequence[Row], key: str) -> ModelScores:
    """The scores of a model's rows (`siqa_rating_mapper`: rating_perception, rating_knowledge)."""
    scores, refused, read = dict[str, ImageScores](), list[str](), 0
    for row in rows:
        try:
            image, own = read_row(row, key)
        except RowError as error:
            refused.append(f"{model}: {error}")
            continue
        read += 1
        scores[image] = own
    return ModelScores(model, scores, refused, read - len(scores))


def evaluate(
    models: Sequence[ModelScores], mos: Mos, key: str, order: Resampling, refused: Sequence[str] = ()
) -> SiqaEvaluation:
    """Compare every model with the MOS, over the images that both have."""
    rows = [_row(model, mos.scores, order) for model in models]
    return SiqaEvaluation(key, rows, mos, [*refused, *(reason for model in models for reason in model.refused)])


def _row(model: ModelScores, gold: Mapping[str, ImageScores], order: Resampling) -> dict[str, Any]:
    images = sorted(model.scores.keys() & gold.keys())
    table = {name: _pairs(model.scores, gold, name, images) for name in DIMENSIONS}
    row: dict[str, Any] = {
        "model": model.model, "images": len(images), "without_mos": len(model.scores.keys() - gold.keys()),
        "without_score": len(gold.keys() - model.scores.keys()), "repeated": model.repeated,
        **{f"n_{name}": len(_whole(pairs)) for name, pairs in table.items()},
    }  # fmt: skip
    for kind in COEFFICIENTS:
        alone = {name: _coefficient(kind, pairs, order) for name, pairs in table.items()}
        row |= {f"{kind}_{name}": measure for name, measure in alone.items()}
        row[f"{kind}_siqa_s"] = _mean_of(kind, alone, table, order)
        row[f"{kind}_mean_rating"] = _coefficient(kind, np.mean(list(table.values()), axis=0), order)
    return row


Pairs = NDArray[np.float64]  # images x (predicted, gold), NaN where one is not there


def _pairs(
    predicted: Mapping[str, ImageScores], gold: Mapping[str, ImageScores], name: str, images: Sequence[str]
) -> Pairs:
    both = (column(scores[image].get(name, np.nan) for image in images) for scores in (predicted, gold))
    return np.column_stack(list(both))


def _whole(pairs: Pairs) -> Pairs:
    kept: Pairs = pairs[~np.isnan(pairs).any(axis=1)]
    return kept


def _coefficient(kind: CorrelationKind, pairs: Pairs, order: Resampling) -> Measure:
    whole = _whole(pairs)
    return correlation(kind, whole[:, 0].tolist(), whole[:, 1].tolist(), order, "images with a score and a MOS")


def _mean_of(
    kind: CorrelationKind, alone: Mapping[str, Measure], table: Mapping[str, Pairs], order: Resampling
) -> Measure:
    values = [measure.value for measure in alone.values() if measure.value is not None]
    if len(values) < len(alone):
        return undefined(f"it needs {' and '.join(name for name, measure in alone.items() if measure.value is None)}")
    images = len(next(iter(table.values())))

    def drawn(draw: NDArray[np.intp]) -> float | None:
        whole = (_whole(pairs[draw]) for pairs in table.values())
        found = [coefficient(kind, pairs[:, 0], pairs[:, 1]) for pairs in whole]
        there = [value for value in found if value is not None]
        return fmean(there) if len(there) == len(found) else None

    return with_interval(Measure(fmean(values)), images, drawn, order)
