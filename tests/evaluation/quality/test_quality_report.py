"""What is printed and written of quality scores against gold, from figures made by hand."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.quality.comparison import QualityEvaluation
from data_juicer_ext.evaluation.quality.quality_report import _COUNTED, as_text, write
from data_juicer_ext.judging.evidence_gating import DIMENSIONS


def row(by: str = "", value: str = "", **more: Any) -> dict[str, Any]:
    known = {
        "by": by,
        "value": value,
        "n": 5,
        "mae": 0.45678,
        "within_1": 0.8,
        "srcc": 0.7,
        "bias": 0.25,
        "srcc_note": "",
    }
    per = {f"{kind}_{name}": 1 if kind == "n" else 0.5 for name in DIMENSIONS for kind in ("n", "mae")}
    return {**known, **per, **more}


def spread(dimension: str, n: int = 4) -> dict[str, Any]:
    return {"dimension": dimension, "n": n, "mean_spread": 1.25, "median_spread": 1.0, "within_1_pairs": 0.75}


def apart(figure: str, gap: float = 3.5) -> dict[str, Any]:
    return {"figure": figure, "gap": gap, "overalls": {"anna": 2.0, "bert": 5.5, "carl": None}, "wide": ["C", "MR"]}


def found(*rows: dict[str, Any], **more: Any) -> QualityEvaluation:
    counts = {**dict.fromkeys(_COUNTED, 0), "compared": 5}
    known = QualityEvaluation(("paper_id", "figure_id"), counts, {"C": 0, "MR": 2}, [row(), *rows], [], [], [])
    return replace(known, **more)


def test_the_table_with_its_heads() -> None:
    lines = as_text(found(row("type", "bar", srcc=None, bias=-0.5, n=2))).splitlines()
    assert lines[0] == "5 figures compared, known by paper_id and figure_id"
    assert lines[1] == "       2  without a score of MR that the gold has" and "without a score of C" not in "".join(
        lines
    )
    assert [line.split() for line in lines[3:6]] == [
        ["n", "MAE", "W-1", "SRCC", "bias", "C", "CTX", "MR"],
        ["all", "5", "0.457", "80.0%", "0.700", "+0.250", "0.500", "0.500", "0.500"],
        ["type", "bar", "2", "0.457", "80.0%", "-", "-0.500", "0.500", "0.500", "0.500"],
    ]
    assert lines[-1] == "no figure has two raters: nothing to say of their dispersion"
    assert "no SRCC: two figures" in as_text(found(rows=[row(srcc_note="two figures")]))


def test_counts_have_their_words() -> None:
    text = as_text(found(counts={**dict.fromkeys(_COUNTED, 3), "compared": 5}, refused=["row 3: no scores"]))
    assert all(f"       3  {words}"[1:] in text for words in _COUNTED.values())
    assert text.endswith("\n\nrefused: row 3: no scores") and not as_text(found()).endswith("\n")


def test_the_dispersion_of_raters() -> None:
    text = as_text(found(dispersion=[spread("C"), spread("MR", 0)]))
    assert ["C", "4", "1.250", "1.000", "75.0%"] in [line.split() for line in text.splitlines()]
    assert "no figure has two raters" in as_text(found(dispersion=[spread("C", 0)]))


def test_figures_to_be_looked_at_again() -> None:
    text = as_text(found(adjudication=[apart(f"f{number}") for number in range(11)]))
    assert "11 figures whose raters' overalls are too far apart; to be looked at again:" in text
    assert "\n  3.50  f9  (anna 2.00, bert 5.50)\n  ..." in text and "f10" not in text
    assert "  ..." not in as_text(found(adjudication=[apart(f"f{number}") for number in range(10)]))
    assert "looked at again" not in as_text(found())


def test_all_is_written(tmp_path: Path) -> None:
    paths = write(found(dispersion=[spread("C")], adjudication=[apart("f1")]), tmp_path / "out")
    assert [path.name for path in paths] == ["quality.json", "quality.csv", "dispersion.csv", "adjudication.csv"]

    def rows(path: Path) -> list[dict[str, str]]:
        with path.open(newline="") as file:
            return list(csv.DictReader(file))

    [whole] = rows(paths[1])
    assert [*whole][:7] == ["by", "value", "n", "mae", "within_1", "srcc", "bias"] and [*whole][-1] == "srcc_note"
    assert all(f"mae_{name}" in whole and f"n_{name}" in whole for name in DIMENSIONS)
    assert rows(paths[2])[0]["mean_spread"] == "1.25"
    [listed] = rows(paths[3])
    assert json.loads(listed["overalls"]) == apart("")["overalls"] and listed["wide"] == "C MR"
    assert json.loads(paths[0].read_text())["counts"]["compared"] == 5
