"""What the ledger tells of a row, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.report.samples import FigureDecisions
from data_juicer_ext.review.ledger_trails import Trails, divided, step


def entry(tag: str, row_id: str, time: float = 0.0, **detail: Any) -> dict[str, Any]:
    return {"operator": f"{tag}_op", "tag": tag, "row_id": row_id, "time": time, "detail": detail}


def trails(*entries: dict[str, Any]) -> Trails:
    return Trails(FigureDecisions({(e["operator"], e["tag"], e["row_id"]): e for e in entries}))


CLAIMS = [{"row_id": "claim-1", "claim": "It rises.", "place": "a.tex:1"}, "odd"]
WHOLE = [
    entry("vote", "qa-1", 4.0), entry("mcq", "claim-1", 3.0, made="qa-1"), entry("extract", "fig", 2.0, claims=CLAIMS),
    entry("rows", "fig", 1.0), entry("rows", "other", 1.0, claims="none", made=3),
    {**entry("odd", "x"), "detail": None},
]  # fmt: skip


def test_a_question_goes_back_to_its_claim_and_its_figure() -> None:
    found = trails(*WHOLE)
    assert [one["tag"] for one in found.trail("qa-1")] == ["rows", "extract", "mcq", "vote"]
    assert [one["tag"] for one in found.trail("claim-1")] == ["rows", "extract", "mcq"]
    assert [one["tag"] for one in found.trail("fig")] == ["rows", "extract"] and found.trail("nobody") == []
    assert found.source("qa-1") == found.source("claim-1") == CLAIMS[0] and found.source("fig") == {}
    assert found.made("qa-1")["tag"] == "mcq" and found.made("claim-1") == {} and found.claim("qa-1") == {}
    assert [one["tag"] for one in found.about("fig")] == ["rows", "extract"] and found.about("nobody") == []


def test_a_step_for_the_page() -> None:
    detail = {"letters": ["A", "B"], "quote": "so", "problem": "none", "message": "why", "measured": 0, "threshold": 3,
              "scores": {"a": 1}}  # fmt: skip
    line = {"tag": "vote", "verdict": "drop", "reason": "no_majority", "model": "m", "detail": detail,
            "spending": {"calls": 5}}  # fmt: skip
    assert step(line, "B") == {
        "tag": "vote", "verdict": "refused", "reason": "no_majority", "model": "m", "calls": 5,
        "draws": [{"letter": "A", "right": False}, {"letter": "B", "right": True}],
        "notes": ["read from “so”", "none", "why", "measured 0, threshold 3", "a 1"],
    }  # fmt: skip
    assert step({}, "") == {
        "tag": "", "verdict": "no verdict", "reason": "", "model": "", "draws": [], "notes": [], "calls": 0,
    }  # fmt: skip
    odd = step({"detail": {"letters": "A", "draws": ["C"] * 60, "scores": [1]}, "spending": 3}, "C")
    assert len(odd["draws"]) == 50 and odd["draws"][0]["right"] and odd["notes"] == [] and odd["calls"] == 0


def test_texts_of_a_step_are_short() -> None:
    detail = {"quote": "q" * 999, "draws": ["d" * 99]}
    made = step({"tag": "t" * 99, "model": "m" * 99, "reason": "r" * 300, "detail": detail}, "")
    texts = (made["tag"], made["model"], made["reason"], made["draws"][0]["letter"], made["notes"][0])
    assert [len(text.partition(" … ")[0]) for text in texts] == [80, 80, 200, 40, 400]


@pytest.mark.parametrize(
    ("details", "share"),
    [
        ([], 0.0), ([{"agree": 5, "against": 0}], 0.0), ([{"agree": 3, "against": 2}], 0.8),
        ([{"agree": 2, "against": 2}], 1.0), ([{"agree": 0, "against": 0}], 0.0), ([{"agree": 1}], 0.0),
        ([{"hits": 1, "draws": ["A", "B", "C", "D"]}], 0.5), ([{"hits": 1, "draws": 4}], 0.0),
        ([{"draws": ["A"]}], 0.0),
        ([{"agree": 4, "against": 1}, {"hits": 1, "draws": ["A", "B"]}], 1.0),
    ],
)  # fmt: skip
def test_how_divided_draws_are(details: list[dict[str, Any]], share: float) -> None:
    assert divided([{"detail": detail} for detail in details]) == pytest.approx(share)
