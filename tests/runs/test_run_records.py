from __future__ import annotations

import json
from pathlib import Path

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry


def test_a_run_says_who_it_was_and_when_it_ended(tmp_path: Path) -> None:
    run = run_records.begin(tmp_path, {"recipe": ["r.yaml"]})
    assert "ended" not in run_records.about(tmp_path, run.run_id)
    run_records.end(run)
    about = run_records.about(tmp_path, run.run_id)
    assert about["recipe"] == ["r.yaml"] and about["ended"] >= about["started"]
    assert run_records.run_ids(tmp_path) == [run.run_id]


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
