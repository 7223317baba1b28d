"""What is printed and written of SIQA scores, from figures made by hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.siqa.comparison import COEFFICIENTS, COLUMNS, SiqaEvaluation
from data_juicer_ext.evaluation.siqa.mos import ExcludedRater, Mos
from data_juicer_ext.evaluation.siqa.siqa_report import as_text, write
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


def row(model: str, **more: Any) -> dict[str, Any]:
    values = {f"{kind}_{name}": Measure(0.5, "", 0.4, 0.6) for name in COLUMNS for kind in COEFFICIENTS}
    return {"model": model, "images": 7, "without_mos": 0, "without_score": 0, "repeated": 0, **values, **more}


def mos(**more: Any) -> Mos:
    known: dict[str, Any] = {"scores": {"a": {"perception": 3.0, "knowledge": 4.0}}, "images": [{"image": "a"}],
                             "raters": [], "left_out": [], "notes": []}  # fmt: skip
    return Mos(**{**known, **more})


def found(*rows: dict[str, Any], refused: list[str] | None = None, **more: Any) -> SiqaEvaluation:
    return SiqaEvaluation("figure_id", list(rows), mos(**more), refused or [])


def test_the_tables() -> None:
    unknown = row("two", srcc_knowledge=undefined("one image"), without_mos=2, repeated=1)
    lines = as_text(found(row("one", srcc_perception=Measure(0.75)), unknown)).splitlines()
    assert lines[:2] == ["1 images with a MOS, known by figure_id", "the MOS is given, not made of ratings"]
    words = [line.split() for line in lines]
    assert ["one", "7", "0.750", *["0.500"] * (len(COLUMNS) * len(COEFFICIENTS) - 1)] in words
    ends = " ".join(next(one for one in words[words.index(["95%", "intervals"]) :] if one[:1] == ["one"]))
    assert ends == "one - " + " ".join(["0.400 to 0.600"] * (3 * len(COEFFICIENTS) - 1))
    assert lines[-3:] == [
        "two: 2 images scored, without a MOS", "two: 1 images scored more than once (the last counts)",
        "two: srcc_knowledge not defined: one image",
    ]  # fmt: skip


def test_raters_who_are_left_out_and_refused_rows() -> None:
    raters = [{"rater": name} for name in ("anna", "bert", "odd\nname")]
    left_out = [ExcludedRater("odd\nname", "outlier", "SRCC 0.1")]
    text = as_text(found(raters=raters, left_out=left_out, notes=["a note"], refused=["line 2: broken"]))
    assert "2 of 3 raters count\n  left out, outlier: odd name (SRCC 0.1)\n  a note" in text
    assert text.endswith("\n\nrefused: line 2: broken")
    assert "given, not made" not in as_text(found(scores={}))


def test_all_is_written(tmp_path: Path) -> None:
    paths = write(found(row("one")), tmp_path / "out")
    assert [path.name for path in paths] == ["siqa.json", "siqa.csv"]
    with paths[1].open(newline="") as file:
        assert next(csv.DictReader(file))["srcc_perception_low"] == "0.4"
    paths = write(found(row("one"), raters=[{"rater": "anna"}]), tmp_path / "rated")
    assert [path.name for path in paths[2:]] == ["mos.csv", "raters.csv"]
    assert paths[2].read_text().split() == ["image", "a"] and paths[3].read_text().split() == ["rater", "anna"]
