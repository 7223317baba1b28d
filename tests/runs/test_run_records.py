from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry


def test_a_run_says_who_it_was_and_when_it_ended(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {"recipe": ["r.yaml"]})
    assert "ended" not in run_records.about(tmp_path, run.run_id)
    run_records.end(run)
    about = run_records.about(tmp_path, run.run_id)
    assert about["recipe"] == ["r.yaml"] and about["ended"] >= about["started"]
    assert run_records.run_ids(tmp_path) == [run.run_id]


def test_a_run_is_the_same_in_another_process(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {})
    assert pickle.loads(pickle.dumps(run)) == run != run_records.begin(tmp_path, {})


def test_undecided_rows_are_gathered_each_once(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {})
    about = {"operator": "op", "tag": "t", "reason": "r", "message": "m"}
    for row_id in ("a", "a", "b"):
        run.undecided.write({"row_id": row_id, "undecided": about})
    assert [row["row_id"] for row in run_records.end(run)] == ["a", "b"]
    lines = (tmp_path / "undecided.jsonl").read_text().splitlines()
    assert [json.loads(line)["row_id"] for line in lines] == ["a", "b"]


def test_a_row_that_a_task_decided_when_it_ran_again_is_not_undecided(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {})
    for row_id, verdicts in (("a", ("undecided", "keep")), ("b", ("undecided", "undecided"))):
        for verdict in verdicts:
            run.ledger.record(Entry(row_id, "op", "t", verdict, "r"))  # type: ignore[arg-type]
            if verdict == "undecided":
                run.undecided.write({"row_id": row_id, "undecided": {"tag": "t"}})
    run.ledger.record(Entry("b", "op", "another", "keep", "r"))
    assert [row["row_id"] for row in run_records.end(run)] == ["b"]


def test_undecided_rows_of_a_killed_run_do_not_reach_the_next_ones_file(tmp_path: Path) -> None:
    killed = run_records.begin(tmp_path, {})
    killed.undecided.write({"row_id": "old", "undecided": {"tag": "t"}})
    run = run_records.begin(tmp_path, {})
    assert run.run_id > killed.run_id
    assert run_records.end(run) == [] and (tmp_path / "undecided.jsonl").read_text() == ""
    [left] = (tmp_path / "undecided").iterdir()
    assert left.name.startswith(killed.run_id)


def test_a_run_begins_in_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path / "deep" / "run", {"recipe": []})
    assert run.place == str(tmp_path / "deep" / "run") and run.images == f"{run.place}/images" and run.remote is None
    assert not run_records.has_begun(run.run_dir, run.run_id)
    run.ledger.record(Entry("a", "op", "t", "keep", "r"))
    run.flush()
    assert run_records.has_begun(run.run_dir, run.run_id) and not run_records.has_begun(run.run_dir, "another")


def test_ids_sort_by_their_start() -> None:
    first, second = run_records.new_run_id(), run_records.new_run_id()
    assert first < second and [len(part) for part in first.split("-")] == [19, 8]


def test_a_run_that_never_began_leaves_no_note(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {})
    other = run_records.begin(tmp_path, {})
    run_records.forget(run)
    run_records.forget(run)
    assert run_records.run_ids(tmp_path) == [other.run_id]


def test_what_is_no_note_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_records.about(tmp_path, "none")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.json").write_text("{")
    with pytest.raises(ValueError):
        run_records.about(tmp_path, "bad")


def test_undecided_rows_are_taken_once_and_those_of_others_stay(tmp_path: Path) -> None:
    run, other = run_records.begin(tmp_path, {}), run_records.begin(tmp_path, {})
    for one in (run, other):
        for tag in ("s", "t"):
            one.undecided.write({"row_id": "a", "undecided": {"tag": tag}, "n": tag})
    assert [row["n"] for row in run_records.take_undecided(tmp_path, run.run_id)] == ["s", "t"]
    assert run_records.take_undecided(tmp_path, run.run_id) == []
    assert len(run_records.take_undecided(tmp_path, other.run_id)) == 2


@pytest.mark.parametrize(
    ("decisions", "is_undecided"),
    [
        ([(1.0, "undecided"), (2.0, "keep")], False),
        ([(2.0, "keep"), (1.0, "undecided")], False),
        ([(1.0, "keep"), (2.0, "undecided")], True),
        ([(1.0, "undecided"), (1.0, "drop")], False),
        ([], True),
    ],
)
def test_the_latest_decision_says_whether_a_row_is_undecided(
    tmp_path: Path, decisions: list[tuple[float, str]], is_undecided: bool
) -> None:
    run = run_records.begin(tmp_path, {})
    run.undecided.write({"row_id": "a", "undecided": {"tag": "t"}})
    (tmp_path / "ledger").mkdir()
    values = [{"row_id": "a", "tag": "t", "time": when, "verdict": verdict} for when, verdict in decisions]
    lines = "".join(json.dumps(value) + "\n" for value in values)
    (tmp_path / "ledger" / f"{run.run_id}.a.1.jsonl").write_text(lines)
    assert bool(run_records.take_undecided(tmp_path, run.run_id)) is is_undecided


def test_rows_are_written_as_one_line_each_in_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("old")
    run_records.write_rows(path, [{"text": "a\u2028b\nc"}, {"text": "é"}])
    assert [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").split("\n")[:-1]] == [
        "a\u2028b\nc",
        "é",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["rows.jsonl"]
