from __future__ import annotations

import json
import os
import pickle
import socket
import time
from pathlib import Path

import pytest

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry, Ledger, Spending, decisions, read_lines, spent_before


def entry(row_id: str, verdict: str = "keep", tag: str = "t") -> Entry:
    return Entry(row_id=row_id, operator="op", tag=tag, verdict=verdict, reason="r")  # type: ignore[arg-type]


def test_a_decision_can_be_read_as_soon_as_it_is_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "run1")
    ledger.record(entry("a"))
    [line] = read_lines(tmp_path / "ledger")
    assert line["row_id"] == "a" and line["run_id"] == "run1" and line["spending"]["calls"] == 0


def test_the_last_verdict_of_a_row_counts(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "run1")
    for verdict in ("undecided", "keep"):
        ledger.record(entry("a", verdict))
    ledger.record(entry("a", "drop", tag="other"))
    assert {(e["tag"], e["verdict"]) for e in decisions(tmp_path, "run1")} == {("t", "keep"), ("other", "drop")}


def test_runs_are_kept_apart(tmp_path: Path) -> None:
    Ledger(tmp_path, "run1").record(entry("a"))
    Ledger(tmp_path, "run2").record(entry("b"))
    assert [e["row_id"] for e in decisions(tmp_path, "run2")] == ["b"]


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    Ledger(tmp_path, "run1").record(entry("a"))
    [file] = (tmp_path / "ledger").iterdir()
    with file.open("a") as lines:
        lines.write('{"row_id": "b", "ope')
    assert [e["row_id"] for e in read_lines(tmp_path / "ledger")] == ["a"]


def test_a_ledger_goes_to_another_process(tmp_path: Path) -> None:
    ledger = run_records.begin(tmp_path, {}).ledger
    ledger.record(entry("a"))
    pickle.loads(pickle.dumps(ledger)).record(entry("b"))
    assert sorted(e["row_id"] for e in read_lines(tmp_path / "ledger")) == ["a", "b"]


def test_a_machine_that_does_not_see_the_run_folder_writes_nothing(tmp_path: Path) -> None:
    sent = pickle.dumps(run_records.begin(tmp_path / "run", {}).ledger)
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    (tmp_path / "run").mkdir()  # by an operator that wrote an image there
    with pytest.raises(FileNotFoundError, match="must lie where all nodes of the cluster share it"):
        pickle.loads(sent).record(entry("a"))
    assert not any((tmp_path / "run").iterdir())


def test_a_ledger_that_is_removed_while_it_is_written_is_noticed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "run1")
    ledger.record(entry("a"))
    [file] = (tmp_path / "ledger").iterdir()
    file.unlink()
    with pytest.raises(OSError, match="removed while the run went on"):
        ledger.record(entry("b"))


def test_text_with_line_breaks_and_surrogates_stays_one_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "run1")
    bad = Entry("a", "op", "t", "undecided", "r", detail={"message": "one\ntwo \ud800 \x00"})
    ledger.record(bad)
    [file] = (tmp_path / "ledger").iterdir()
    [line] = file.read_text().splitlines()
    assert json.loads(line)["detail"]["message"].startswith("one\ntwo")


def test_what_earlier_runs_have_spent_is_summed_without_stored_answers(tmp_path: Path) -> None:
    for run_id, calls, hits in (("1", 3, 1), ("2", 5, 0), ("3", 7, 0)):
        spending = Spending(calls=calls, store_hits=hits, cost=0.5 * calls)
        Ledger(tmp_path, run_id).record(Entry("a", "op", "t", "keep", "r", spending=spending))
    assert spent_before(tmp_path, "3") == (4.0, 7)
    assert spent_before(tmp_path, "1") == (0, 0)


def test_a_line_says_all_that_is_known_of_a_decision(tmp_path: Path) -> None:
    spent = Spending(calls=1, cost=0.5)
    decision = Entry("a", "op", "t", "drop", "why", "paper", "figure", "model", "prompt", "parser", {"top_p": 1},
                     spent, {"model": spent}, 3, {"votes": ["A"]})  # fmt: skip
    Ledger(tmp_path, "run1").record(decision)
    [line] = read_lines(tmp_path / "ledger")
    assert line.pop("time") == pytest.approx(time.time(), abs=60)
    assert line.pop("spending") == line.pop("by_model")["model"] == vars(spent)
    assert line == {
        "run_id": "run1", "row_id": "a", "operator": "op", "tag": "t", "verdict": "drop", "reason": "why",
        "paper_id": "paper", "figure_id": "figure", "model": "model", "prompt": "prompt", "parser": "parser",
        "sampling": {"top_p": 1}, "made": 3, "detail": {"votes": ["A"]},
    }  # fmt: skip


