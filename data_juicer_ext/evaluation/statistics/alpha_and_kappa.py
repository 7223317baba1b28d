"""How far raters agree beyond chance: Krippendorff's alpha and Fleiss' kappa."""

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Draw, Resampling, with_interval
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


class MissingExtraError(DjExtError, ValueError):
    """A package of the extra is not installed."""


def statsmodels(module: str) -> Any:
    """A module of statsmodels, such as "stats.inter_rater". Raises MissingExtraError with what to install."""
    try:
        return importlib.import_module(f"statsmodels.{module}")
    except ImportError as error:
        raise MissingExtraError("statsmodels is not installed: pip install 'data-juicer-ext[eval]'") from error


Level = Literal["nominal", "ordinal", "interval", "ratio"]
Units = Mapping[str, Mapping[str, float]]
"""By unit (what is rated), the value that each rater gave; a rater that gave none is not in it."""


@dataclass(frozen=True)
class RatingCounts:
    """How often each value was given to each unit: `table` is units x values, the units sorted by name.

    `clusters` numbers, for each unit, the instance that it belongs to; intervals come from drawing instances.
    """

    values: tuple[float, ...]
    table: NDArray[np.int64]
    clusters: NDArray[np.intp]

    def with_ratings(self, least: int, most: int | None = None) -> "RatingCounts":
        """The units with at least `least` and at most `most` ratings."""
        numbers = self.table.sum(axis=1)
        kept = (numbers >= least) & (numbers <= (numbers if most is None else most))
        return RatingCounts(self.values, self.table[kept], self.clusters[kept])

    @property
    def problem(self) -> str:
        """Why no agreement is defined over units that all have two ratings or more, "" where it is."""
        if not len(self.table):
            return "no item has two ratings"
        if len(self.table) < 2:
            return "only one item has two ratings"
        return "all ratings are equal" if _one_value(self.table) else ""


def counts_of(units: Units, instance: Callable[[str], str] = str) -> RatingCounts:
    """Count the ratings; `instance` gives what a unit belongs to. The order of units and raters does not matter."""
    values = sorted({value for ratings in units.values() for value in ratings.values()})
    place = {value: column for column, value in enumerate(values)}
    names = sorted(units)
    table = np.zeros((len(names), len(values)), dtype=np.int64)
    for row, name in enumerate(names):
        for value in units[name].values():
            table[row, place[value]] += 1
    number = {name: index for index, name in enumerate(dict.fromkeys(map(instance, names)))}
    return RatingCounts(tuple(values), table, np.asarray([number[instance(name)] for name in names], dtype=np.intp))


def krippendorff_alpha(counts: RatingCounts, level: Level, order: Resampling = NONE) -> Measure:
    """Krippendorff's alpha, 1 for full agreement, 0 for chance; its interval by drawing instances.

    `level` is how far values are apart: nominal, ordinal, interval or ratio. Missing ratings are allowed.
    """
    several = counts.with_ratings(2)  # a single rating tells nothing of agreement
    if several.problem:
        return undefined(several.problem)
    return _with_interval(several, lambda table: _alpha(table, counts.values, level), order)


def _alpha(table: NDArray[np.int64], values: Sequence[float], level: Level) -> float:
    import krippendorff

    return float(krippendorff.alpha(value_counts=table, value_domain=list(values), level_of_measurement=level))


def fleiss_kappa(counts: RatingCounts, order: Resampling = NONE) -> tuple[Measure, int]:
    """Fleiss' kappa over the units with the commonest number of ratings, and how many units that leaves out.

    It is defined for an equal number of ratings a unit only (J. L. Fleiss, 1971); of numbers that are equally common
    the larger one is taken. Units with fewer than two ratings are left out too.
    """
    several = counts.with_ratings(2)
    numbers = Counter(int(number) for number in several.table.sum(axis=1))
    commonest = max(numbers, key=lambda number: (numbers[number], number), default=2)
    equal = several.with_ratings(commonest, commonest)
    left_out = len(counts.table) - len(equal.table)
    if equal.problem:
        return undefined(equal.problem), left_out
    try:
        return _with_interval(equal, _kappa, order), left_out
    except MissingExtraError as error:
        return undefined(str(error)), left_out


def _with_interval(counts: RatingCounts, statistic: Callable[[NDArray[np.int64]], float], order: Resampling) -> Measure:
    rows_of = [np.flatnonzero(counts.clusters == cluster) for cluster in np.unique(counts.clusters)]

    def drawn(draw: Draw) -> float | None:
        table = counts.table[np.concatenate([rows_of[cluster] for cluster in draw])]
        return None if _one_value(table) else statistic(table)

    return with_interval(Measure(statistic(counts.table)), len(rows_of), drawn, order)


def _kappa(table: NDArray[np.int64]) -> float:
    return float(statsmodels("stats.inter_rater").fleiss_kappa(table))


def _one_value(table: NDArray[np.int64]) -> bool:
    return int(np.count_nonzero(table.sum(axis=0))) < 2
