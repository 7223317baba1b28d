from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.cli.inputs import (
    Input,
    is_run_folder,
    names_of,
    ratings_of,
    read_input,
    rows_of,
)
from data_juicer_ext.ratings.rating_file import Rating, append, ratings_path
from tests.cli.evaluate.runs import run_folder
from tests.host import write_rows

OPERATOR = "mcq_answer_mapper"
ROWS = [{"row_id": "q1", "model_answer": "A"}, {"row_id": "q1", "model_answer": "B"}]


def test_a_file_and_a_folder_of_shards_keep_repeated_rows(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "a.jsonl", ROWS)
    (tmp_path / "shards").mkdir()
    write_rows(tmp_path / "shards" / "1.json", ROWS[:1])
    write_rows(tmp_path / "shards" / "2.json", ROWS[1:])
    assert rows_of(file) == rows_of(tmp_path / "shards") == ROWS
    assert read_input(str(file), OPERATOR) == Input(str(file), ROWS)
    with pytest.raises(ValueError, match="there is no file"):
        rows_of(tmp_path / "none.jsonl")


def test_an_input_may_have_a_name(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "a.jsonl", ROWS)
    odd = write_rows(tmp_path / "x=y.jsonl", ROWS)
    assert read_input(f"GPT 4o={file}", OPERATOR).called == "GPT 4o"
    assert read_input(str(file), OPERATOR).called == "a"
    assert read_input(str(odd), OPERATOR).called == "x=y", "a file whose own name has the sign"
    with pytest.raises(ValueError, match="there is no file"):
        read_input("=a.jsonl", OPERATOR)


def test_a_run_folder_gives_its_export_and_what_the_operator_left_undecided(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", OPERATOR, ROWS[:1], [{"row_id": "q2"}])
    assert is_run_folder(run) and not is_run_folder(tmp_path)
    found = read_input(f"o3={run}", OPERATOR)
    assert [row["row_id"] for row in found.rows] == ["q1"] and found.name == "o3"
    assert [(row["row_id"], row["undecided"]["reason"]) for row in found.undecided] == [("q2", "call_failed:timeout")]
    assert read_input(str(run), "another_operator").undecided == []


def test_a_run_whose_export_is_gone_is_told_unless_all_its_calls_failed(tmp_path: Path) -> None:
    gone = run_folder(tmp_path / "gone", OPERATOR, ROWS[:1], [], export=False)
    with pytest.raises(ValueError, match="the export of this run is not there; give its file"):
        read_input(str(gone), OPERATOR)
    failed = run_folder(tmp_path / "failed", OPERATOR, [], [{"row_id": "q2"}], export=False)
    assert read_input(str(failed), OPERATOR).rows == []


def test_ratings_are_told_from_other_rows(tmp_path: Path) -> None:
    rating = Rating("anna", "siqa", "f1", {"perception": 4, "knowledge": 2}, time="2025-01-01T00:00:00+00:00")
    run = run_folder(tmp_path / "run", OPERATOR, ROWS[:1], [])
    append(ratings_path(run), rating)
    assert ratings_of(run) == ratings_of(ratings_path(run)) == [rating]
    assert ratings_of(write_rows(tmp_path / "mos.jsonl", [{"row_id": "f1", "perception": 3}])) is None
    assert ratings_of(write_rows(tmp_path / "empty.jsonl", [])) is None
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"time": "20' + "\n" + ratings_path(run).read_text(), encoding="utf-8")
    assert ratings_of(cut) == [rating]
    with pytest.raises(ValueError, match="there is no file"):
        ratings_of(tmp_path / "none.jsonl")


def test_two_inputs_of_one_name_are_an_error() -> None:
    assert names_of([Input("x/a.jsonl", []), Input("x/a.jsonl", [], name="b")]) == ["a", "b"]
    with pytest.raises(ValueError, match="two inputs are called a; name them apart"):
        names_of([Input("x/a.jsonl", []), Input("y/a.jsonl", [])])
