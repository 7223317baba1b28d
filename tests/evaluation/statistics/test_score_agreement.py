from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from data_juicer_ext.evaluation.statistics.score_agreement import agreement, errors, spearman

SCORES = st.integers(2, 20).map(lambda value: value / 2)


def test_errors_worked_by_hand() -> None:
    assert errors([8, 6, 5], [7, 8, 5]) == {
        "n": 3,
        "mae": 1.0,
        "within_1": pytest.approx(2 / 3),
        "bias": pytest.approx(-1 / 3),
    }
    assert errors([9, 9], [8, 7])["bias"] == 1.5, "positive is lenient"


def test_an_error_of_exactly_one_is_within() -> None:
    assert 8.3 - 7.3 > 1.0
    assert errors([8.3, 7.3, 7.0], [7.3, 8.3, 5.9])["within_1"] == pytest.approx(2 / 3)


def test_spearman_with_ties_worked_by_hand() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
    found, note = spearman([1, 2, 2, 3], [1, 2, 3, 4])
    assert found == pytest.approx(4.5 / (4.5 * 5) ** 0.5) and note == ""


@given(st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=40))
def test_spearman_is_scipys(pairs: list[tuple[float, float]]) -> None:
    predicted, gold = [list(values) for values in zip(*pairs, strict=True)]
    found, note = spearman(predicted, gold)
    if len(set(predicted)) == 1 or len(set(gold)) == 1:
        assert found is None and "equal" in note
    else:
        assert found == pytest.approx(stats.spearmanr(predicted, gold).statistic, abs=1e-12)


def test_equal_means_that_differ_in_the_last_digit_tie() -> None:
    same = [0.1 + 0.2, 0.3, 5.0]
    assert same[0] != same[1]
    assert spearman(same, [1, 1, 2])[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("predicted", "gold", "note"),
    [
        ([], [], "fewer than two"),
        ([7], [8], "fewer than two"),
        ([7, 7, 7], [1, 2, 3], "all predictions are equal"),
        ([1, 2, 3], [5, 5, 5], "all gold are equal"),
        ([5, 5], [5, 5], "all predictions and all gold are equal"),
    ],
)
def test_odd_data_gives_a_stated_result_and_no_warning(predicted: list[Any], gold: list[Any], note: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = agreement(predicted, gold)
    assert found["srcc"] is None and note in found["srcc_note"]
    assert found["n"] == len(gold) and (found["mae"] is None) == (not gold)


def test_lists_of_different_length_are_an_error() -> None:
    with pytest.raises(ValueError):
        errors([1, 2], [1])
