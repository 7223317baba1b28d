from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from tests.cli.evaluate.runs import run_folder
from tests.host import write_rows

Row = dict[str, Any]


def answers(model: str, letters: str, **more: Any) -> list[Row]:
    """Answers to questions whose right letter is A, a letter each."""
    return [
        {"row_id": f"q{n:02}", "domain": ["cs.CL", "astro-ph.GA"][n % 2], "figure_type": "Line Plot",
         "question_type": ["Relational", "Descriptive"][n // 2 % 2], "options": ["a", "b", "c"], "answer": "A",
         "model_answer": letter.strip(), "answer_kind": "letter" if letter.strip() else "declined",
         "answer_correct": int(letter == "A"), "answer_model": model, "answer_text": letter, **more}
        for n, letter in enumerate(letters)
    ]  # fmt: skip


def test_two_models_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [write_rows(tmp_path / f"{m}.jsonl", answers(m, letters)) for m, letters in (("o3", "AAAB"), ("q", "AB B"))]
    arguments = ["evaluate", "accuracy", "--pred", *map(str, files), "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "4 questions, 2 models" in shown and "astro-ph*" in shown and "1 answers name no single option" in shown
    assert (tmp_path / "out" / "by_domain.csv").is_file()
    assert main([*arguments, "--rows", "models", "--by", "answer", "--subset", "2", "--seed", "1"]) == 0
    with (tmp_path / "out" / "by_answer.csv").open() as file:
        assert [line[0] for line in csv.reader(file)] == ["answer", "o3", "q", "questions", "chance"]
    assert len((tmp_path / "out" / "subset.csv").read_text().split()) == 3


def test_a_run_counts_its_failed_calls_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = answers("o3", "AAB ")
    lost = [{key: value for key, value in row.items() if not key.startswith(("answer_", "model_"))} for row in rows[:1]]
    run = run_folder(tmp_path / "run", "mcq_answer_mapper", rows[1:], lost)
    assert main(["evaluate", "accuracy", "--pred", str(run), "--out", str(tmp_path / "out")]) == 0
    assert (
        "o3: 1 calls failed and count neither as right nor as wrong (call_failed:timeout 1)" in capsys.readouterr().out
    )
    [whole] = [c for c in json.loads((tmp_path / "out/accuracy.json").read_text())["cells"] if c["by"] == "Overall"]
    assert (whole["asked"], whole["n"], whole["right"], whole["unclear"], whole["failed"]) == (4, 3, 1, 1, 1)


def test_wrong_use_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(write_rows(tmp_path / "a.jsonl", answers("o3", "A")))
    same = str(write_rows(tmp_path / "b.jsonl", answers("o3", "B")))
    other = str(write_rows(tmp_path / "c.jsonl", [{"row_id": "q"}]))
    for arguments, said in (
        (["--pred", str(tmp_path / "none")], "there is no file"),
        (["--pred", file, same], "name them apart"),
        (["--pred", other], "give an export of mcq_answer_mapper"),
        (["--pred", file, "--subset", "-1"], "--subset -1"),
    ):
        assert main(["evaluate", "accuracy", *arguments, "--out", str(tmp_path / "out")]) == 2
        assert said in capsys.readouterr().err
    assert main(["evaluate", "accuracy", "--pred", f"x={file}", f"y={same}", "--out", str(tmp_path / "out")]) == 0
