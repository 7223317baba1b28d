"""Correlation of two lists of scores: Spearman (SRCC), Pearson (PLCC) and Kendall (tau-b), with bootstrap intervals."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Resampling, with_interval
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

CorrelationKind = Literal["srcc", "plcc", "kendall"]
KINDS: tuple[CorrelationKind, ...] = ("srcc", "plcc", "kendall")
_DIGITS = 9

Column = NDArray[np.float64]


def correlation(
    kind: CorrelationKind,
    predicted: Sequence[float],
    gold: Sequence[float],
    order: Resampling = NONE,
    what: str = "rows",
) -> Measure:
    """A rank or linear correlation, -1 to 1; ties share their mean rank (SRCC) or are corrected for (tau-b).

    Not defined with fewer than two pairs or where a list is constant; `what` is the word for the pairs. Raises
    ValueError for lists of different length.
    """
    if len(predicted) != len(gold):
        raise ValueError(f"{len(predicted)} predictions and {len(gold)} gold scores")
    first, second = column(predicted), column(gold)
    if len(first) < 2:
        return undefined(f"fewer than two {what}")
    if constant := [name for name, values in (("predictions", first), ("gold", second)) if not np.ptp(values)]:
        return undefined(f"all {' and all '.join(constant)} are equal")
    value = coefficient(kind, first, second)
    measure = undefined("the scores are too near to each other") if value is None else Measure(value)
    return with_interval(measure, len(first), lambda draw: coefficient(kind, first[draw], second[draw]), order)


def column(values: Iterable[float]) -> Column:
    """Scores as an array, rounded so that means which are equal but for the last binary digit tie."""
    return np.asarray([round(float(value), _DIGITS) for value in values], dtype=np.float64)


def coefficient(kind: CorrelationKind, first: Column, second: Column) -> float | None:
    """The bare coefficient of two columns of one length; None where it is not defined."""
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return None
    from scipy import stats  # type: ignore[import-untyped]  # here, as it takes a second

    found = {"srcc": stats.spearmanr, "plcc": stats.pearsonr, "kendall": stats.kendalltau}[kind]
    with warnings.catch_warnings():  # a column that is all but constant is warned of, and its value is checked here
        warnings.simplefilter("ignore")
        value = float(found(first, second).statistic)
    return value if np.isfinite(value) else None
