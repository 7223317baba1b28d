from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.report.score_distribution import MOST_COLUMNS, Distribution, ScoreDistributions, scored
from tests.report.run_folders import RunFolder


def column(name: str, *values: object) -> Distribution:
    found = ScoreDistributions()
    for value in values:
        found.add({name: value})
    return found.columns[name]


def test_whole_numbers_get_a_bar_each() -> None:
    made = column("quality_VC", 7, 7.0, 9.0)
    assert made.bins() == [("7", 2), ("8", 0), ("9", 1)] and made.count == 3
    assert made.mean == pytest.approx(23 / 3) and made.median == 7


def test_the_median_of_two_halves_is_the_lower_score() -> None:
    assert column("x", 1, 2, 3, 4).median == 2 and column("x", 1, 2, 3).median == 2 and column("x", 5).median == 5


def test_twenty_whole_numbers_apart_still_get_a_bar_each() -> None:
    assert len(column("x", 0, 20).bins()) == 21 and len(column("x", 0, 21).bins()) == 10
    assert [count for _, count in column("x", 0.5, 1.5, 10.5).bins()] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert column("x", 0.25, 0.25).bins() == [("0.25", 2)]
    assert column("x", 0.0, 0.05, 1.0).bins()[0] == ("0 to 0.1", 2)


def test_other_numbers_get_ten_bars() -> None:
    made = column("quality_overall", *(n / 7 for n in range(1, 71)))
    assert len(made.bins()) == 10 and sum(number for _, number in made.bins()) == 70


def test_a_single_value_has_one_bar() -> None:
    assert sum(number for _, number in column("x", 0.25).bins()) == 1


def test_a_gated_dimension_is_no_low_score() -> None:
    made = column("quality_C", 0.0, 8.0)
    assert (made.gated, made.count, made.mean) == (1, 1, 8.0)
    assert column("votes", 0, 2).gated == 0


def test_what_is_no_number_is_left_out() -> None:
    found = ScoreDistributions()
    found.add({"a": True, "b": "7", "c": float("nan"), "d": float("inf"), "__dj__x": 1.0, "e": None})
    assert all(not made.count for made in found.columns.values()) and set(found.columns) == {"c", "d"}
    assert Distribution("none").bins() == [] and Distribution("none").median == 0


def test_a_table_of_a_thousand_columns_is_cut() -> None:
    found = ScoreDistributions()
    found.add({f"c{number}": number for number in range(1000)})
    assert len(found.columns) == MOST_COLUMNS


def test_all_scored_figures_are_counted_not_only_those_that_a_filter_kept(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for number, overall in enumerate((8.0, 4.0, 6.0)):
        told = {"scores": {"VC": overall, "C": None if number else 5}, "overall": overall}
        folder.note("figure_quality", f"f{number}", reason="scored", detail=told)
        verdict = "keep" if overall > 5 else "drop"
        folder.note("figure_quality_filter", f"f{number}", verdict, detail=told, operator="figure_quality_filter")
    [(tag, made)] = scored(count(select_runs(folder.path))).items()
    assert tag == "figure_quality" and [one.name for one in made] == ["overall", "VC", "C"]
    assert made[0].values == {8.0: 1, 4.0: 1, 6.0: 1} and (made[2].count, made[2].gated) == (1, 2)
