from __future__ import annotations

import math
import warnings
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from data_juicer_ext.evaluation.statistics.bootstrap import Resampling
from data_juicer_ext.evaluation.statistics.correlation import KINDS, CorrelationKind, correlation

SCORES = st.integers(1, 9).map(lambda value: value / 2)
PAIRS = st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=25)


def split(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def varied(pairs: list[tuple[float, float]]) -> bool:
    return all(len(set(column)) > 1 for column in split(pairs))


def brute_tau_b(first: list[float], second: list[float]) -> float:
    """Kendall's tau-b by its definition: every pair of rows looked at."""
    ways = [
        ((a > b) - (a < b), (c > d) - (c < d)) for (a, c), (b, d) in combinations(zip(first, second, strict=True), 2)
    ]
    return sum(a * c for a, c in ways) / math.sqrt(sum(a * a for a, _ in ways) * sum(c * c for _, c in ways))


def test_worked_by_hand() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
    assert correlation("srcc", [1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    # Deviations -1, 0, 0, 1 and -1.5, -0.5, 0.5, 1.5: covariance 3, variances 2 and 5.
    assert correlation("plcc", [1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(3 / math.sqrt(2 * 5))
    # Of 6 pairs 5 are concordant and 1 is tied on the left.
    assert correlation("kendall", [1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(5 / math.sqrt(5 * 6))


@given(PAIRS.filter(varied))
def test_kendall_is_the_definition(pairs: list[tuple[float, float]]) -> None:
    first, second = split(pairs)
    assert correlation("kendall", first, second).value == pytest.approx(brute_tau_b(first, second), abs=1e-9)


@given(PAIRS.filter(varied))
def test_spearman_is_pearson_of_the_ranks(pairs: list[tuple[float, float]]) -> None:
    first, second = split(pairs)
    ranks = correlation("plcc", list(stats.rankdata(first)), list(stats.rankdata(second))).value
    assert correlation("srcc", first, second).value == pytest.approx(ranks, abs=1e-9)


@given(PAIRS.filter(varied), st.sampled_from(KINDS), st.randoms(use_true_random=False))
def test_the_order_of_rows_sides_and_units_does_not_matter(
    pairs: list[tuple[float, float]], kind: CorrelationKind, chance: Any
) -> None:
    first, second = split(pairs)
    value = correlation(kind, first, second).value
    assert value is not None and -1 - 1e-9 <= value <= 1 + 1e-9
    chance.shuffle(pairs)
    shuffled = split(pairs)
    assert correlation(kind, *shuffled).value == pytest.approx(value, abs=1e-9)
    assert correlation(kind, second, first).value == pytest.approx(value, abs=1e-9)
    assert correlation(kind, [20 * x - 7 for x in first], second).value == pytest.approx(value, abs=1e-9)
    assert correlation(kind, [-x for x in first], second).value == pytest.approx(-value, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("predicted", "gold", "why"),
    [
        ([], [], "fewer than two images"),
        ([3], [4], "fewer than two images"),
        ([3, 3, 3], [1, 2, 3], "all predictions are equal"),
        ([1, 2, 3], [4, 4, 4], "all gold are equal"),
        ([1, 1], [1, 1], "all predictions and all gold are equal"),
        ([0.1 + 0.2, 0.3], [1, 2], "all predictions are equal"),
    ],
)
def test_odd_data_gives_a_stated_result_and_no_warning(
    kind: CorrelationKind, predicted: list[float], gold: list[float], why: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = correlation(kind, predicted, gold, Resampling(20), "images")
    assert found.value is None and found.low is None and found.note == f"not defined: {why}"


def test_means_that_differ_in_the_last_digit_tie() -> None:
    assert 0.1 + 0.2 != 0.3
    assert correlation("srcc", [0.1 + 0.2, 0.3, 5.0], [1, 1, 2]).value == pytest.approx(1.0)


def test_the_interval_holds_the_value_and_narrows_with_rows() -> None:
    def data(rows: int) -> tuple[list[float], list[float]]:
        return [float(i % 17) for i in range(rows)], [float(i % 17 + 9 * ((i * 7) % 5)) for i in range(rows)]

    few, many = (correlation("srcc", *data(rows), Resampling(200)) for rows in (30, 600))
    for found in (few, many):
        assert found.low is not None and found.high is not None and found.value is not None
        assert found.low < found.value < found.high
    assert few.high - few.low > 2 * (many.high - many.low)  # type: ignore[operator]


def test_a_constant_draw_does_not_lose_the_interval() -> None:
    found = correlation("kendall", [0] * 9 + [1], [1, 2, 1, 2, 1, 2, 1, 2, 1, 9], Resampling(400))
    assert found.value is not None and found.low is not None, "a third of the draws miss the one row that differs"


def test_lists_of_different_length_are_an_error() -> None:
    with pytest.raises(ValueError, match="2 predictions and 1 gold"):
        correlation("plcc", [1, 2], [1])
