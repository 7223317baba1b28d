"""What is printed and written of raters' agreement, from figures made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.raters.rater_agreement import Agreement
from data_juicer_ext.evaluation.raters.rater_report import as_text, write
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


def row(form: str, dimension: str, **more: Any) -> dict[str, Any]:
    known = {"form": form, "dimension": dimension, "items": 8, "mean": Measure(3.456), "mean_mine": Measure(4.0),
             "alpha_ordinal": Measure(0.7, "", 0.6, 0.8), "alpha_nominal": Measure(0.5),
             "fleiss_kappa": undefined("raters differ"), "kappa_left_out": 0}  # fmt: skip
    return {**known, **more}


def found(*rows: dict[str, Any], **counts: int) -> Agreement:
    counted = {"items": 8, "raters": 3, "ratings": 24, "calibration": 0, **counts}
    return Agreement(list(rows), dict.fromkeys(dict.fromkeys(one["form"] for one in rows), counted), ["mine"])


def test_a_table_for_each_form() -> None:
    lines = as_text(found(row("quality", "clarity"), row("audit", "accepted", items=2))).splitlines()
    assert lines[0] == "form quality: 8 items, 3 raters, 24 ratings"
    assert lines[1].split() == [
        "Dimension", "items", "mean", "mine", "alpha,", "ordinal", "alpha,", "nominal", "Fleiss'", "kappa",
    ]  # fmt: skip
    assert lines[2].split() == ["clarity", "8", "3.46", "4.00", "0.700", "(0.600", "to", "0.800)", "0.500", "-"]
    assert lines[3:6] == ["clarity: Fleiss' kappa not defined: raters differ", "", lines[5]]
    assert lines[5].startswith("form audit") and lines[7].split()[:2] == ["accepted", "2"]


def test_what_counts_leave_out() -> None:
    rows = row("q", "a", kappa_left_out=3, fleiss_kappa=Measure(0.4)), row("q", "b", kappa_left_out=5)
    text = as_text(found(*rows, calibration=4))
    assert text.startswith("form q: 8 items, 3 raters, 24 ratings (4 of a calibration left out)")
    assert "a: kappa is without 3 items that have another number of ratings" in text and "without 5" not in text
    assert as_text(Agreement([], {}, [])) == "agreement not defined: no ratings"


def test_all_is_written(tmp_path: Path) -> None:
    paths = write(found(row("q", "a")), tmp_path / "out")
    assert [path.name for path in paths] == ["agreement.json", "agreement.csv"]
    assert paths[1].read_text().startswith("form,dimension,items,mean,mean_low,")
    assert write(Agreement([], {}, []), tmp_path / "none")[1].read_text().strip() == "form,dimension,items"
