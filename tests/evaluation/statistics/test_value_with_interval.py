from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, finite, flat, notes, share, undefined


def test_a_measure_is_shown_with_its_interval_or_as_a_dash() -> None:
    assert Measure(0.74321, "", 0.7, 0.79).with_interval() == "0.743 (0.700 to 0.790)"
    assert Measure(0.74321).with_interval(2) == "0.74"
    assert undefined("one row").shown() == "-" and undefined("one row").with_interval() == "-"


def test_what_is_no_number_is_not_defined() -> None:
    for value in (math.nan, math.inf, -math.inf):
        assert finite(value, "overflow") == Measure(None, "not defined: overflow")
    assert finite(2, "overflow") == Measure(2.0)


def test_a_row_for_csv_has_the_ends_and_the_note() -> None:
    assert flat({"model": "o3", "dar": Measure(0.5, "", 0.4, 0.6), "tau": undefined("one row")}) == {
        "model": "o3", "dar": 0.5, "dar_low": 0.4, "dar_high": 0.6, "dar_note": "",
        "tau": None, "tau_low": None, "tau_high": None, "tau_note": "not defined: one row",
    }  # fmt: skip


def test_measures_that_lack_for_one_reason_share_a_line() -> None:
    row = {"n": 1, "tau": undefined("one row"), "rho": undefined("one row"), "dar": Measure(1.0), "icc": undefined("x")}
    assert notes(row, "o3") == ["o3: tau, rho not defined: one row", "o3: icc not defined: x"]
    assert notes({"dar": Measure(1.0)}) == []


def by_hand(hits: int, tried: int) -> tuple[float, float]:
    """The two roots of (p - share)^2 = z^2 p (1 - p) / n."""
    z = 1.959963984540054
    part, root = hits / tried, z * math.sqrt(hits * (tried - hits) / tried + z * z / 4) / tried
    middle = part + z * z / (2 * tried)
    return (middle - root) / (1 + z * z / tried), (middle + root) / (1 + z * z / tried)


@pytest.mark.parametrize(
    ("hits", "tried", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_newcombes_published_examples(hits: int, tried: int, low: float, high: float) -> None:
    # R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
    found = share(hits, tried)
    assert found.value == hits / tried
    assert found.low == pytest.approx(low, abs=5e-5) and found.high == pytest.approx(high, abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda tried: st.tuples(st.integers(0, tried), st.just(tried))))
def test_the_interval_is_wilsons_and_symmetric(given_: tuple[int, int]) -> None:
    hits, tried = given_
    found, other = share(hits, tried), share(tried - hits, tried)
    low, high = by_hand(hits, tried)
    assert found.low == pytest.approx(low, abs=1e-9) and found.high == pytest.approx(high, abs=1e-9)
    assert found.low == pytest.approx(1 - (other.high or 0), abs=1e-9)
    assert found.low is not None and found.high is not None and found.value is not None
    assert -1e-12 <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= 1 + 1e-12


def test_none_of_none_is_not_defined() -> None:
    found = share(0, 0, "answers")
    assert found.value is None and found.low is None and found.note == "not defined: no answers"


@pytest.mark.parametrize(("hits", "tried"), [(3, 2), (-1, 2)])
def test_more_hits_than_tries_are_an_error(hits: int, tried: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        share(hits, tried)
