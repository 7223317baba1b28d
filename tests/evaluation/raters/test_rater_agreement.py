from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from data_juicer_ext.evaluation.raters.rater_agreement import evaluate
from data_juicer_ext.evaluation.raters.rater_report import as_text, write
from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Resampling
from data_juicer_ext.ratings.rating_file import Rating

OBSERVERS = {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."}


def observers(form: str = "verisciqa", dimension: str = "overall_quality") -> list[Rating]:
    """Krippendorff's reliability table (2011) as ratings."""
    return [
        Rating(name, form, f"u{place:02}", {dimension: int(digit)})
        for name, line in OBSERVERS.items()
        for place, digit in enumerate(line)
        if digit != "."
    ]


def test_krippendorffs_table_as_ratings() -> None:
    [row] = evaluate(observers(), Resampling(50)).rows
    assert (row["form"], row["dimension"], row["items"], row["raters"], row["ratings"]) == (
        "verisciqa", "overall_quality", 12, 4, 41,
    )  # fmt: skip
    assert row["alpha_nominal"].value == pytest.approx(0.743, abs=0.0005)
    assert row["alpha_ordinal"].value == pytest.approx(0.815, abs=0.0005)
    assert row["alpha_ordinal"].low < 0.815 < row["alpha_ordinal"].high
    assert row["kappa_left_out"] == 4, "kappa is over the eight units that all four rated"


def test_every_form_has_its_dimensions() -> None:
    ratings = [
        Rating("a", "quality", "f", {"VC": 8, "C": None, "overall": 7}),
        Rating("a", "siqa", "f", {"perception": 4, "knowledge": 2}),
        Rating("a", "siqa", "c", {"perception": 4, "knowledge": 2}, calibration=True),
        Rating("a", "audit", "f", {}, accepted=False),
        Rating("a", "scidiag", "p", {"overall": -2, "criteria": {"c1": 1, "c2": None}}),
    ]
    found = evaluate(ratings, NONE)
    assert [(row["form"], row["dimension"], row["mean"].value) for row in found.rows] == [
        ("audit", "accepted", 0), ("quality", "VC", 8), ("quality", "overall", 7), ("scidiag", "overall", -2),
        ("scidiag", "criteria", 1), ("scidiag", "direction", -1), ("siqa", "perception", 4), ("siqa", "knowledge", 2),
    ]  # fmt: skip
    assert found.forms["siqa"] == {"items": 1, "raters": 1, "ratings": 1, "calibration": 1}
    assert "(1 of a calibration left out)" in as_text(found)
    assert {row["form"] for row in evaluate(ratings, NONE, "quality").rows} == {"quality"}


def test_the_criteria_of_a_pair_are_items_of_their_own_that_are_drawn_together() -> None:
    def given(pair: int, name: str) -> Rating:
        value = pair % 3 - (pair % 4 == 0 and name == "b")
        return Rating(name, "scidiag", f"p{pair}", {"overall": 0, "criteria": {f"c{k}": value for k in range(5)}})

    ratings = [given(pair, name) for pair in range(12) for name in "ab"]
    row = next(row for row in evaluate(ratings, Resampling(200)).rows if row["dimension"] == "criteria")
    assert row["items"] == 60
    alone = [Rating(r.annotator, "verisciqa", r.row_id, {"x": r.ratings["criteria"]["c0"]}) for r in ratings]
    single = evaluate(alone, Resampling(200)).rows[0]
    widths = [found["alpha_nominal"].high - found["alpha_nominal"].low for found in (row, single)]
    assert widths[0] > 0.8 * widths[1], "five equal criteria of a pair say no more than one"


def test_the_layout_of_table_2_with_means_by_source(tmp_path: Path) -> None:
    sources = {f"u{n:02}": "VeriSciQA" if n < 6 else "SPIQA" for n in range(12)}
    found = evaluate(observers(), NONE, sources=sources)
    [row] = found.rows
    digits = [int(d) for line in OBSERVERS.values() for d in line[:6] if d != "."]
    assert row["mean_VeriSciQA"].value == pytest.approx(sum(digits) / len(digits))
    head, line = as_text(found).splitlines()[1:3]
    assert head.split()[:5] == ["Dimension", "items", "mean", "SPIQA", "VeriSciQA"]
    assert line.split()[:3] == ["overall_quality", "12", f"{row['mean'].value:.2f}"]
    whole, table = write(found, tmp_path)
    assert json.loads(whole.read_text())["sources"] == ["SPIQA", "VeriSciQA"]
    assert float(next(csv.DictReader(table.open()))["mean_SPIQA"]) == row["mean_SPIQA"].value


def test_odd_ratings_give_a_stated_result(tmp_path: Path) -> None:
    assert as_text(evaluate([], NONE)) == "agreement not defined: no ratings"
    single = evaluate([Rating("a", "verisciqa", f"q{n}", {"x": n}) for n in range(3)], NONE)
    assert "x: alpha, ordinal not defined: no item has two ratings" in as_text(single)
    same = evaluate([Rating(r, "verisciqa", f"q{n}", {"x": 3}) for n in range(3) for r in "ab"], NONE)
    assert "x: Fleiss' kappa not defined: all ratings are equal" in as_text(same)
    only = evaluate([Rating("a", "siqa", "c", {"perception": 1}, calibration=True)], NONE)
    assert only.rows == [] and as_text(only) == "agreement not defined: no ratings"
    assert all(path.is_file() for path in write(evaluate([], NONE), tmp_path))
    odd = [Rating("a", "verisciqa", "q", {"x": "high", "y": True, "z": [1], "w": float("nan")})]
    assert evaluate(odd, NONE).rows == []
