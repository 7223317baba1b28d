"""The numbers of a report against the files of runs that were stopped, retried and gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.base import run_op
from data_juicer_ext.report.html_page import page
from data_juicer_ext.report.run_report import RunReport, make_report
from data_juicer_ext.report.run_selection import last_selection, select_runs
from data_juicer_ext.runs import run_records
from tests.fake_openai import FakeServer, Reply
from tests.host import run_here
from tests.report.counting import check, last_decisions, ledger_lines
from tests.report.run_folders import number, tables
from tests.scripted import STEPS, ScriptedModels

Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def a_process_of_its_own() -> None:
    run_op._RUNS.clear()


def exported(rows: Rows, run_dir: Path) -> Path:
    path = run_dir.parent / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def checked(run_dir: Path, export: Path) -> tuple[RunReport, dict[str, list[list[str]]]]:
    """The report of the last run, after it was held against the files."""
    report = make_report(select_runs(run_dir, export=export))
    found = tables(page(report))
    check(report, found, export, [run_records.run_ids(run_dir)[-1]])
    return report, found


def test_a_whole_run(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    export = exported(run_here(papers, process), run_dir)
    report, found = checked(run_dir, export)
    assert report.kept.rows > 5 and "causes" not in found and report.repeated == 0
    assert {group.verdict for group in report.groups} == {"keep", "drop"}
    shown = [sample for group in report.groups for sample in group.samples]
    assert all(sample.picture.images for group in report.groups[:1] for sample in group.samples)
    assert all(sample.question and sample.claim for sample in shown if sample.row_id.startswith("qa-"))


def test_an_outage_and_the_run_after_it(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    models.broken = {"vote"}
    export = exported(run_here(papers, process), run_dir)
    report, _ = checked(run_dir, export)
    [cause] = report.undecided
    assert cause.reason == "call_failed:server" and "500" in cause.message and report.costs.retries > 0
    run_op._RUNS.clear()
    models.broken = set()
    report, found = checked(run_dir, exported(run_here(papers, process), run_dir))
    assert not report.undecided and len(found["runs"]) == 2 and found["saved"]
    assert [row[1] for row in found["runs"]] == ["no", "yes"]


def test_a_run_that_a_budget_stops_twice(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    for limit in (20, 60, 0):
        for step in process[1:]:
            next(iter(step.values()))["max_calls"] = limit
        run_op._RUNS.clear()
        report, _ = checked(run_dir, exported(run_here(papers, process), run_dir))
        assert bool(report.undecided) == bool(limit)
    assert report.costs.total.calls - report.costs.total.store_hits == len(server.requests)


def test_rows_that_are_decided_twice_in_a_run(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    """As Ray does where it runs a task again: the same rows, decided and noted once more."""
    figures = run_here(papers, process[:1])
    claims = run_here(figures, process[1:2])
    run_here(figures, process[1:2])
    export = exported(run_here(claims, process[2:]), run_dir)
    report, found = checked(run_dir, export)
    assert report.repeated == len(figures) > 0
    lines = ledger_lines(run_dir)
    assert len(last_decisions(lines)) == len(lines) - len(figures)
    [claims_row] = [row for row in found["steps"] if row[0] == "claims"]
    assert number(claims_row[2]) == len(claims)


def test_calls_that_are_tried_again(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    scripted, seen = server.responder, set()

    def first_fails(body: dict[str, Any]) -> Any:
        key = json.dumps(body, sort_keys=True)
        if key not in seen:
            seen.add(key)
            return Reply("busy", status=500)
        return scripted(body)

    server.responder = first_fails
    report, _ = checked(run_dir, exported(run_here(papers[:4], process), run_dir))
    paid = report.costs.total.calls - report.costs.total.store_hits
    assert report.costs.retries == len(server.requests) - paid > 0


def test_early_stopping_is_what_the_server_was_not_asked(
    server: FakeServer, models: ScriptedModels, papers: Rows, process: Rows, run_dir: Path
) -> None:
    process[-1]["vision_vote_filter"]["vote_mode"] = "frugal"
    report, found = checked(run_dir, exported(run_here(papers, process), run_dir))
    votes = next(step.rows for step in report.steps if step.tag == "vision_vote")
    [saved] = [row for row in found["saved"] if row[0] == "vision_vote"]
    assert number(saved[2]) == votes * 3 - models.calls["vote"] > 0


def test_while_a_run_goes_on(server: FakeServer, papers: Rows, process: Rows, run_dir: Path) -> None:
    """A report is made in the middle of each step; it counts what the ledger holds by then."""
    made: list[RunReport] = []
    scripted, asked = server.responder, [0]

    def looking(body: dict[str, Any]) -> Any:
        asked[0] += 1
        if asked[0] % 40 == 0 and run_records.run_ids(run_dir):
            made.append(make_report(last_selection(run_dir)))
            page(made[-1])
        return scripted(body)

    server.responder = looking
    run_here(papers, process)
    assert len(made) >= 3 and all("has not ended" in report.notes[0] for report in made)
    rows = [sum(step.rows for step in report.steps) for report in made]
    assert rows == sorted(rows) and rows[0] < rows[-1] and not any(report.kept.rows for report in made)
    assert len(STEPS) == len([step for step in report_of(run_dir).steps if step.tag != "figure_rows"])


def report_of(run_dir: Path) -> RunReport:
    return make_report(last_selection(run_dir))
