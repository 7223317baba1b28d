"""Looking after stores: finding them, counting, deleting, exporting."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path

import pytest

from data_juicer_ext.models.store import administration
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.store.sqlite import SqliteStore
from tests.models.storing import ABOUT, answer_of, key_of
from tests.s3_server import S3


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run folder with a store of each kind: three answers, and two, one of which is in both."""
    sqlite = SqliteStore(tmp_path / "run" / "store" / "responses.sqlite")
    for number in range(3):
        sqlite.put(key_of(number), answer_of(number, text="x" * 20_000), {**ABOUT, "task": f"task-{number}"})
    sqlite.close()
    segments = SegmentStore(tmp_path / "run" / "store" / "segments")
    for number in (2, 3):
        segments.put(key_of(number), answer_of(number), {**ABOUT, "task": f"task-{number}"})
    segments.close()
    return tmp_path / "run"


def test_stores_are_found_from_any_place(run_dir: Path) -> None:
    sqlite, segments = run_dir / "store" / "responses.sqlite", run_dir / "store" / "segments"
    both = [str(sqlite), str(segments)]
    assert administration.stores_at(run_dir) == both
    assert administration.stores_at(run_dir / "store") == both
    assert administration.stores_at(sqlite) == [str(sqlite)]
    assert administration.stores_at(str(segments)) == [str(segments)]
    assert administration.stores_at(f"file://{run_dir}") == both


def test_a_store_on_object_storage(s3: S3, tmp_path: Path) -> None:
    segments = SegmentStore(s3.at("a/run/store/segments"))
    for number in range(4):
        segments.put(key_of(number), answer_of(number), {**ABOUT, "task": f"task-{number % 2}"})
    segments.close()
    for place in ("a/run", "a/run/", "a/run/store", "a/run/store/segments"):
        assert administration.stores_at(s3.at(place)) == [s3.at("a/run/store/segments")]
    [pruned] = administration.prune(s3.at("a/run"), task="task-1", dry_run=True)
    assert (pruned.removed, pruned.kept) == (2, 2)
    [pruned] = administration.prune(s3.at("a/run"), task="task-1")
    assert (pruned.removed, pruned.kept) == (2, 2) and pruned.size_after < pruned.size_before
    [stats] = administration.stats(s3.at("a/run")).values()
    assert stats.answers == 2
    assert administration.export(s3.at("a/run"), tmp_path / "answers.jsonl").answers == 2


def test_addresses_without_a_store_are_explained(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (s3.at("a/run"), s3.at().replace("bucket", "no-bucket")):
        with pytest.raises(StoreError, match=f"no response store at {address}: name a run folder"):
            administration.stats(address)

    def away(address: str) -> dict[str, int]:
        raise OSError(5, "the storage is away")

    monkeypatch.setattr(administration, "listed", away)
    with pytest.raises(StoreError, match=r"the storage is away.*check the address"):
        administration.stats(s3.at("a/run"))


def test_a_place_without_a_store_is_explained_and_left_alone(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StoreError, match="no response store at"):
            administration.stats(place)
    assert list(tmp_path.iterdir()) == []


def test_stats_of_all_stores(run_dir: Path) -> None:
    sqlite, segments = administration.stats(run_dir).values()
    assert (sqlite.answers, segments.answers) == (3, 2)
    assert [group.task for group in sqlite.groups] == ["task-0", "task-1", "task-2"]
    assert [group.task for group in segments.groups] == ["task-2", "task-3"]


def test_prune_by_task_goes_through_all_stores(run_dir: Path) -> None:
    first, second = administration.prune(run_dir, task="task-2")
    assert (first.removed, first.kept, second.removed, second.kept) == (1, 2, 1, 1)
    assert first.size_after < first.size_before and second.size_after < second.size_before
    assert [stats.answers for stats in administration.stats(run_dir).values()] == [2, 1]


def test_prune_by_model_as_asked_for(run_dir: Path) -> None:
    assert [pruned.removed for pruned in administration.prune(run_dir, model="the-model")] == [3, 2]


def test_prune_by_age(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    assert [pruned.removed for pruned in administration.prune(run_dir, timedelta(days=30))] == [0, 0]
    monkeypatch.setattr(administration.time, "time", lambda: now + 31 * 86_400)
    assert [pruned.removed for pruned in administration.prune(run_dir, timedelta(days=30), task="task-2")] == [
        1,
        1,
    ]
    assert [pruned.removed for pruned in administration.prune(run_dir, timedelta(days=30))] == [2, 1]


def test_a_dry_run_changes_nothing(run_dir: Path) -> None:
    before = {path: path.read_bytes() for path in run_dir.rglob("*.jsonl")}
    first, second = administration.prune(run_dir, task="task-2", dry_run=True)
    assert (first.removed, first.kept, second.removed, second.kept) == (1, 2, 1, 1)
    assert [stats.answers for stats in administration.stats(run_dir).values()] == [3, 2]
    assert {path: path.read_bytes() for path in run_dir.rglob("*.jsonl")} == before


def test_prune_needs_a_criterion(run_dir: Path) -> None:
    with pytest.raises(ValueError, match="at least one of older_than, model and task"):
        administration.prune(run_dir)


def test_export_writes_each_answer_once(run_dir: Path, tmp_path: Path) -> None:
    exported = administration.export(run_dir, tmp_path / "out" / "answers.jsonl")
    assert exported.answers == 4
    lines = [json.loads(line) for line in exported.path.read_text().splitlines()]
    assert [line["key"] for line in lines] == [key_of(number) for number in range(4)]
    assert lines[3]["answer"] == {
        "text": "answer 3",
        "model": "the-model-2026-01-01",
        "finish_reason": "stop",
        "usage": {
            "prompt_tokens": 103,
            "completion_tokens": 10,
            "cached_tokens": 60,
            "reasoning_tokens": 4,
            "estimated": True,
        },
        "seconds": 0.25,
        "tries": 2,
    }
    assert lines[3]["about"] == {**ABOUT, "task": "task-3"} and lines[3]["created"] > 1e9


def test_a_failed_export_leaves_the_old_file(run_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "answers.jsonl"
    target.write_text("old")
    [segment] = (run_dir / "store" / "segments").iterdir()
    segment.write_bytes(segment.read_bytes().replace(b"answer 2", b"answer 7"))
    with pytest.raises(StoreError, match="damaged"):
        administration.export(run_dir, target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["answers.jsonl"]
