from __future__ import annotations

import pytest

from data_juicer_ext.estimate.uncertain_amounts import Range


def test_a_known_amount_has_no_ends() -> None:
    assert Range.exact(3).known and Range.exact(3).times(2) == Range.exact(6)
    assert not Range(1, 2, 3).known


def test_errors_that_are_independent_add_by_their_squares() -> None:
    found = Range(7, 10, 14).plus(Range(16, 20, 23))
    assert (found.low, found.likely, found.high) == pytest.approx((25, 30, 35))


def test_a_sum_is_never_below_nothing() -> None:
    assert Range(0, 1, 9).plus(Range(0, 1, 9)).low >= 0


def test_an_uncertain_factor_widens_what_was_known() -> None:
    found = Range.exact(100).widened(0.1)
    assert (found.low, found.high) == pytest.approx((90, 110))
    assert Range(94, 100, 108).widened(0.06).high == pytest.approx(110)
    assert Range.exact(100).widened(5).low == 0


def test_counts_end_in_whole_rows() -> None:
    assert Range(3.2, 4.5, 6.1).in_whole_rows() == Range(3, 4.5, 7)
    assert Range.exact(2.9999999999999996).in_whole_rows() == Range.exact(3)
