"""A report on screen, line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.run_report import Cause, RunReport, make_report
from data_juicer_ext.report.run_selection import last_selection
from data_juicer_ext.report.terminal import lines
from tests.report.run_folders import RunFolder, qa_row

WHOLE = """\
step                                     count  retention
Atomic claims extracted                      9     100.0%
After text-based filtering                   8      88.9%
After vision-based filtering                 5      55.6%

step                                   rows  of claims    kept  refused  undecided  why
claims                                    9     100.0%  100.0%        0          0
after source_consistency                  8      88.9%   88.9%        1          0  none 1
after vision_vote                         5      55.6%   62.5%        2          1  no_majority 2, call_failed:timeout 1

refused, by error kind implied                                rows  at
E1 incorrectly visually grounded                                 1  source_consistency
E1 incorrectly visually grounded or E4 outside knowledge         2  vision_vote

undecided at                  cause                           rows
vision_vote                   call_failed:timeout                1

spent, all runs           model                    calls  stored  retries      tokens          US dollars
claim_extractor           writer                       2       1        2       1,200             $0.2500
source_consistency        writer                       9       0        0          63             $0.0900
vision_vote               seer                        16       0       24          24           not known
all                                                   27       1       26       1,287  $0.3400 + 16 calls

claim_extractor: 1 calls saved by the store, 0 by early stopping, about $0.1250

answers of 4 options: A 2 (40%)  B 1 (20%)  C 1 (20%)  D 1 (20%)
the answer is the longest option in 1 of 5 questions
rules above chance without the figure: none"""


def spent(**values: Any) -> dict[str, Any]:
    return {"calls": 1, "tries": 1, **values}


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run with calls of known and unknown prices, answers out of the store, and every verdict."""
    made = RunFolder(tmp_path)
    first = spent(calls=3, tries=4, store_hits=1, prompt_tokens=1000, completion_tokens=200, cost=0.25)
    made.note("claim_extractor", "figure-1", made=9, spent=first, model="writer")
    for n in range(9):
        verdict, reason = ("keep", "agrees") if n < 8 else ("drop", "none")
        check = spent(cost=0.01, prompt_tokens=7)
        made.note("source_consistency", f"qa-{n}", verdict, reason, spent=check, model="writer")
    for n in range(8):
        verdict, reason = ("keep", "majority") if n < 5 else ("drop", "no_majority")
        if n == 7:
            verdict, reason = "undecided", "call_failed:timeout"
        vote = spent(calls=2, tries=5, unpriced=2, completion_tokens=3)
        made.note("vision_vote", f"qa-{n}", verdict, reason, model="seer", spent=vote, detail={"message": "no answer"})
    made.end([qa_row(n) for n in range(5)])
    return made


def test_a_whole_report(run: RunFolder) -> None:
    assert "\n".join(line.rstrip() for line in lines(report_of(run)).splitlines()) == WHOLE


def report_of(run: RunFolder) -> RunReport:
    return make_report(last_selection(run.path))


def test_what_has_to_be_known_stands_first(run: RunFolder) -> None:
    assert lines(replace(report_of(run), notes=["first", "second\x1b[31m"])).startswith("! first\n! second[31m\n\nstep")


@pytest.mark.parametrize(("causes", "more"), [(10, ""), (11, "... and 1 other causes"), (14, "... and 4 other causes")])
def test_of_many_causes_ten_are_shown(run: RunFolder, causes: int, more: str) -> None:
    undecided = [Cause(f"tag{n}", "r" * 40, 1000 + n) for n in range(causes)]
    said = lines(replace(report_of(run), undecided=undecided)).splitlines()
    shown = [line for line in said if line.startswith("tag")]
    assert len(shown) == 10 and shown[0] == f"{'tag0':<30}{'r' * 26}     1,000"
    assert [line for line in said if "other causes" in line] == ([more] if more else [])


def test_a_run_without_rows_and_calls_has_only_its_steps(tmp_path: Path) -> None:
    made = RunFolder(tmp_path)
    made.note("claim_extractor", "figure-1", made=0)
    made.end([])
    said = lines(report_of(made))
    assert "refused, by error" not in said and "undecided at" not in said and "answers of" not in said
    assert "rules above chance" not in said
