from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from data_juicer_ext.report.costs import costs
from data_juicer_ext.report.funnel import funnel
from data_juicer_ext.report.ledger_decisions import Blind, FigureScores, QuestionMade, VoteDraws, count
from data_juicer_ext.report.run_selection import select_runs
from tests.report.run_folders import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def paid(calls: int = 1, cost: float = 0.5, **more: int) -> dict[str, float]:
    return {"calls": calls, "tries": calls, "cost": cost, "prompt_tokens": 10 * calls, **more}


def test_a_decision_counts_once_and_every_line_that_was_paid_for(folder: RunFolder) -> None:
    folder.note("vision_vote", "a", "undecided", "call_failed:server", spent=paid(tries=3))
    folder.note("vision_vote", "a", "drop", "no_majority", spent=paid())
    folder.note("vision_vote", "b", spent=paid())
    found = count(select_runs(folder.path))
    [step] = funnel(found.decisions())
    assert (step.rows, step.kept, step.refused, step.undecided) == (2, 1, 1, 0)
    assert found.repeated == 1
    [line] = costs(found, select_runs(folder.path)).lines
    assert (line.paid_calls, line.retries, line.spending.prompt_tokens) == (3, 2, 30)
    assert line.spending.cost == pytest.approx(1.5)


def test_the_later_of_two_decisions_counts_in_whatever_file_it_stands(folder: RunFolder) -> None:
    folder.note("vision_vote", "a", "keep")
    early = {**json.loads(next(folder.path.glob("ledger/*")).read_text()), "time": time.time() - 99, "verdict": "drop"}
    (folder.path / "ledger" / f"{folder.run.run_id}.zz.1.jsonl").write_text(json.dumps(early) + "\n")
    [step] = funnel(count(select_runs(folder.path)).decisions())
    assert (step.rows, step.kept) == (1, 1)


def test_a_killed_run_is_paid_for_but_its_decisions_give_way(folder: RunFolder) -> None:
    folder.note("claim_extractor", "f1", made=3, spent=paid())
    folder.note("claim_extractor", "f2", made=1, spent=paid())
    folder.begin()
    folder.note("claim_extractor", "f1", made=3, spent={"calls": 1, "store_hits": 1})
    scope = select_runs(folder.path)
    found = count(scope)
    assert [step.out for step in funnel(found.decisions())] == [3]
    made = costs(found, scope)
    assert made.total.cost == pytest.approx(1.0) and made.total.calls - made.total.store_hits == 2
    assert [(run.counted, run.lines) for run in made.runs] == [(False, 2), (True, 1)]
    assert made.runs[0].spending.prompt_tokens == 20
    [saved] = made.saved
    assert (saved.from_store, saved.early, saved.cost) == (1, 0, 0.5)


def test_costs_are_by_listing_and_model_in_the_order_of_the_run(folder: RunFolder) -> None:
    folder.note("source_consistency", "a", model="x", spent=paid())
    folder.note("vision_vote", "a", model="y", spent=paid(unpriced=1, cost=0.0))
    folder.note("source_consistency", "b", model="z", spent=paid(cost=2.0))
    made = costs(count(select_runs(folder.path)), select_runs(folder.path))
    assert [(line.tag, line.model, line.a_call) for line in made.lines] == [
        ("source_consistency", "x", 0.5), ("source_consistency", "z", 2.0), ("vision_vote", "y", None),
    ]  # fmt: skip


def test_draws_that_a_decided_vote_did_without_are_saved(folder: RunFolder) -> None:
    for row, drawn in (("a", 2), ("b", 3), ("c", 2)):
        folder.note("vision_vote", row, detail={"n": 3, "draws_made": drawn}, spent=paid(calls=drawn, cost=drawn * 0.1))
    [saved] = costs(count(select_runs(folder.path)), select_runs(folder.path)).saved
    assert (saved.from_store, saved.early) == (0, 2) and saved.cost == pytest.approx(0.2)


def test_what_a_decision_rests_on_is_known_by_its_detail(folder: RunFolder) -> None:
    details = {
        "a": ({"n": 3, "draws_made": 2, "letters": []}, VoteDraws(3, 2)),
        "b": ({"hits": 1, "needed": 2, "draws": ["A", "none", "failed", "unparsable"]}, Blind(2, 1)),
        "c": ({"made": "qa-1", "options": ["x", "y"]}, QuestionMade("qa-1", 2)),
        "d": ({"scores": {"VC": 8, "C": None}, "overall": 7.5}, FigureScores({"VC": 8.0, "overall": 7.5})),
        "e": ({"message": "no"}, None),
        "f": ({"scores": {"VC": 8}}, None),
        "g": ({"overall": 7.5}, None),
    }
    for row_id, (detail, _) in details.items():
        folder.note("any", row_id, detail=detail)
    [rows] = count(select_runs(folder.path)).decided.values()
    assert {row_id: made.rest for row_id, made in rows.items()} == {k: rest for k, (_, rest) in details.items()}


def test_a_line_that_is_being_written_is_left_out(folder: RunFolder) -> None:
    folder.note("vision_vote", "a")
    with next(folder.path.glob("ledger/*")).open("a") as file:
        file.write('{"row_id": "b", "operator": "vision_vo')
    assert sum(1 for _ in count(select_runs(folder.path)).decisions()) == 1
