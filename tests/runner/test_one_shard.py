"""One shard on a host that plays Data-Juicer: what the manifest says of it, before, during and after."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.ops.base.run_op import current_run
from data_juicer_ext.runner.interrupts import Stops
from data_juicer_ext.runner.one_shard import ShardError, run_shard
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry as Decision
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry, load
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from tests.host import write_rows


class Playing:
    """A host whose run is `does`, given the path of the export."""

    def __init__(self, work: Path, executor: str = "default") -> None:
        self.work, self.executor = work, executor
        self.does: Callable[[Path], None] = lambda export: None
        self.given: tuple[Any, ...] = ()

    def run(self, dataset: Path, export: str, work_dir: Path, job_id: str) -> None:
        self.given = dataset, export, work_dir, job_id
        Path(export).parent.mkdir(parents=True, exist_ok=True)
        self.does(Path(export))


class Given:
    def __init__(self, folder: Path) -> None:
        self.folder, self.kept = folder, ShardedFolder(str(folder))
        self.entry = ShardEntry("shard-00000", "id", 3)
        self.manifest = Manifest("/r.yaml", "f", "/d.jsonl", "g", 3, 0, [self.entry])
        self.host = Playing(folder / "work")
        for name in ("exports", "undecided", "shards"):
            (folder / name).mkdir()

    def run(self) -> bool:
        with Stops(lambda _: None) as stops:
            return run_shard(self.entry, self.manifest, self.kept, self.host, stops)  # type: ignore[arg-type]

    def on_disk(self) -> ShardEntry:
        found = load(self.folder)
        assert found is not None
        return found.shards[0]

    def decide(self, row: str, verdict: str, reason: str = "r", **spent: Any) -> None:
        run = current_run(str(self.folder))
        run.ledger.record(Decision(row, "op", "t", verdict, reason, spending=Spending(**spent)))  # type: ignore[arg-type]
        if verdict == "undecided":
            run.undecided.write({"row_id": row, "undecided": {"tag": "t", "reason": reason}})


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def exported(given: Given) -> list[str]:
    return [json.loads(line)["row_id"] for line in (given.folder / given.entry.export).read_text().splitlines()]


def test_what_a_whole_run_came_to_is_entered_and_saved(given: Given) -> None:
    def does(export: Path) -> None:
        given.decide("a", "keep", calls=3, store_hits=1, cost=0.25)
        given.decide("b", "drop")
        given.decide("c", "undecided", "call_failed:transient", unpriced=1)
        write_rows(export, [{"row_id": "a"}])

    given.host.does = does
    given.entry.error = "ValueError: of the last try"
    assert given.run() is False
    entry = given.on_disk()
    assert entry == given.entry and (entry.state, entry.error) == ("undecided", "")
    assert (entry.kept, entry.refused, entry.undecided) == (1, 1, 1)
    assert (entry.calls, entry.cost, entry.unpriced) == (2, 0.25, 1)
    assert entry.run_id == entry.whole_run_id and entry.run_ids == [entry.run_id] and entry.seconds >= 0
    assert entry.export == "exports/shard-00000.jsonl" and exported(given) == ["a"]
    [undecided] = (given.folder / "undecided" / "shard-00000.jsonl").read_text().splitlines()
    assert json.loads(undecided)["row_id"] == "c"


def test_the_run_is_announced_with_what_it_is_of_and_marked_as_ended(given: Given) -> None:
    assert given.run() is False and given.on_disk().state == "done"
    said = run_records.about(given.folder, given.entry.run_id)
    assert said["recipe"] == ["/r.yaml"] and said["executor"] == "default" and said["shard"] == "shard-00000"
    assert said["dataset_path"] == "/d.jsonl" and said["export_path"] == f"{given.folder}/pairs.jsonl"
    assert said["ended"] >= said["started"]


def test_the_host_gets_the_shard_and_a_place_of_this_try(given: Given) -> None:
    given.run()
    dataset, export, work_dir, job_id = given.host.given
    run_id, at = given.entry.run_id, given.folder / "work" / "shard-00000"
    assert dataset == given.folder / "shards" / "shard-00000.jsonl" and job_id == run_id
    assert export == str(at / run_id / "out.jsonl") and work_dir == at


def test_on_ray_the_export_is_a_folder(given: Given) -> None:
    def does(export: Path) -> None:
        assert export.suffix == ""
        export.mkdir()
        write_rows(export / "part.json", [{"row_id": "a"}])

    given.host.executor, given.host.does = "ray", does
    (given.folder / "exports" / "shard-00000.jsonl").write_text("of another executor\n")
    given.run()
    assert given.entry.export == "exports/shard-00000" and given.entry.kept == 1
    assert [path.name for path in (given.folder / "exports").iterdir()] == ["shard-00000"]
    given.host.executor, given.host.does = "default", lambda export: None
    given.run()
    assert given.entry.export == "exports/shard-00000.jsonl" and given.entry.kept == 0
    assert [path.name for path in (given.folder / "exports").iterdir()] == ["shard-00000.jsonl"]


def test_while_it_runs_the_manifest_says_so(given: Given) -> None:
    during: list[ShardEntry] = []
    given.host.does = lambda export: during.append(given.on_disk())
    given.entry.error = "of the last try"
    given.run()
    assert [(e.state, e.run_id, e.run_ids, e.error) for e in during] == [
        ("running", given.entry.run_id, [given.entry.run_id], "")
    ]


@pytest.mark.parametrize(
    ("reasons", "over"), [(["call_failed:budget"], True), (["call_failed:transient", "call_failed:budget"], True),
                          (["call_failed:transient"], False), ([], False)]
)  # fmt: skip
def test_a_budget_that_is_reached_is_told_from_other_failures(given: Given, reasons: list[str], over: bool) -> None:
    def does(export: Path) -> None:
        for number, reason in enumerate(reasons):
            given.decide(f"r{number}", "undecided", reason)

    given.host.does = does
    assert given.run() is over


def test_a_failure_leaves_the_shard_as_it_was_and_says_why_with_the_logs(given: Given) -> None:
    given.run()
    given.entry.state, earlier = "undecided", given.entry.whole_run_id

    def fails(export: Path) -> None:
        given.decide("a", "undecided", "r", calls=2, cost=0.5)
        raise TypeError("x" * 600)

    given.host.does = fails
    with pytest.raises(ShardError) as failed:
        given.run()
    entry = given.on_disk()
    assert (entry.state, entry.whole_run_id, entry.undecided) == ("undecided", earlier, 0)
    assert (
        entry.error == "TypeError: " + "x" * 500
        and entry.run_id != earlier
        and entry.run_ids == [earlier, entry.run_id]
    )
    assert (entry.calls, entry.cost) == (2, 0.5)
    logs = given.folder / "work" / "shard-00000" / entry.run_id
    assert str(failed.value) == f"shard-00000 failed: {entry.error}\n  its logs: {logs}"
    assert isinstance(failed.value.__cause__, TypeError)
    assert not list((given.folder / "undecided").glob(f"{entry.run_id}.*")) and exported(given) == []
    assert "ended" in run_records.about(given.folder, entry.run_id)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_ends_the_run_is_no_failure_of_the_shard(given: Given, error: type[BaseException]) -> None:
    def ends(export: Path) -> None:
        raise error

    given.host.does = ends
    with pytest.raises(error):
        given.run()
    assert (given.on_disk().state, given.on_disk().error) == ("pending", "")


def test_a_disk_that_is_full_does_not_hide_the_failure(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(export: Path) -> None:
        monkeypatch.setattr(run_records, "mark_ended", full)
        raise TypeError("no")

    def full(run: object) -> None:
        raise OSError(28, "No space left on device")

    given.host.does = fails
    with pytest.raises(ShardError, match="TypeError: no"):
        given.run()
    assert given.on_disk().state == "running"  # and so counts as killed


def test_operators_of_the_folder_take_part_in_the_run_only_while_it_goes_on(given: Given) -> None:
    runs: list[str] = []
    given.host.does = lambda export: runs.append(current_run(str(given.folder)).run_id)
    given.run()
    given.run()
    assert runs == given.entry.run_ids and len(set(runs)) == 2
