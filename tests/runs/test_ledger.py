from __future__ import annotations

import json
import pickle
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
