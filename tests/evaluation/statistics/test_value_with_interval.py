from __future__ import annotations

import math

from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, finite, flat, notes, undefined


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
