"""What a run folder cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.costs import Cost, RunCost, Saved, costs, money, price, total
from data_juicer_ext.report.ledger_decisions import count
from data_juicer_ext.report.run_selection import select_runs
from data_juicer_ext.report.summary import run_summary
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry
from tests.report.run_folders import RunFolder


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(0.0, "$0.00"), (0.12345, "$0.1235"), (99.99994, "$99.9999"), (100.0, "$100.00"), (12345.678, "$12,345.68")],
)
def test_small_sums_have_more_digits(dollars: float, text: str) -> None:
    assert money(dollars) == text


@pytest.mark.parametrize(
    ("spent", "text"),
    [
        ({"calls": 4, "cost": 0.5}, "$0.5000"),
        ({"calls": 4, "unpriced": 1, "cost": 0.5}, "$0.5000 + 1 calls"),
        ({"calls": 4, "unpriced": 4}, "not known"),
        ({"calls": 6, "store_hits": 2, "unpriced": 4}, "not known"),
        ({"calls": 6, "store_hits": 1, "unpriced": 4, "cost": 1.0}, "$1.0000 + 4 calls"),
        ({}, "$0.00"),
    ],
)
def test_a_price_says_what_of_it_is_not_known(spent: dict[str, Any], text: str) -> None:
    assert price(Spending(**spent)) == text


@pytest.mark.parametrize(
    ("spent", "paid", "retries", "a_call"),
    [
        ({"calls": 4, "store_hits": 1, "tries": 5, "cost": 1.5}, 3, 2, 0.5),
        ({"calls": 4, "store_hits": 4, "tries": 0}, 0, 0, None),
        ({"calls": 4, "tries": 4, "unpriced": 1, "cost": 1.0}, 4, 0, None),
        ({"calls": 4, "tries": 2}, 4, 0, 0.0),
    ],
)
def test_calls_that_went_out_their_retries_and_their_mean(
    spent: dict[str, Any], paid: int, retries: int, a_call: float | None
) -> None:
    line = Cost("op", "t", "m", Spending(**spent))
    assert (line.paid_calls, line.retries, line.a_call) == (paid, retries, a_call)


def test_spendings_add_up() -> None:
    assert total([Spending(calls=1, cost=0.5), Spending(calls=2, estimated=True)]) == Spending(
        calls=3, cost=0.5, estimated=True
    )
    assert total([]) == Spending()


def test_every_run_into_the_folder_counts_by_listing_model_and_run(tmp_path: Path) -> None:
    made = RunFolder(tmp_path)
    made.note("vision_vote", "a", spent={"calls": 2, "tries": 3, "cost": 0.5}, model="seer")
    made.note("gone", "a", spent={"calls": 1, "tries": 1, "cost": 0.25}, model="writer")
    first = made.run.run_id
    made.begin()
    made.note("claim_extractor", "f", spent={"calls": 1, "tries": 1, "cost": 1.0}, model="writer")
    made.note("vision_vote", "a", spent={"calls": 3, "store_hits": 2, "tries": 1, "cost": 0.25}, model="seer")
    made.note("vision_vote", "b", spent={"calls": 1, "tries": 1, "unpriced": 1}, model="other")
    made.end([])
    scope = select_runs(made.path)
    found = costs(count(scope), scope)
    by_line = [(line.tag, line.model, line.paid_calls, line.spending.cost) for line in found.lines]
    assert sorted(by_line) == [
        ("claim_extractor", "writer", 1, 1.0), ("gone", "writer", 1, 0.25), ("vision_vote", "other", 1, 0.0),
        ("vision_vote", "seer", 3, 0.75),
    ]  # fmt: skip
    assert by_line[-1][0] == "gone", "listings of other runs come last"
    assert (found.total.calls, found.total.cost, found.total.unpriced, found.retries) == (8, 2.0, 1, 1)
    assert found.saved == [Saved("vision_vote", 2, 0, None)], "one of its prices is not known"
    assert [(run.run_id, run.counted, run.lines, run.spending.cost) for run in found.runs] == [
        (first, False, 2, 0.75), (made.run.run_id, True, 3, 1.25),
    ]  # fmt: skip
    assert isinstance(found.runs[0], RunCost)


def test_what_the_store_saved_is_worth_the_mean_of_what_was_paid(tmp_path: Path) -> None:
    made = RunFolder(tmp_path)
    made.note("vision_vote", "a", spent={"calls": 5, "store_hits": 3, "tries": 2, "cost": 0.5}, model="seer")
    made.note("claim_extractor", "f", spent={"calls": 1, "store_hits": 1}, model="writer")
    made.end([])
    scope = select_runs(made.path)
    assert sorted(costs(count(scope), scope).saved, key=lambda saved: saved.tag) == [
        Saved("claim_extractor", 1, 0, None), Saved("vision_vote", 3, 0, 0.75),
    ]  # fmt: skip


def test_the_summary_of_a_run_in_shards_is_over_all_of_them_until_a_plain_run_comes(tmp_path: Path) -> None:
    made = RunFolder(tmp_path, shard="shard-00000")
    made.note("vision_vote", "a", "drop", "no_majority")
    made.end([])
    first = made.run.run_id
    made.begin()
    made.note("vision_vote", "b", "drop", "no_majority")
    shards = [ShardEntry("shard-00000", "i", 1, whole_run_id=first, run_id="later"), ShardEntry("shard-00001", "j", 1),
              ShardEntry("shard-00002", "k", 1, run_id=made.run.run_id)]  # fmt: skip
    Manifest("/r", "f", "/d", "g", 1, 0, shards).save(made.path)
    assert "no_majority 2" in run_summary(made.path)
    made.about.pop("shard")
    made.begin()
    made.note("vision_vote", "c", "drop", "no_majority")
    assert "no_majority 1" in run_summary(made.path)
