from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.export.rows.row_kinds import FIGURES, PAIRS, SIQA_S, exported_kind, not_exportable, released

PAIR = {"question": "Q?", "options": ["a", "b"], "answer": "A"}
SCORED = {
    "quality": json.dumps({"scores": {"VC": 8, "CTX": None}, "reasons": {"VC": "sharp"}, "overall": 8.0,
                           "reports": {"vision": {}}, "run_id": "F3", "call_budget": 3, "venue": "taken"}),
    "quality_overall": 8.0, "quality_VC": 8.0, "quality_CTX": 0.0, "venue": "ACL",
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (PAIR, "pairs"),
        ({**PAIR, "dimension": "scientific_validity"}, "siqa-u"),
        ({**PAIR, "dimension": "height"}, "pairs"),
        ({**PAIR, **SCORED}, "pairs"),
        (SCORED, "figures"),
        ({"rating_perception": 3.0, "rating_knowledge": 4.0}, "siqa-s"),
        ({**PAIR, "model_answer": "A", "answer_kind": "letter"}, ""),
        ({"claim": "x"}, ""),
        ({}, ""),
    ],
)
def test_a_kind_is_known_by_its_columns(row: dict[str, Any], name: str) -> None:
    assert exported_kind(row) == name


def test_what_is_of_no_kind_is_told_with_what_could_be() -> None:
    assert "the rows are claims" in not_exportable({"claim": "x"})
    assert "--kind siqa-s" in not_exportable({"claim": "x"})
    assert "--kind pairs" in not_exportable({**PAIR, "model_answer": "A", "answer_kind": "letter"})


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"answer": "C"}, "answer must be a letter from A to B"), ({"question": " "}, "no question"),
        ({"options": ["a"]}, "options"), ({"options": "ab"}, "options"), ({"options": ["a", 3]}, "no text"),
        ({"answer": ""}, "answer"),
    ],
)  # fmt: skip
def test_a_question_that_is_not_whole_says_why(changed: dict[str, Any], says: str) -> None:
    assert PAIRS.problem(PAIR) == "" and says in PAIRS.problem({**PAIR, **changed})


@pytest.mark.parametrize("score", [0.9, 5.1, True, "4", None])
def test_a_rating_off_the_scale_says_why(score: Any) -> None:
    assert "rating_knowledge" in SIQA_S.problem({"rating_perception": 1, "rating_knowledge": score})
    assert SIQA_S.problem({"rating_perception": 1, "rating_knowledge": 5.0}) == ""


def test_a_scored_figure_is_released_with_nulls_for_what_is_gated() -> None:
    assert FIGURES.problem(SCORED) == "" and FIGURES.problem({"quality": "no json"}) != ""
    made = released(SCORED)
    assert made["scores"] == {"VC": 8, "CTX": None} and made["run_id"] == "F3" and made["call_budget"] == 3
    assert made["reasons"] and made["reports"] and made["overall"] == 8.0
    assert made["venue"] == "ACL" and made["quality_venue"] == "taken", "no column of the row is lost"
    assert "quality_CTX" not in made and "quality" not in made