def lines(folder: Path, name: str, *values: object) -> None:
    (folder / "ledger").mkdir(exist_ok=True)
    (folder / "ledger" / name).write_text("".join(json.dumps(value) + "\n" for value in values))


def decided(row: str, time_: float | None, verdict: str = "keep", operator: str = "op") -> dict[str, object]:
    line = {"row_id": row, "operator": operator, "tag": "t", "verdict": verdict, "detail": {"big": 1}, "spending": {}}
    return line if time_ is None else {**line, "time": time_}


def test_decisions_come_in_the_order_of_their_time_whatever_file_they_are_in(tmp_path: Path) -> None:
    lines(tmp_path, "r.a.1.jsonl", decided("late", 9.0), decided("twice", 5.0, "undecided"))
    lines(tmp_path, "r.b.1.jsonl", decided("early", 1.0), decided("twice", 7.0), decided("twice", 6.0, "drop"))
    found = decisions(tmp_path, "r")
    assert [(line["row_id"], line["verdict"]) for line in found] == [
        ("early", "keep"),
        ("twice", "keep"),
        ("late", "keep"),
    ]


def test_of_two_decisions_at_one_time_the_later_line_counts(tmp_path: Path) -> None:
    lines(tmp_path, "r.a.1.jsonl", decided("a", 5.0, "undecided"), decided("a", 5.0), decided("b", None, "drop"),
          decided("b", None))  # fmt: skip
    assert {line["row_id"]: line["verdict"] for line in decisions(tmp_path, "r")} == {"a": "keep", "b": "keep"}


def test_decisions_of_several_operators_stand_beside_each_other(tmp_path: Path) -> None:
    lines(tmp_path, "r.a.1.jsonl", decided("a", 1.0), decided("a", 2.0, operator="other"))
    assert len(decisions(tmp_path, "r")) == 2


def test_brief_decisions_are_enough_to_count_with(tmp_path: Path) -> None:
    lines(tmp_path, "r.a.1.jsonl", decided("a", 1.5))
    assert decisions(tmp_path, "r", brief=True) == [{
        "time": 1.5, "run_id": 0, "row_id": "a", "operator": "op", "tag": "t", "verdict": "keep", "reason": 0,
        "paper_id": 0, "figure_id": 0, "made": 0,
    }]  # fmt: skip


def test_lines_are_read_file_after_file_and_what_is_no_object_is_left_out(tmp_path: Path) -> None:
    lines(tmp_path, "r.b.1.jsonl", {"n": 3})
    lines(tmp_path, "r.a.1.jsonl", {"n": 1}, [7], 7, {"n": 2})
    lines(tmp_path, "rr.a.1.jsonl", {"n": 4})
    lines(tmp_path, "other.txt", {"n": 5})
    assert [line["n"] for line in read_lines(tmp_path / "ledger", "r")] == [1, 2, 3]
    assert [line["n"] for line in read_lines(tmp_path / "ledger")] == [1, 2, 3, 4]
    (tmp_path / "ledger" / "r.a.1.jsonl").write_bytes(b'\xff\n{"n": "\xff"}\n{"n": 1}\n')
    assert [line["n"] for line in read_lines(tmp_path / "ledger", "r")] == ["\ufffd", 1, 3]


def test_a_ledger_that_was_sent_writes_where_the_run_was_announced_and_its_maker_anywhere(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "run", "run1")
    ledger.record(entry("a"))  # without an announcement, as by the process that makes it
    with pytest.raises(FileNotFoundError) as error:
        pickle.loads(pickle.dumps(ledger)).record(entry("b"))
    assert error.value.filename == str(tmp_path / "run") and socket.gethostname() in str(error.value)


def test_a_fork_writes_a_file_of_its_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "run1")
    ledger.record(entry("parent"))
    if not (child := os.fork()):
        ledger.record(entry("child"))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    ledger.record(entry("parent again"))
    host = socket.gethostname()
    names = {
        path.name: [json.loads(line)["row_id"] for line in path.open()] for path in (tmp_path / "ledger").iterdir()
    }
    assert names == {
        f"run1.{host}.{os.getpid()}.jsonl": ["parent", "parent again"], f"run1.{host}.{child}.jsonl": ["child"],
    }  # fmt: skip
