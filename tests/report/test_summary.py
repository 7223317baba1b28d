from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.models import runs
from data_juicer_ext.models.ledger import Entry
from data_juicer_ext.report.summary import NoRunError, summary


def pair(paper: str, figure: str, number: int) -> dict[str, Any]:
    return {"row_id": f"{paper}{figure}{number}", "paper_id": paper, "figure_id": figure, "number": figure,
            "question": f"Question {number} of {paper}-{figure}?", "options": ["x", "y"], "answer": "B",
            "images": ["i.png"], "provenance": json.dumps({"source": {"place": "main.tex:3"}})}  # fmt: skip


def finished(tmp_path: Path, pairs: list[dict[str, Any]], ended: bool = True) -> Path:
    export = tmp_path / "pairs.jsonl"
    export.write_text("".join(json.dumps(row) + "\n" for row in pairs))
    run = runs.begin(tmp_path / "run", {"export_path": str(export)})
    run.ledger.record(Entry("f", "claim_extractor_mapper", "claim_extractor", "keep", "claims", made=3))
    if ended:
        runs.end(run)
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
    assert "was killed" not in summary(finished(tmp_path, []))


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(NoRunError, match="holds no run"):
        summary(tmp_path)
