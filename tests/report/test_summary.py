from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.row_kinds import in_words, kind_of
from data_juicer_ext.report.run_selection import NoRunError
from data_juicer_ext.report.summary import summary
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry


def pair(paper: str, figure: str, number: int) -> dict[str, Any]:
    return {"row_id": f"{paper}{figure}{number}", "paper_id": paper, "figure_id": figure, "number": figure,
            "question": f"Question {number} of {paper}-{figure}?", "options": ["x", "y"], "answer": "B",
            "images": ["i.png"], "provenance": json.dumps({"source": {"place": "main.tex:3"}})}  # fmt: skip


def finished(tmp_path: Path, pairs: list[dict[str, Any]], ended: bool = True) -> Path:
    export = tmp_path / "pairs.jsonl"
    export.write_text("".join(json.dumps(row) + "\n" for row in pairs))
    run = run_records.begin(tmp_path / "run", {"export_path": str(export)})
    run.ledger.record(Entry("f", "claim_extractor_mapper", "claim_extractor", "keep", "claims", made=3))
    if ended:
        run_records.end(run)
    return tmp_path / "run"


def test_pairs_of_different_papers_come_first_and_none_twice(tmp_path: Path) -> None:
    pairs = [pair("a", "1", 1), pair("a", "1", 2), pair("a", "2", 3), pair("b", "1", 4)]
    text = summary(finished(tmp_path, pairs), pairs=4)
    asked = [line for line in text.splitlines() if line.startswith("Q: ")]
    assert [line.split()[2] for line in asked] == ["1", "4", "3", "2"]
    assert "kept pairs: 4" in text and "* B. y" in text and "claim from main.tex:3" in text
    assert text.splitlines()[1].split()[:2] == ["claims", "3"]


@pytest.mark.parametrize("count", [0, -1])
def test_no_pairs_are_shown_where_none_are_asked_for(tmp_path: Path, count: int) -> None:
    assert "Q: " not in summary(finished(tmp_path, [pair("a", "1", 1)]), pairs=count)


def test_a_killed_run_is_said_to_be_one(tmp_path: Path) -> None:
    assert "has not ended, or was killed" in summary(finished(tmp_path, [], ended=False))
    ended = summary(finished(tmp_path, []))
    assert "was killed" not in ended and "  ledger " in ended and "  figures " not in ended


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(NoRunError, match="holds no run"):
        summary(tmp_path)


def test_scored_figures_are_told_by_their_scores(tmp_path: Path) -> None:
    quality = {"scores": {"VC": 8, "SL": 7, "C": None, "CTX": 6, "MR": 9}}
    row = {"row_id": "f", "paper_id": "a", "number": "2", "figure_id": "2", "caption": "Loss \n over time",
           "images": ["i.png"], "quality": json.dumps(quality), "quality_overall": 7.5, "provenance": ""}  # fmt: skip
    text = summary(finished(tmp_path, [row]))
    assert "kept scored figures: 1" in text and "Q:" not in text and "claim from" not in text
    assert "overall 7.5 (VC 8, SL 7, C -, CTX 6, MR 9)\n   Loss over time\n   paper a, figure 2" in text


def test_rated_images_judged_diagrams_and_answers_are_told_as_such() -> None:
    rated = {"rating": "{}", "rating_mean": 3.0, "rating_perception": 2.5, "rating_knowledge": 3.5,
             "rating_method": "logprobs", "images": ["i.png"]}  # fmt: skip
    assert kind_of(rated) == "rated images" and in_words(rated)[0] == "perception 2.50, knowledge 3.50 (by logprobs)"
    judged = {"judgement": "{}", "s_final": 0.4, "diagram_type": "AF", "generator": "g1", "images": ["i.png"]}
    assert kind_of(judged) == "judged diagrams" and in_words(judged)[0].startswith("AF: g1 0.400 of 1")
    answer = pair("a", "1", 1) | {"model_answer": "", "answer_kind": "several", "answer_correct": 0}
    assert kind_of(answer) == "answers" and "   answered several: wrong" in in_words(answer)


def test_rows_of_others_show_the_columns_that_were_added() -> None:
    row = {"row_id": "7", "paper_id": "p", "caption": "Yield.", "context": "It falls.", "provenance": "{}",
           "topic": "a \x1b[31m\nyield " + "x" * 200, "votes": 3, "nested": '{"a": 1}', "none": "",
           "parts": ["a"]}  # fmt: skip
    said = in_words(row)
    assert said[:2] == ["rows: 7", "   Yield."] and said[3:] == ["   votes: 3", "   paper p"]
    assert said[2].startswith("   topic: a [31m yield xxx") and said[2].endswith("…") and len(said[2]) < 120
    assert "   image_category: map" in in_words({"figure_id": "1", "images": ["i.png"], "image_category": "map"})


def test_no_rows_and_rows_of_others_are_rows(tmp_path: Path) -> None:
    assert "kept rows: 0" in summary(finished(tmp_path, []))
    assert kind_of({"text": "x"}) == "rows" and in_words({"text": "x", "row_id": "7"})[0] == "rows: 7"
