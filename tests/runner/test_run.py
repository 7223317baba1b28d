"""The loop over shards, on a host that plays Data-Juicer: what is run, merged, kept and said."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.report.summary import run_summary
from data_juicer_ext.runner import run as run_module
from data_juicer_ext.runner.run import run
from data_juicer_ext.runner.shard_plan import RunRequest
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.ledger import Entry as Decision
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.runs.remote_folder import RemoteFolder
from data_juicer_ext.runs.shard_manifest import Manifest, load
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from data_juicer_ext.storage import file_access
from tests.host import recipe, with_parameters, write_rows
from tests.s3_server import S3

Fate = Callable[[str], str]


class Played:
    """A host: what becomes of a paper is `fate(paper_id)`: keep, drop, a reason for undecided, or an exception."""

    fate: Fate = staticmethod(lambda paper_id: "keep")
    spending = Spending()  # of each decision
    jobs: list[list[str]] = []  # noqa: RUF012 - made anew for every test

    def __init__(self, recipe: Path, executor: str, work: Path) -> None:
        self.executor, self.work = executor, work
        [self.run_dir] = {p["run_dir"] for step in yaml.safe_load(recipe.read_text())["process"] for p in step.values()}

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        yield

    def run(self, dataset: Path, export: str, work_dir: Path, job_id: str) -> None:
        papers = [json.loads(line)["paper_id"] for line in dataset.read_text().splitlines()]
        Played.jobs.append(papers)
        joined = current_run(self.run_dir)
        assert joined.run_id == job_id
        kept = []
        for paper in papers:
            fate = Played.fate(paper)
            verdict: Any = fate if fate in ("keep", "drop") else "undecided"
            decision = Decision(paper, "op", "op", verdict, fate, made=int(fate == "keep"), spending=Played.spending)
            joined.ledger.record(decision)
            if verdict == "undecided":
                about = {"operator": "op", "tag": "op", "reason": fate, "message": "why"}
                joined.undecided.write({"row_id": paper, "undecided": about})
            elif verdict == "keep":
                kept.append({"row_id": f"{paper}-1", "__dj__stats__": {}})
        joined.flush()
        if self.executor == "ray":
            file_access.write(f"{export}/part.json", "".join(json.dumps(row) + "\n" for row in kept).encode())
        else:
            Path(export).parent.mkdir(parents=True)
            write_rows(Path(export), kept)


def raising(error: BaseException, at: set[str]) -> Fate:
    def fate(paper: str) -> str:
        if paper in at:
            raise error
        return "keep"

    return fate


class Given:
    """An order over 20 papers in shards of 5, and what was said.

    Of a run folder on object storage no copy outlives a run, and `run_dir` is one made after it.
    """

    def __init__(self, folder: Path, address: str = "") -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.address = folder, address
        self.run_dir = ShardedFolder(address).run_dir if address else folder / "run"
        config = {**recipe("quickstart"), "export_path": str(folder / "pairs.jsonl")}
        config["process"] = with_parameters(config["process"], run_dir="elsewhere")
        self.recipe = folder / "recipe.yaml"
        self.recipe.write_text(yaml.safe_dump(config))
        self.papers = [{"paper_id": f"p{n:02}", "text": f"text {n}"} for n in range(20)]
        write_rows(folder / "papers.jsonl", self.papers)
        self.said: list[str] = []
        self.order = RunRequest(self.recipe, str(folder / "papers.jsonl"), address or str(self.run_dir), shard_size=5)

    def run(self, **changes: Any) -> int:
        self.said.clear()
        Played.jobs = []
        self._forget()
        code = run(replace(self.order, **changes), self.said.append)
        self._forget()
        if self.address:
            with ShardedFolder(self.address).held():
                pass
        return code

    def _forget(self) -> None:
        if self.address:
            shutil.rmtree(self.run_dir, ignore_errors=True)

    @property
    def text(self) -> str:
        return "\n".join(self.said)

    @property
    def manifest(self) -> Manifest:
        found = load(self.run_dir)
        assert found is not None
        return found

    @property
    def states(self) -> list[str]:
        return [entry.state for entry in self.manifest.shards]

    def merged(self, name: str = "pairs") -> list[str]:
        return [json.loads(line)["row_id"] for line in (self.run_dir / f"{name}.jsonl").read_text().splitlines()]

    def shard(self, number: int) -> list[str]:
        lines = (self.run_dir / "shards" / f"shard-{number:05d}.jsonl").read_text().splitlines()
        return [json.loads(line)["paper_id"] for line in lines]


@pytest.fixture
def given(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Given:
    monkeypatch.setattr(run_module, "Host", Played)
    Played.fate = staticmethod(lambda paper_id: "keep")
    monkeypatch.setattr(Played, "spending", Spending())
    on_storage = getattr(request, "param", "folder") == "s3"
    return Given(tmp_path, request.getfixturevalue("s3").at("run") if on_storage else "")


on_both = pytest.mark.parametrize("given", ["folder", "s3"], indirect=True)


@on_both
def test_all_shards_are_run_once_and_joined(given: Given) -> None:
    Played.fate = staticmethod(lambda paper: "drop" if paper == "p03" else "keep")
    assert given.run() == 0
    assert given.states == ["done"] * 4 and len(given.merged()) == 19
    assert sum(e.kept for e in given.manifest.shards) == 19 and sum(e.refused for e in given.manifest.shards) == 1
    assert "19 kept rows, 1 refused, 0 undecided, from 20 of 20 papers" in given.text
    before = given.merged()
    assert given.run() == 0 and Played.jobs == [] and given.merged() == before
    assert (given.run_dir / "undecided.jsonl").read_text() == ""
    assert not any("__dj__" in line for line in (given.run_dir / "pairs.jsonl").read_text().splitlines())


@on_both
def test_the_target_ends_after_its_shard_and_a_higher_one_goes_on(given: Given) -> None:
    assert given.run(target=7) == 0
    assert given.states == ["done", "done", "pending", "pending"] and len(given.merged()) == 10
    assert "target of 7" in given.text
    assert given.run(target=10) == 0 and Played.jobs == []
    assert given.run(target=11) == 0 and len(Played.jobs) == 1 and len(given.merged()) == 15


@on_both
def test_undecided_shards_are_run_again_whole_and_double_nothing(given: Given) -> None:
    down = "call_failed:transient"
    Played.fate = staticmethod(lambda paper: down if paper < "p06" else "keep")
    assert given.run() == 0
    assert set(given.states) <= {"done", "undecided"} and "undecided" in given.states
    assert sorted(given.merged("undecided")) == [f"p{n:02}" for n in range(6)] and len(given.merged()) == 14
    assert "6 rows are UNDECIDED" in given.text and "Run the same command again" in given.text
    again = given.states.count("undecided")
    Played.fate = staticmethod(lambda paper: "keep")
    assert given.run() == 0 and len(Played.jobs) == again
    assert given.states == ["done"] * 4 and given.merged("undecided") == []
    assert sorted(given.merged()) == [f"p{n:02}-1" for n in range(20)]
    assert given.merged() == [f"{paper}-1" for n in range(4) for paper in given.shard(n)]


@on_both
def test_a_shard_that_keeps_other_rows_the_second_time_counts_as_it_is(given: Given) -> None:
    down = "call_failed:transient"
    Played.fate = staticmethod(lambda paper: "keep")
    given.run(target=1)
    first = given.shard(0)
    Played.fate = staticmethod(lambda paper: down if paper == first[0] else "keep")
    assert given.run(target=9, again=True) == 0 and len(given.merged()) == 9
    Played.fate = staticmethod(lambda paper: "drop" if paper == first[1] else "keep")
    assert given.run(target=10) == 0
    assert len(Played.jobs) == 2 and len(given.merged()) == 14 and f"{first[1]}-1" not in given.merged()


@on_both
def test_a_budget_stop_keeps_whole_shards_and_goes_on_later(given: Given) -> None:
    given.run(target=1)
    second = given.shard(1)
    Played.fate = staticmethod(lambda paper: "call_failed:budget" if paper in second[2:] else "keep")
    assert given.run() == 3
    assert given.states == ["done", "undecided", "pending", "pending"] and len(Played.jobs) == 1
    assert len(given.merged()) == 7 and len(given.merged("undecided")) == 3
    assert "budget is reached" in given.text and "same command then goes on" in given.text
    Played.fate = staticmethod(lambda paper: "keep")
    assert given.run() == 0 and len(Played.jobs) == 3 and len(given.merged()) == 20


@on_both
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_gives_up_the_shard_at_work_and_keeps_the_others(
    given: Given, number: signal.Signals, code: int
) -> None:
    given.run(target=1)
    second = given.shard(1)

    def fate(paper: str) -> str:
        if paper == second[3]:
            os.kill(os.getpid(), number)
        return "call_failed:transient" if paper == second[0] else "keep"

    Played.fate = staticmethod(fate)
    assert given.run() == code
    assert given.states == ["done", "pending", "pending", "pending"] and len(given.merged()) == 5
    assert f"{number.name}" in given.said[-1] and "failed" not in given.text
    assert "1 of 4 shards are done, 3 are left. The same command goes on." in given.said[-1]
    assert not list((given.run_dir / "undecided").glob("*.*.*.jsonl")) and given.merged("undecided") == []
    Played.fate = staticmethod(lambda paper: "keep")
    assert given.run() == 0 and len(Played.jobs) == 3 and len(given.merged()) == 20


def test_a_shard_that_was_killed_is_run_again_and_its_leftovers_count_for_nothing(given: Given) -> None:
    assert given.run(target=6) == 0
    manifest = given.manifest
    manifest.shards[2].state = states.RUNNING
    manifest.save(given.run_dir)
    with (given.run_dir / "pairs.jsonl").open("a") as file:
        file.write('{"row_id": "cut')
    manifest.shards[2].run_id = "1-abc"
    manifest.save(given.run_dir)
    left = write_rows(given.run_dir / "undecided" / "1-abc.host.7.jsonl", [{"row_id": "x", "undecided": {"tag": "t"}}])
    assert given.run() == 0 and not left.exists() and given.merged("undecided") == []
    assert len(Played.jobs) == 2 and len(given.merged()) == 20 and given.states == ["done"] * 4


def test_a_failure_that_a_signal_brings_about_is_none_of_the_shard(given: Given) -> None:
    def fate(paper: str) -> str:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            raise TimeoutError("a worker is gone") from None
        return "keep"

    Played.fate = staticmethod(fate)
    assert given.run() == 143 and given.states == ["pending"] * 4
    assert "failed" not in given.text and not any(entry.error for entry in given.manifest.shards)


@on_both
def test_what_every_try_has_spent_is_counted(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Played, "spending", Spending(calls=3, store_hits=1, cost=0.5, unpriced=1))
    given.run(target=1)
    second = given.shard(1)
    assert "10 calls, 2.5000 US dollars, 5 calls of unknown price)" in given.text
    Played.fate = staticmethod(raising(KeyboardInterrupt(), {second[2]}))  # two decisions
    given.run()
    assert "14 calls, 3.5000 US dollars, 7 calls of unknown price)" in given.text
    Played.fate = staticmethod(raising(ValueError("no"), {paper["paper_id"] for paper in given.papers}))
    given.run()
    Played.fate = staticmethod(lambda paper: "call_failed:budget" if paper in second[3:] else "keep")
    assert given.run() == 3
    assert "24 calls, 6.0000 US dollars" in given.text
    killed = given.manifest
    killed.shards[1].state = states.RUNNING
    killed.shards[1].calls = 0  # as a manifest that was written before the kill has it
    killed.save(given.run_dir)
    Played.fate = staticmethod(lambda paper: "drop")
    assert given.run() == 0
    assert "44 calls" not in given.text and "54 calls, 13.5000 US dollars, 27 calls of unknown price)" in given.text
    entry = given.manifest.shards[1]
    assert (entry.calls, entry.cost, entry.unpriced) == (24, 6.0, 12) and len(entry.run_ids) == 4
    assert (entry.kept, entry.refused) == (0, 5) and sum(e.refused for e in given.manifest.shards) == 15
    Played.fate = staticmethod(lambda paper: "keep")
    assert given.run(again=True) == 0
    assert "94 calls, 23.5000 US dollars" in given.text and sum(e.calls for e in given.manifest.shards) == 40


def test_a_manifest_of_an_earlier_version_finds_its_tries(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Played, "spending", Spending(calls=1, cost=0.5))
    Played.fate = staticmethod(lambda paper: "call_failed:transient")
    given.run()
    Played.fate = staticmethod(lambda paper: "keep")
    given.run()
    value = json.loads((given.run_dir / "manifest.json").read_text())
    del value["earlier_run_ids"]
    for entry in value["shards"]:
        del entry["run_ids"], entry["calls"]
        entry["cost"] = 2.5  # of the last try
    (given.run_dir / "manifest.json").write_text(json.dumps(value))
    assert given.run() == 0 and Played.jobs == []
    assert "40 calls, 20.0000 US dollars)" in given.text
    assert [entry.calls for entry in given.manifest.shards] == [10] * 4


@on_both
def test_a_failed_shard_does_not_keep_the_others_from_running(given: Given) -> None:
    given.run(target=1)
    Played.fate = staticmethod(raising(ValueError("Couldn't cast"), set(given.shard(1))))
    assert given.run() == 1
    assert given.states == ["done", "pending", "done", "done"]
    assert "shard-00001 failed: ValueError: Couldn't cast" in given.text and "1 shards failed" in given.text
    Played.fate = staticmethod(lambda paper: "keep")
    assert given.run() == 0 and given.manifest.shards[1].error == ""
    assert given.merged() == [f"{paper}-1" for n in range(4) for paper in given.shard(n)]


def test_two_failed_shards_in_a_row_end_the_run(given: Given) -> None:
    Played.fate = staticmethod(raising(ValueError("no"), {paper["paper_id"] for paper in given.papers}))
    assert given.run() == 1 and len(Played.jobs) == 2


@on_both
def test_an_operator_that_stops_the_run_stops_it(given: Given) -> None:
    Played.fate = staticmethod(raising(SystemExit(2), {paper["paper_id"] for paper in given.papers}))
    assert given.run() == 2 and len(Played.jobs) == 1 and given.states == ["pending"] * 4
    Played.fate = staticmethod(raising(SystemExit(1), {paper["paper_id"] for paper in given.papers}))
    assert given.run() == 2 and "failed" not in given.text


@pytest.mark.parametrize("what", ["recipe", "dataset", "shard", "seed"])
def test_what_has_changed_is_named_and_nothing_is_run(given: Given, what: str) -> None:
    assert given.run(target=1) == 0
    changes: dict[str, Any] = {"shard": {"shard_size": 4}, "seed": {"seed": 1}}.get(what, {})
    if what == "recipe":
        config = yaml.safe_load(given.recipe.read_text())
        config["process"][-1]["vision_vote_filter"]["draws"] = 5
        given.recipe.write_text(yaml.safe_dump(config))
    if what == "dataset":
        write_rows(given.folder / "papers.jsonl", given.papers[:-1])
    before = given.merged()
    assert given.run(**changes) == 1
    assert Played.jobs == [] and given.merged() == before
    assert "begun differently" in given.text and "--run-dir" in given.text and "--again" in given.text
    assert given.run(**changes, again=True) == 0
    assert len(Played.jobs) == len(given.manifest.shards) and len(given.merged()) == (19 if what == "dataset" else 20)


@on_both
def test_nothing_is_left_of_another_cut(given: Given) -> None:
    assert given.run() == 0 and given.run(shard_size=10, again=True) == 0
    for name in ("shards", "exports", "undecided"):
        files = sorted(path.name for path in (given.run_dir / name).iterdir())
        assert files == ["shard-00000.jsonl", "shard-00001.jsonl"], name


@on_both
def test_what_makes_no_difference_is_not_held_against_it(given: Given) -> None:
    assert given.run(target=1) == 0
    write_rows(given.folder / "papers.jsonl", given.papers[::-1])
    given.recipe.write_text("# a remark\n" + given.recipe.read_text() + "np: 3\n")
    assert given.run(shard_size=None) == 0 and len(Played.jobs) == 3


def test_nothing_that_others_left_in_the_folder_is_overwritten(given: Given) -> None:
    (given.run_dir / "exports").mkdir(parents=True)
    own = given.run_dir / "exports" / "mine.jsonl"
    own.write_text("mine")
    pairs = write_rows(given.run_dir / "pairs.jsonl", [{"row_id": "of another run"}])
    assert given.run() == 1 and "--run-dir" in given.text and given.merged() == ["of another run"]
    pairs.unlink()
    assert given.run() == 0 and own.read_text() == "mine"


@on_both
def test_again_over_a_broken_dataset_leaves_the_folder_as_it_was(given: Given) -> None:
    assert given.run() == 0
    (given.folder / "papers.jsonl").write_text('{"paper_id": "a", "text": "x"}\n{broken\n')
    assert given.run(again=True) == 1 and ": not JSON" in given.text
    assert len(given.merged()) == 20 and given.states == ["done"] * 4


@pytest.mark.parametrize(
    ("rows", "settings", "says"),
    [
        ("", {}, "is empty"),
        ('{"paper_id": "p", "title": "t"}\n', {}, "none of the columns"),
        (None, {"use_checkpoint": True}, "loses undecided rows"),
        (None, {"dataset": {"configs": []}}, "dataset_path"),
    ],
)
def test_what_would_stop_or_spoil_the_run_is_said_first(
    given: Given, rows: str | None, settings: dict[str, Any], says: str
) -> None:
    if rows is not None:
        (given.folder / "papers.jsonl").write_text(rows)
    given.recipe.write_text(yaml.safe_dump({**yaml.safe_load(given.recipe.read_text()), **settings}))
    assert given.run() == 1 and says in given.text
    assert Played.jobs == [] and not (given.run_dir / "manifest.json").exists()


def test_a_folder_without_rows_is_said_first(given: Given) -> None:
    config = {**yaml.safe_load(given.recipe.read_text()), "process": [{"text_length_filter": {"max_len": 9}}]}
    given.recipe.write_text(yaml.safe_dump(config))
    (given.folder / "none").mkdir()
    (given.folder / "none" / "papers.jsonl").write_text("\n")
    assert given.run(dataset=str(given.folder / "none")) == 1 and "is empty" in given.text


def test_a_missing_key_is_said_before_anything_starts(given: Given) -> None:
    order = RunRequest(given.folder / "verisciqa.yaml", given.order.dataset, str(given.run_dir), executor="ray")
    order.recipe.write_text(yaml.safe_dump(recipe("verisciqa_ray")))
    assert run(order, given.said.append) == 1
    assert "OPENAI_API_KEY" in given.text and Played.jobs == []


@pytest.mark.parametrize(
    "changes",
    [{"target": -1}, {"shard_size": 0}, {"run_dir": "a{b}"}, {"executor": "default", "ray_address": "127.0.0.1:6379"}],
)
def test_numbers_and_folders_that_will_not_do(given: Given, changes: dict[str, Any]) -> None:
    assert given.run(**changes) == 1 and Played.jobs == []


@on_both
def test_the_summary_is_over_all_shards(given: Given) -> None:
    Played.fate = staticmethod(lambda paper: {"p00": "drop", "p01": "call_failed:transient"}.get(paper, "keep"))
    given.run()
    Played.fate = staticmethod(lambda paper: "drop" if paper == "p00" else "keep")
    given.run()
    text = run_summary(given.run_dir, pairs=0)
    assert "kept rows: 19" in text
    [line] = [line for line in text.splitlines() if line.startswith("after op")]
    assert line.split()[2:] == ["19", "1", "0", "drop", "1"]


def test_what_a_killed_shard_left_on_object_storage_counts_for_nothing(tmp_path: Path, s3: S3, given: Given) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    assert there.run(target=6) == 0
    manifest = there.manifest
    manifest.shards[2].state, manifest.shards[2].run_id = states.RUNNING, "1-abc"
    manifest.save(there.run_dir)
    file_access.send(there.run_dir / "manifest.json", s3.at("run/manifest.json"))
    left = ("undecided/1-abc.host.7.jsonl", "work/shard-00002-1-abc/part.json")
    for name in left:
        file_access.write(s3.at(f"run/{name}"), b'{"row_id": "x", "undecided": {"tag": "t"}}\n')
    assert there.run() == 0 and there.merged("undecided") == []
    assert len(Played.jobs) == 2 and len(there.merged()) == 20 and there.states == ["done"] * 4
    assert not {*left, ".lock"} & set(file_access.tree(s3.at("run")))
    assert file_access.read(s3.at("run/pairs.jsonl")) == (there.run_dir / "pairs.jsonl").read_bytes()


def test_a_kill_between_the_parts_of_a_new_plan_loses_nothing_silently(
    s3: S3, tmp_path: Path, given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    assert there.run() == 0
    with monkeypatch.context() as killed:
        killed.setattr(RemoteFolder, "send_tree", lambda self, part: (_ for _ in ()).throw(OSError(5, "killed")))
        with pytest.raises(OSError, match="killed"):
            there.run(again=True)
    assert there.run(again=True) == 0 and len(there.merged()) == 20 and len(Played.jobs) == 4


def test_joined_rows_that_were_not_sent_are_sent_by_the_next_run(s3: S3, tmp_path: Path, given: Given) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    assert there.run() == 0
    file_access.delete([s3.at("run/pairs.jsonl")])
    assert there.run() == 0 and Played.jobs == [] and len(there.merged()) == 20


def test_shards_of_one_executor_after_those_of_another(s3: S3, tmp_path: Path, given: Given) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    assert there.run(executor="ray") == 0 and there.run(again=True) == 0
    names = [name for name in file_access.tree(s3.at("run")) if name.startswith("exports/")]
    assert names == [f"exports/shard-{number:05d}.jsonl" for number in range(4)]


def test_shards_on_ray_are_exported_to_object_storage(s3: S3, tmp_path: Path, given: Given) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    assert there.run(executor="ray") == 0
    assert there.states == ["done"] * 4 and len(there.merged()) == 20
    assert sorted(name for name in file_access.tree(s3.at("run")) if name.startswith(("exports/", "work/"))) == [
        f"exports/shard-{number:05d}/part.json" for number in range(4)
    ]


def test_a_run_folder_on_object_storage_that_another_machine_works_in(s3: S3, tmp_path: Path, given: Given) -> None:
    there = Given(tmp_path / "s3", s3.at("run"))
    file_access.write(s3.at("run/.lock"), json.dumps({"host": "other", "pid": 1, "beat": time.time()}).encode())
    assert run(there.order, there.said.append) == 1 and "process 1 on other runs here" in there.text
