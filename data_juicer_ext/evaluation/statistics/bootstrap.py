"""Bootstrap intervals: whole instances are drawn with replacement, and the middle 95% of the values is the interval.

`scipy.stats.bootstrap` gives no interval as soon as the statistic of one draw is not defined, and small sets of
ordinal ratings have such draws (all values equal); here these draws are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure

_LEAST = 0.5  # the share of draws that must have a value
_FEWEST = 10  # draws of fewer instances are all too much alike: two pairs give an interval without width
_ENDS = (2.5, 97.5)


@dataclass(frozen=True)
class Resampling:
    """How many draws, 0 for no interval, and the seed that fixes them."""

    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 0 or self.seed < 0:
            raise UsageError("resamples and seed are numbers from 0 on")


NONE = Resampling(resamples=0)

Draw = NDArray[np.intp]


def with_interval(measure: Measure, size: int, statistic: Callable[[Draw], float | None], order: Resampling) -> Measure:
    """`measure` with its interval over `size` instances.

    `statistic` gets the places of the drawn instances (`size` of them, 0-based) and gives its value or None. Without
    an interval if the measure has no value, there are fewer than 10 instances, or fewer than half of the draws have a
    value.
    """
    if measure.value is None or not order.resamples or size < _FEWEST:
        return measure
    generator = np.random.default_rng(order.seed)
    draws = (generator.integers(0, size, size) for _ in range(order.resamples))
    values = [value for draw in draws if (value := statistic(draw)) is not None]
    if len(values) < _LEAST * order.resamples:
        return measure
    low, high = (float(end) for end in np.percentile(np.asarray(values, dtype=np.float64), _ENDS))
    return replace(measure, low=low, high=high)
