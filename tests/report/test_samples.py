"""Rows as a reader sees them, from whole rows and from what the ledger says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report import samples
from data_juicer_ext.report.ledger_decisions import Decided
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.report.sample_choice import Chosen
from data_juicer_ext.report.samples import (
    FigureDecisions,
    SamplePicture,
    SampleRow,
    evidence,
    from_ledger,
    from_row,
    said_of,
    undecided_rows,
)
from tests.report.run_folders import RunFolder, qa_row

FIGURE = ("p0", "0:fig")


def entry(tag: str, row_id: str, time: float = 0.0, **detail: Any) -> dict[str, Any]:
    known = {"operator": f"{tag}_op", "tag": tag, "row_id": row_id, "verdict": "keep", "reason": "fits", "time": time}
    return {**known, "paper_id": "p0", "figure_id": "0:fig", "detail": detail}


def decisions(*entries: dict[str, Any]) -> FigureDecisions:
    return FigureDecisions({(e["operator"], e["tag"], e["row_id"]): e for e in entries})


def chosen(row_id: str, tag: str = "vote", verdict: Any = "drop", reason: str = "no_majority") -> Chosen:
    return Chosen((f"{tag}_op", tag), row_id, Decided((0, 0.0), verdict, reason, 0, *FIGURE, None))


def test_a_picture_is_as_far_as_it_is_known() -> None:
    row = {"images": ["a.png", "", None, 3], "number": 2, "caption": "c" * 601}
    assert SamplePicture.of(row) == SamplePicture(("a.png", "3"), "2", "c" * 600)
    assert SamplePicture.of({"images": "a.png", "number": 0}) == SamplePicture()


def test_a_whole_row_is_shown_with_what_is_known_of_it() -> None:
    step = {"tag": "vote", "reason": "majority", "model": "m"}
    provenance = {"source": {"sentence": "So.", "place": "a.tex:1"}, "steps": [step, "odd", {"tag": "rule"}]}
    row = qa_row(1, "a.png", provenance=json.dumps(provenance), domain="", licence=None, options=["x", 2])
    made = from_row(row)
    assert (made.row_id, made.paper_id, made.figure_id, made.claim) == ("qa-1", "p1", "1:fig", "The figure shows it.")
    assert (made.sentence, made.place, made.question, made.answer) == ("So.", "a.tex:1", "Question 1?", "B")
    assert made.rationale == "Seen." and made.options == ["x", "2"] and made.picture.images == ("a.png",)
    assert made.said == [("vote", "kept: majority (by m)"), ("rule", "kept:  (by no model)")]
    assert made.facts == {"figure_type": "Bar Chart"}, "nothing that is empty"
    bare = from_row({"options": "abc", "provenance": "{}"})
    assert bare == SampleRow() and bare.lettered() == []


def test_options_have_letters_and_one_is_the_answer() -> None:
    assert SampleRow(options=["x", "y"], answer="B").lettered() == [("A", "x", False), ("B", "y", True)]


def test_decisions_about_a_row_come_in_their_order() -> None:
    found = decisions(entry("b", "r", 2.0), entry("a", "r", 1.0), entry("a", "other"), entry("c", "r", 0))
    assert [one["tag"] for one in found.about("r")] == ["c", "a", "b"]


def test_the_question_of_a_claim_and_the_claim_itself_are_found() -> None:
    claims = [{"row_id": "claim-1", "claim": "It rises.", "sentence": "So.", "place": "a.tex:1"}, "odd"]
    found = decisions(
        entry("rule", "x"), entry("extract", "figure", claims=claims), entry("broken", "y", claims="none"),
        entry("mcq", "claim-1", made="qa-1", question="What?", answer="A", options=["1", 2]),
        entry("vote", "qa-1", message="2 of 5"),
    )  # fmt: skip
    assert found.made("qa-1")["tag"] == "mcq" and found.made("qa-2") == {}
    assert found.claim("claim-1")["claim"] == "It rises." and found.claim("claim-2") == {}
    made = from_ledger(chosen("qa-1"), found, None)
    assert (made.question, made.options, made.answer) == ("What?", ["1", "2"], "A")
    assert (made.claim, made.sentence, made.place) == ("It rises.", "So.", "a.tex:1")
    assert (made.verdict, made.tag, made.reason, made.message) == ("drop", "vote", "no_majority", "2 of 5")
    assert (made.paper_id, made.figure_id) == FIGURE and made.said == [("vote", "kept: fits")]
    claim = from_ledger(chosen("claim-1", "mcq"), found, None)
    assert claim.claim == "It rises." and claim.question == "What?"
    whole = from_ledger(chosen("qa-1"), found, qa_row(1))
    assert (whole.question, whole.claim, whole.place) == ("Question 1?", "The figure shows it.", "main.tex:3")
    odd = decisions(entry("mcq", "claim-1", made="qa-1", question="What?", options="AB"))
    assert from_ledger(chosen("qa-1"), odd, None).options == []


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ({}, "kept: fits"),
        ({"letters": ["A", "B"]}, "kept: fits (chose A, B)"),
        ({"draws": ["C"], "letters": "A"}, "kept: fits (chose C)"),
        ({"letters": []}, "kept: fits"),
        ({"quote": "so", "problem": "none"}, "kept: fits (read from “so”; none)"),
        ({"measured": 0, "threshold": 3}, "kept: fits (measured 0, threshold 3)"),
        ({"scores": {"a": 1, "b": None}}, "kept: fits (a 1, b None)"),
        ({"scores": [1]}, "kept: fits"),
    ],
)
def test_what_a_listing_decided_in_words(detail: dict[str, Any], said: str) -> None:
    assert said_of("r", decisions(entry("t", "r", **detail))) == [("t", said)]


def test_the_last_decisions_about_the_wanted_figures_are_gathered(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    about = {"paper_id": "p0", "figure_id": "0:fig"}
    folder.note("figure_rows", "other", paper_id="p1", figure_id="9:fig", detail={"images": ["other.png"]})
    folder.note("figure_rows", "f", **about, detail={"images": ["a.png"], "caption": "C"})
    folder.note("vision_vote", "qa-1", "undecided", "timeout", **about)
    first = folder.run.run_id
    folder.end([])
    folder.begin()
    folder.note("vision_vote", "qa-1", "keep", "majority", **about)
    folder.end([])
    scope = RunSelection(folder.path, (first, folder.run.run_id), (), {}, None)
    found = evidence(scope, [FIGURE])
    assert {key[2]: one["reason"] for key, one in found.entries.items()} == {"f": "keep", "qa-1": "majority"}
    assert found.pictures == {FIGURE: SamplePicture(("a.png",), "", "C")}
    assert evidence(scope, []) == FigureDecisions()


def test_undecided_rows_are_read_from_all_places_and_torn_lines_are_none(tmp_path: Path) -> None:
    scope = RunSelection(tmp_path, (), (), {}, None)
    (tmp_path / "undecided").mkdir()
    (tmp_path / "undecided" / "a.jsonl").write_text('{"row_id": "1"}\n{"row_id": "2"}\n')
    (tmp_path / "undecided" / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "undecided" / "h.jsonl").write_text('{"row_id": "3"}\n{"row_')
    assert [row["row_id"] for row in undecided_rows(scope, ["1", "3"])] == ["1", "3"]
    (tmp_path / "undecided.jsonl").write_text('{"row_id": "1", "whole": 1}\n')
    assert next(iter(undecided_rows(scope, ["1"])))["whole"] == 1
    assert list(undecided_rows(scope, [])) == []
    assert samples.VERDICTS["undecided"] == "undecided"
