from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from data_juicer_ext.evaluation.siqa.comparison import SiqaEvaluation, evaluate, read_predicted
from data_juicer_ext.evaluation.siqa.mos import Mos, Screening, make_mos
from data_juicer_ext.evaluation.siqa.siqa_report import as_text, write
from data_juicer_ext.evaluation.siqa.votes import ImageVote
from data_juicer_ext.evaluation.statistics.bootstrap import NONE, Resampling

GOLD = {"a": (1.0, 5.0), "b": (2.0, 4.0), "c": (3.0, 2.0), "d": (4.0, 3.0), "e": (5.0, 1.0)}
SCORED = {"a": (1.2, 4.0), "b": (2.9, 4.5), "c": (2.8, 2.0), "d": (4.1, 2.0), "e": (4.0, 1.5), "z": (3.0, 3.0)}


def mos(gold: dict[str, tuple[float, float]] = GOLD) -> Mos:
    return Mos({image: {"perception": p, "knowledge": k} for image, (p, k) in gold.items()})


def rows(scored: dict[str, tuple[Any, Any]] = SCORED) -> list[dict[str, Any]]:
    return [{"row_id": i, "rating_perception": p, "rating_knowledge": k} for i, (p, k) in scored.items()]


def compared(scored: list[dict[str, Any]], gold: Mos, order: Resampling = NONE) -> SiqaEvaluation:
    return evaluate([read_predicted("m", scored, "row_id")], gold, "row_id", order)


def test_the_coefficients_are_scipys_and_siqa_s_is_the_mean_of_both() -> None:
    [row] = compared(rows(), mos()).rows
    for kind, function in (("srcc", stats.spearmanr), ("plcc", stats.pearsonr)):
        theirs = []
        for place, name in enumerate(("perception", "knowledge")):
            columns = [[table[image][place] for image in GOLD] for table in (SCORED, GOLD)]
            theirs.append(float(function(*columns).statistic))
            assert row[f"{kind}_{name}"].value == pytest.approx(theirs[-1])
        assert row[f"{kind}_siqa_s"].value == pytest.approx(sum(theirs) / 2)
        means = [[sum(table[image]) for image in GOLD] for table in (SCORED, GOLD)]
        assert row[f"{kind}_mean_rating"].value == pytest.approx(float(function(*means).statistic))
    assert (row["images"], row["without_mos"], row["without_score"]) == (5, 1, 0)


def test_intervals_hold_the_values_and_do_not_hang_on_the_order_of_rows() -> None:
    chance = random.Random(4)
    gold = {f"i{n}": (chance.uniform(1, 5), chance.uniform(1, 5)) for n in range(40)}
    scored = {i: (p + chance.gauss(0, 0.7), k + chance.gauss(0, 0.7)) for i, (p, k) in gold.items()}
    [row] = compared(rows(scored), mos(gold), Resampling(100, 1)).rows
    for name in ("srcc_perception", "plcc_knowledge", "srcc_siqa_s", "plcc_siqa_s", "srcc_mean_rating"):
        measure = row[name]
        assert measure.low < measure.value < measure.high
    mixed = rows(scored)
    chance.shuffle(mixed)
    assert compared(mixed, mos(gold), Resampling(100, 1)).rows == [row]


def test_a_missing_dimension_costs_that_dimension_only() -> None:
    scored = [*rows(), {"row_id": "f", "rating_perception": 2.0}]
    gold = mos({**GOLD, "f": (2.0, 2.0)})
    [row] = compared(scored, gold).rows
    assert (row["images"], row["n_perception"], row["n_knowledge"]) == (6, 6, 5)
    assert row["srcc_mean_rating"].value is not None


def test_a_constant_column_a_single_image_and_nothing_give_a_stated_result() -> None:
    flat = compared(rows({i: (3.0, k) for i, (_, k) in SCORED.items()}), mos(), Resampling(10))
    assert flat.rows[0]["srcc_perception"].note == "not defined: all predictions are equal"
    assert flat.rows[0]["srcc_siqa_s"].note == "not defined: it needs perception"
    assert "m: srcc_siqa_s, plcc_siqa_s not defined: it needs perception" in as_text(flat)
    one = compared(rows({"a": (1, 1)}), mos()).rows[0]
    assert one["plcc_knowledge"].note == "not defined: fewer than two images with a score and a MOS"
    assert compared([], mos()).rows[0]["images"] == 0 and compared(rows(), Mos({})).rows[0]["images"] == 0
    assert compared([], Mos({})).rows[0]["srcc_siqa_s"].value is None


def test_rows_that_cannot_be_used_are_told_and_repeated_ones_counted() -> None:
    scored = [*rows(), {"row_id": "q", "rating_perception": "good"}, {"rating_perception": 1.0}, rows()[0]]
    found = compared(scored, mos())
    assert len(found.refused) == 2 and found.refused[0].startswith("m: q: perception is 'good'")
    assert found.rows[0]["repeated"] == 1 and "m: 1 images scored more than once" in as_text(found)


def test_the_files_and_the_screen(tmp_path: Path) -> None:
    votes = [ImageVote(r, i, {"perception": p, "knowledge": k}) for r in "abc" for i, (p, k) in GOLD.items()]
    votes += [ImageVote("odd", i, {"perception": 6 - p, "knowledge": 6 - k}) for i, (p, k) in GOLD.items()]
    found = compared(rows(), make_mos(votes, Screening()), Resampling(20))
    paths = {path.name: path for path in write(found, tmp_path)}
    assert sorted(paths) == ["mos.csv", "raters.csv", "siqa.csv", "siqa.json"]
    assert [row["left_out"] for row in csv.DictReader(paths["raters.csv"].open())] == ["", "", "", "outlier"]
    [row] = csv.DictReader(paths["siqa.csv"].open())
    assert float(row["srcc_perception"]) == found.rows[0]["srcc_perception"].value
    held = json.loads(paths["siqa.json"].read_text())["rows"][0]["srcc_siqa_s"]
    assert held == {"value": found.rows[0]["srcc_siqa_s"].value, "note": "", "low": None, "high": None}
    text = as_text(found)
    assert "3 of 4 raters count" in text and "left out, outlier: odd" in text
    given = compared(rows(), mos())
    assert [path.name for path in write(given, tmp_path / "g")] == ["siqa.json", "siqa.csv"]
    assert "the MOS is given" in as_text(given)
