"""What a run in shards says, word for word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.runner import progress_texts
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from tests.host import write_rows


def shard(number: int, state: str, **values: Any) -> ShardEntry:
    whole = "" if state == "pending" else f"{number}-whole"
    return ShardEntry(f"shard-{number:05d}", f"shard-{number}", 5, state, whole_run_id=whole, **values)


def plan(*states: str, **values: Any) -> Manifest:
    shards = [shard(number, state, **values) for number, state in enumerate(states)]
    return Manifest("/r.yaml", "f", "/d", "g", 5, 0, shards)


def test_the_opening_counts_papers_and_shards() -> None:
    manifest = plan("done", "undecided", "pending")
    said = progress_texts.opening(manifest, manifest.open, "/run", "ray")
    assert said == "15 papers in 3 shards of up to 5, 1 of them done; 2 to run on the ray executor (run folder /run)"


@pytest.mark.parametrize(
    ("spent", "says"),
    [
        ({}, ""),
        ({"calls": 4}, ", 4 calls"),
        ({"calls": 4, "cost": 0.5}, ", 4 calls, 0.5000 US dollars"),
        ({"calls": 4, "unpriced": 4}, ", 4 calls, 4 calls of unknown price"),
    ],
)
def test_a_shard_has_one_line(spent: dict[str, Any], says: str) -> None:
    entry = shard(3, "done", kept=7, refused=2, undecided=1, seconds=12.34, **spent)
    said = progress_texts.progress(entry, 9, 20)
    assert said == f"shard-00003 of 9: 5 papers, 7 kept, 2 refused, 1 undecided, 12.3 s{says}; 20 kept in all"


def test_the_closing_counts_what_was_run_whole_and_names_the_files(tmp_path: Path) -> None:
    write_rows(tmp_path / "pairs.jsonl", [{"row_id": "a"}])
    about = {"tag": "t", "operator": "op", "reason": "call_failed:transient", "message": "no answer"}
    write_rows(tmp_path / "undecided.jsonl", [{"row_id": "u", "undecided": about}])
    manifest = plan("done", "undecided", "pending", refused=3, seconds=30.4)
    unread = {"row_id": "p", "tag": "t", "reason": "unreadable_paper", "verdict": "drop", "detail": {"message": "gone"}}
    said = progress_texts.closing(manifest, ShardedFolder(str(tmp_path)), 8, [unread]).splitlines()
    assert said[-2] == "8 kept rows, 6 refused, 1 undecided, from 10 of 15 papers (2 of 3 shards, 61 s)"
    assert said[-1] == f"  kept rows  {tmp_path}/pairs.jsonl"
    assert any("1 rows are UNDECIDED" in line for line in said)
    assert any(f"They stand in {tmp_path}/undecided.jsonl" in line for line in said)
    quiet = progress_texts.closing(plan("done"), ShardedFolder(str(tmp_path / "none")), 0, [])
    assert quiet.splitlines() == [
        "0 kept rows, 0 refused, 0 undecided, from 5 of 5 papers (1 of 1 shards, 0 s)",
        f"  kept rows  {tmp_path}/none/pairs.jsonl",
    ]


@pytest.mark.parametrize(
    ("code", "states", "says"),
    [
        (130, ("done", "undecided", "pending", "pending"), "The run was interrupted (SIGINT, Ctrl-C): 1 of 4 shards "
         "are done, 1 have undecided rows, 2 are left. The same command goes on."),
        (143, ("done", "pending"), "The run was stopped by a signal (SIGTERM): 1 of 2 shards are done, 1 are left. The "
         "same command goes on."),
        (3, ("done", "undecided"), "The budget is reached. Raise it in the recipe; the same command then goes on."),
        (2, ("done", "pending"), "The run was stopped: the reason stands above, or at the end of work/console.txt in "
         "the run folder. The same command then goes on."),
        (0, ("done", "done"), "All shards are done."),
        (0, ("done", "undecided"), "All shards are run. The same command runs those with undecided rows again."),
    ],
)  # fmt: skip
def test_how_a_run_ended_and_how_to_go_on(code: int, states: tuple[str, ...], says: str) -> None:
    assert progress_texts.why_ended(code, plan(*states), 0, 10) == says


@pytest.mark.parametrize(
    ("target", "kept", "is_reached"), [(10, 10, True), (10, 11, True), (10, 9, False), (0, 9, False)]
)
def test_a_target_that_is_reached_is_said_with_what_is_left(target: int, kept: int, is_reached: bool) -> None:
    said = progress_texts.why_ended(0, plan("done", "undecided", "pending", "pending"), target, kept)
    reached = f"The target of {target} kept pairs is reached; 2 shards are left. A higher --target goes on."
    assert (said == reached) is is_reached


def test_shards_that_failed_are_named_up_to_five_and_counted_all() -> None:
    manifest = plan(*["pending"] * 7, error="ValueError: no")
    manifest.shards.append(shard(7, "done"))
    said = progress_texts.why_ended(1, manifest, 0, 0)
    named = ", ".join(f"shard-0000{number}" for number in range(5))
    assert said == f"7 shards failed ({named}). The same command tries them again."
