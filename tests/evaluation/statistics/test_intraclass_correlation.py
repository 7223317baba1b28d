from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from data_juicer_ext.evaluation.statistics.intraclass_correlation import one_way

# P. E. Shrout and J. L. Fleiss, Intraclass correlations, 1979, table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# SciDiagBench, table 5: ICC, between, within.
TABLE_5 = [(0.8890, 0.0119, 0.00149), (0.8718, 0.0113, 0.00166), (0.8613, 0.0141, 0.00228), (0.8714, 0.0177, 0.00261)]
SCORES = st.floats(0, 1, allow_nan=False)
GROUPS = st.lists(st.lists(SCORES, min_size=2, max_size=4), min_size=2, max_size=12)


def test_shrout_and_fleiss_published_example() -> None:
    found = one_way(SHROUT_FLEISS)
    assert found.icc.value == pytest.approx(0.17, abs=0.005)
    assert found.within.value == pytest.approx(6.26, abs=0.005)
    assert found.between.value == pytest.approx((11.24 - 6.26) / 4, abs=0.005)


@pytest.mark.parametrize(("icc", "between", "within"), TABLE_5)
def test_scidiags_table_is_between_by_the_sum(icc: float, between: float, within: float) -> None:
    assert between / (between + within) == pytest.approx(icc, abs=0.001), "the paper's own numbers fit the formula"
    # Data with these components: two instances, two runs; means apart by 2a, runs by 2b.
    b = (within / 2) ** 0.5
    a = (between / 2 + within / 4) ** 0.5
    found = one_way([[0.5 - a - b, 0.5 - a + b], [0.5 + a - b, 0.5 + a + b]])
    assert found.between.value == pytest.approx(between) and found.within.value == pytest.approx(within)
    assert found.icc.value == pytest.approx(icc, abs=0.001)


def test_groups_of_unequal_size_worked_by_hand() -> None:
    # Means 1, 4 and 7 of 2, 1 and 3 scores, the whole mean 27 / 6 = 4.5; squares within 2, 0 and 2 over 3.
    found = one_way([[0, 2], [4], [6, 7, 8]])
    within = 4 / 3
    between = (2 * 3.5**2 + 0.5**2 + 3 * 2.5**2) / 2
    size = (6 - (4 + 1 + 9) / 6) / 2
    assert found.within.value == pytest.approx(within)
    assert found.between.value == pytest.approx((between - within) / size)


@given(GROUPS)
def test_the_mean_squares_are_scipys_f(groups: list[list[float]]) -> None:
    found = one_way(groups)
    assert found.within.value is not None and found.between.value is not None
    if found.within.value < 1e-6:
        return
    number = sum(map(len, groups))
    size = (number - sum(len(group) ** 2 for group in groups) / number) / (len(groups) - 1)
    theirs = float(stats.f_oneway(*groups).statistic)
    assert (size * found.between.value + found.within.value) / found.within.value == pytest.approx(theirs, abs=1e-6)


@given(GROUPS, st.floats(-3, 3), st.floats(0.5, 4))
def test_icc_does_not_hang_on_origin_and_unit(groups: list[list[float]], shift: float, factor: float) -> None:
    found = one_way(groups)
    moved = one_way([[shift + factor * value for value in group] for group in groups])
    if found.icc.value is None or (found.within.value or 0) < 1e-6:
        return
    assert found.icc.value <= 1
    assert moved.icc.value == pytest.approx(found.icc.value, abs=1e-6)
    assert one_way(groups[::-1]).icc.value == pytest.approx(found.icc.value, abs=1e-9)


def test_runs_that_agree_give_one_and_runs_that_only_differ_by_chance_a_negative_number() -> None:
    assert one_way([[0.2, 0.2], [0.7, 0.7]]).icc.value == pytest.approx(1)
    assert (one_way([[0, 1], [1, 0], [0, 1]]).icc.value or 0) < 0


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ([], "fewer than two instances"),
        ([[0.1, 0.2]], "fewer than two instances"),
        ([[0.1, 0.2], []], "fewer than two instances"),
        ([[0.1], [0.2], [0.3]], "no instance has two runs"),
        ([[0.3, 0.3], [0.3, 0.3]], "all scores are equal"),
        ([[0.1 + 0.2, 0.3], [0.3, 0.3]], "all scores are equal"),
    ],
)
def test_odd_data_gives_a_stated_result(groups: list[list[float]], why: str) -> None:
    found = one_way(groups)
    assert found.icc.value is None and found.icc.note == f"not defined: {why}"
