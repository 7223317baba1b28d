from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.estimate.intervals import LEAST_FOR_SLOPE, regressed, scaled, survivors, total

RNG = np.random.default_rng(5)


@given(st.integers(1, 40), st.integers(0, 400), st.data())
def test_survivors_lie_between_what_was_seen_and_what_is_left(drawn: int, unseen: int, data: st.DataObject) -> None:
    kept = data.draw(st.integers(0, drawn))
    found = survivors(kept, drawn, drawn + unseen)
    assert kept <= found.high <= kept + unseen + 1e-9
    assert 0 <= found.low <= found.likely <= found.high


def test_all_rows_drawn_leave_no_doubt() -> None:
    assert survivors(7, 30, 30).known
    found = total(regressed(np.arange(12.0), np.arange(12.0), 5.5, 12), 12, 12)
    assert found.known and found.likely == pytest.approx(66)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("rows", [120, 400])
def test_survivors_hold_four_times_of_five(share: float, rows: int) -> None:
    truth = round(rows * share)
    kept = RNG.hypergeometric(truth, rows - truth, 30, size=2000)
    intervals = {k: survivors(k, 30, rows) for k in set(kept.tolist())}
    held = np.mean([intervals[k].low <= truth <= intervals[k].high for k in kept.tolist()])
    assert 0.74 <= held <= 0.92


def test_none_kept_of_30_is_not_none_of_all() -> None:
    assert survivors(0, 30, 300).likely == 0 and survivors(0, 30, 300).high > 10
    none = np.zeros(30)
    assert total(regressed(none, none, 0.0, 300), 30, 300).high > 5


def test_a_total_is_carried_over_by_what_is_known_of_all_rows() -> None:
    known = RNG.uniform(100, 2000, 200)
    amounts = 40 + 1.3 * known
    places = np.arange(30)
    found = total(regressed(amounts[places], known[places], float(known.mean()), 200), 30, 200)
    assert found.likely == pytest.approx(amounts.sum()) and found.high - found.low < 1e-3 * found.likely
    found = total(scaled(1.3 * known[places], known[places], float(known.sum())), 30, 200)
    assert found.likely == pytest.approx(1.3 * known.sum())


def test_few_rows_give_no_slope() -> None:
    few = LEAST_FOR_SLOPE - 1
    y, x = np.arange(few, dtype=float), np.arange(few, dtype=float)
    assert regressed(y, x, 100.0, 50)(np.arange(few)) == pytest.approx(50 * y.mean())


def test_a_larger_sample_says_more() -> None:
    counts = RNG.poisson(2.0, 400).astype(float)

    def width(rows: int) -> float:
        found = total(regressed(counts[:rows], np.ones(rows), 1.0, 400), rows, 400)
        return found.high - found.low

    assert width(200) < width(60) < width(20)
