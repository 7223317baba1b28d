from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Resampling, with_interval
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined

VALUES = np.asarray([1.0, 2, 2, 3, 5, 8, 8, 9, 10, 14])


def mean_of(draw: NDArray[np.intp]) -> float | None:
    return float(VALUES[draw].mean())


def test_the_interval_of_a_mean_is_scipys_percentile_interval() -> None:
    found = with_interval(Measure(float(VALUES.mean())), len(VALUES), mean_of, Resampling(9000, 1))
    theirs = stats.bootstrap((VALUES,), np.mean, n_resamples=9000, method="percentile", random_state=2)
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=0.15)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=0.15)


def test_the_seed_fixes_the_interval() -> None:
    first, again, other = (with_interval(Measure(0.0), 10, mean_of, Resampling(200, seed)) for seed in (3, 3, 4))
    assert (first.low, first.high) == (again.low, again.high) != (other.low, other.high)


def test_draws_without_a_value_are_left_out_until_they_are_too_many() -> None:
    def rarely(draw: NDArray[np.intp]) -> float | None:
        return None if 0 in draw[:3] else 1.0

    def mostly(draw: NDArray[np.intp]) -> float | None:
        return 1.0 if (draw == 0).sum() > 3 else None

    assert with_interval(Measure(1.0), 10, rarely, Resampling(300)).low == 1.0
    assert with_interval(Measure(1.0), 10, mostly, Resampling(300)) == Measure(1.0)


def test_no_interval_without_a_value_without_draws_or_with_few_instances() -> None:
    assert with_interval(Measure(1.0), 9, mean_of, Resampling()) == Measure(1.0)
    assert with_interval(Measure(1.0), 10, mean_of, Resampling(50)).low is not None
    assert with_interval(undefined("one row"), 10, mean_of, Resampling()) == undefined("one row")
    assert with_interval(Measure(1.0), 10, mean_of, NONE) == Measure(1.0)


@pytest.mark.parametrize(("resamples", "seed"), [(-1, 0), (10, -1)])
def test_negative_numbers_are_refused(resamples: int, seed: int) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        Resampling(resamples, seed)
