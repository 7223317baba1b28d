from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.evaluation.quality.rows import RowError, closed_by, key_names, read_all, read_scored

NAMES = ("figure_id",)
EXPECTED = {"VC": 8.0, "SL": 7.0, "C": 6.0, "CTX": None, "MR": 5.0}
LONG = {"visual_clarity": 8, "structure_layout": 7, "caption_consistency": 6, "context_consistency": None,
        "misleading_risk": 5}  # fmt: skip
PLAIN = {"VC": 8, "SL": 7, "C": 6, "CTX": None, "MR": 5}


@pytest.mark.parametrize(
    "row",
    [
        {"quality": json.dumps({"scores": PLAIN, "overall": 6.5})},
        {"quality": {"scores": PLAIN, "overall": 6.5}},
        {"scores": {name: {"score": value} for name, value in PLAIN.items()}},
        PLAIN,
        {name.lower(): value for name, value in PLAIN.items()},
        {**PLAIN, "VC": "8", "CTX": "-"},
        LONG,
        {f"human_{name}": value for name, value in LONG.items()},
    ],
    ids=["export", "object", "scores", "columns", "lower", "text", "long", "published"],
)
def test_scores_are_found_however_they_are_written(row: dict[str, Any]) -> None:
    [scored] = read_scored({"figure_id": "f", **row}, NAMES)
    assert {name: scored.scores[name] for name in EXPECTED} == EXPECTED and scored.key == ("f",)


def test_a_row_may_hold_its_raters() -> None:
    row = {"figure_id": "f", "caption": "x y", "context_texts": [], "annotations": [
        {"source_name": "Rater_01", **LONG}, {"source_name": "Rater_02", **LONG, "visual_clarity": 4}]}  # fmt: skip
    found = read_scored(row, NAMES)
    assert [(entry.rater, entry.scores["VC"]) for entry in found] == [("Rater_01", 8), ("Rater_02", 4)]
    assert closed_by(found[0].evidence) == {"CTX"}


@pytest.mark.parametrize("wrong", [0, 11, "good", True, float("nan"), [8]])
def test_a_score_off_the_scale_refuses_its_row_alone(wrong: Any) -> None:
    rows = [{"figure_id": "bad", **PLAIN, "C": wrong}, {"figure_id": "good", **PLAIN}]
    found, refused = read_all(rows, NAMES)
    assert [entry.key for entry in found] == [("good",)]
    assert len(refused) == 1 and "bad: C is" in refused[0]


def test_rows_that_name_no_figure_or_hold_broken_json_are_refused() -> None:
    with pytest.raises(RowError, match="without figure_id"):
        read_scored(PLAIN, NAMES)
    with pytest.raises(RowError, match="not JSON"):
        read_scored({"figure_id": "f", "quality": "{"}, NAMES)


@pytest.mark.parametrize(
    ("row", "closed"),
    [
        ({"caption": "Accuracy", "context": "As Figure 3 shows, A wins."}, set()),
        ({"caption": "", "context": "As Figure 3 shows, A wins."}, {"C"}),
        ({"caption": "Accuracy", "context_texts": ["see Fig. 3"]}, {"CTX"}),
        ({"caption": "Fig. 3", "context": ""}, {"VC", "SL", "C", "CTX", "MR"}),
        ({}, set()),
        ({"caption": "Accuracy", "quality": {"gate": {"evidence": ["context"]}, "scores": PLAIN}}, {"C"}),
    ],
)
def test_the_gate_as_far_as_rows_tell(row: dict[str, Any], closed: set[str]) -> None:
    [scored] = read_scored({"figure_id": "f", **PLAIN, **row}, NAMES)
    assert closed_by(scored.evidence) == closed


def test_the_columns_that_name_a_figure() -> None:
    here, there = {"row_id": "a", "paper_id": "p", "figure_id": "1"}, {"row_id": "x", "paper_id": "p", "figure_id": "1"}
    assert key_names([here], [here]) == ("row_id",)
    assert key_names([here], [there]) == ("paper_id", "figure_id")
    assert key_names([here], [{"figure_id": "1"}]) == ("figure_id",)
    assert key_names([{**here, "n": 3}], [{"n": 3}], "n") == ("n",)
    with pytest.raises(ValueError, match="no figure is in both files"):
        key_names([here], [{"figure_id": "2"}])
