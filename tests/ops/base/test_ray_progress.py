from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from data_juicer_ext.ops.base import progress, ray_progress
from data_juicer_ext.ops.base.ray_progress import Follower, follow
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry, Spending


@pytest.fixture
def said() -> Iterator[list[str]]:
    lines: list[str] = []
    handler = logger.add(lambda text: lines.append(str(text).rstrip("\n")), format="{message}",
                         filter="data_juicer_ext.ops.base.ray_progress")  # fmt: skip
    yield lines
    logger.remove(handler)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[run_records.Run]:
    monkeypatch.setattr(ray_progress, "_following", None)
    yield run_records.begin(tmp_path, {})
    ray_progress._end()


def note(run: run_records.Run, row_id: str, tag: str = "vision_vote", model: str = "m", verdict: str = "keep") -> None:
    spending = Spending(calls=3, tries=3, cost=0.5)
    run.ledger.record(Entry(row_id, tag, tag, verdict, "r", model=model, spending=spending))  # type: ignore[arg-type]


def without_rates(lines: list[str]) -> list[str]:
    return [", ".join(part for part in line.split(", ") if "calls/s" not in part) for line in lines]


def test_each_look_tells_what_is_new(run: run_records.Run) -> None:
    follower = Follower(run)
    assert follower.look() == []
    note(run, "a")
    note(run, "b", verdict="drop")
    note(run, "p", tag="figure_rows", model="")
    assert without_rates(follower.look()) == ["vision_vote: 2 done, 1 kept, $1.0000"]
    assert follower.look() == []
    note(run, "c", tag="source_consistency")
    assert without_rates(follower.look()) == ["source_consistency: 1 done, 1 kept, $0.5000"]


def test_lines_of_all_processes_and_none_that_is_being_written(run: run_records.Run) -> None:
    note(run, "a")
    [mine] = (run.run_dir / "ledger").glob("*")
    other = mine.with_name(f"{run.run_id}.elsewhere.7.jsonl")
    line = mine.read_text()
    other.write_text(line + line[:40])
    (mine.parent / "0-other.host.1.jsonl").write_text(line)
    follower = Follower(run)
    assert without_rates(follower.look()) == ["vision_vote: 2 done, 2 kept, $1.0000"]
    with other.open("a") as file:
        file.write(line[40:])
    assert without_rates(follower.look()) == ["vision_vote: 3 done, 3 kept, $1.5000"]


def test_the_driver_says_it_and_the_next_run_takes_over(
    run: run_records.Run, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(run)
    follow(run)  # by the next operator of the same run
    first = ray_progress._following
    note(run, "a")
    follow(run_records.begin(tmp_path, {}))
    assert without_rates(said) == ["vision_vote: 1 done, 1 kept, $0.5000"]
    assert first is not None and not first.thread.is_alive() and ray_progress._following is not first


def test_a_ledger_that_breaks_does_not_trouble_the_run(run: run_records.Run, said: list[str]) -> None:
    follow(run)
    note(run, "a")
    [path] = (run.run_dir / "ledger").glob("*")
    path.write_text("{broken}\n")
    ray_progress._end()
    assert said == []


def test_it_can_be_switched_off(run: run_records.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(progress.SWITCH, "0")
    follow(run)
    assert ray_progress._following is None
