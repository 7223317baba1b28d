"""The intraclass correlation of repeated scores, from the mean squares of a one-way analysis of variance.

None of the libraries that the package installs has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

_NOTHING = 1e-18  # what rounding leaves of a variance of equal scores


@dataclass(frozen=True)
class OneWay:
    """The components of variance, and `icc` = between / (between + within).

    `within` is the mean square within instances, `between` (mean square between - within) / scores an instance. An
    estimate of `between` may be negative where instances differ less than their scores do by themselves; so may `icc`.
    """

    icc: Measure
    between: Measure
    within: Measure


def one_way(groups: Sequence[Sequence[float]]) -> OneWay:
    """ICC in its one-way single-rating form, ICC(1,1) of P. E. Shrout and J. L. Fleiss (1979).

    `groups` holds the repeated scores of each instance; groups of unequal size count with the usual mean size
    k0 = (N - sum(k_i^2) / N) / (instances - 1). Groups without a score are passed over.
    """
    groups = [group for group in groups if group]
    number = sum(map(len, groups))
    if len(groups) < 2:
        return _nothing("fewer than two instances")
    if number == len(groups):
        return _nothing("no instance has two runs")
    whole = fmean(value for group in groups for value in group)
    means = [fmean(group) for group in groups]
    square_between = sum(len(group) * (mean - whole) ** 2 for group, mean in zip(groups, means, strict=True))
    square_within = sum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)
    within = square_within / (number - len(groups))
    size = (number - sum(len(group) ** 2 for group in groups) / number) / (len(groups) - 1)
    between = (square_between / (len(groups) - 1) - within) / size
    variance = between + within
    if abs(variance) <= _NOTHING * max(1.0, whole**2):
        icc = undefined("all scores are equal")
    else:
        icc = Measure(between / variance)
    return OneWay(icc, Measure(between), Measure(within))


def _nothing(why: str) -> OneWay:
    return OneWay(undefined(why), undefined(why), undefined(why))
