from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.models.types import Usage
from data_juicer_ext.runs import run_records, shard_manifest
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.ledger import Entry as Decision
from data_juicer_ext.runs.ledger import Ledger, Spending, spent_by
from data_juicer_ext.runs.shard_cutting import Shard
from data_juicer_ext.runs.shard_manifest import Manifest, ManifestError, ShardEntry, load


def make() -> Manifest:
    return Manifest.of(
        [Shard("shard-00000", "shard-a", 5), Shard("shard-00001", "shard-b", 2)],
        recipe="/r.yaml", recipe_fingerprint="f", dataset="/d", dataset_fingerprint="g", shard_size=5, seed=0,
    )  # fmt: skip


def test_it_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    manifest = make()
    manifest.shards[0].state, manifest.shards[0].kept = states.DONE, 7
    manifest.save(tmp_path)
    assert load(tmp_path) == manifest
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_what_is_open_and_what_was_whole(tmp_path: Path) -> None:
    manifest = make()
    manifest.shards[0].state, manifest.shards[0].whole_run_id = states.UNDECIDED, "r"
    assert manifest.open == manifest.shards and manifest.whole == manifest.shards[:1]
    manifest.shards[0].state = states.DONE
    assert manifest.open == manifest.shards[1:]


def test_no_manifest_is_none(tmp_path: Path) -> None:
    assert load(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1, "shards": [{"nam": 1}]}', '{"version": 1}'])
def test_what_is_no_manifest_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ManifestError, match="--again"):
        load(tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    make().save(tmp_path)
    value = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**value, "version": 99}))
    with pytest.raises(ManifestError, match="version 99"):
        load(tmp_path)


def test_shards_begin_pending_with_their_names_ids_and_papers() -> None:
    first, second = make().shards
    assert (first.name, first.id, first.papers, first.state) == ("shard-00000", "shard-a", 5, "pending")
    assert (second.run_id, second.whole_run_id, second.export, second.error, second.run_ids) == ("", "", "", "", [])
    assert (second.kept, second.refused, second.undecided, second.calls, second.unpriced) == (0, 0, 0, 0, 0)
    assert first.run_ids is not second.run_ids


def test_what_is_no_manifest_is_told_from_one_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def test_the_version_stands_in_the_file(tmp_path: Path) -> None:
    make().save(tmp_path)
    value = json.loads((tmp_path / "manifest.json").read_text())
    assert value["version"] == 1 and value["seed"] == 0 and value["shard_size"] == 5


def decided(run_dir: Path, run_id: str, **spent: float) -> None:
    Ledger(run_dir, run_id).record(Decision("r", "op", "t", "keep", "x", spending=Spending(**spent)))  # type: ignore[arg-type]


def test_all_tries_of_a_shard_count_every_line_of_them_without_stored_answers(tmp_path: Path) -> None:
    decided(tmp_path, "1", calls=5, store_hits=2, cost=0.25, unpriced=1)
    decided(tmp_path, "1", calls=1, cost=0.5)  # of the same row: a task that was run again was paid all the same
    decided(tmp_path, "2", calls=7, unpriced=2)
    decided(tmp_path, "3", calls=100)
    entry = ShardEntry("shard-00000", "id", 1, calls=99, cost=99.0, unpriced=99, run_ids=["1", "2"])
    shard_manifest.count_spent(entry, tmp_path)
    assert (entry.calls, entry.cost, entry.unpriced) == (11, 0.75, 3)


def test_a_cost_is_kept_to_eight_places(tmp_path: Path) -> None:
    decided(tmp_path, "1", cost=0.123456789)
    entry = ShardEntry("shard-00000", "id", 1, run_ids=["1"])
    shard_manifest.count_spent(entry, tmp_path)
    assert entry.cost == 0.12345679


def test_in_all_counts_shards_and_what_again_has_replaced(tmp_path: Path) -> None:
    decided(tmp_path, "1", calls=2, cost=0.5, unpriced=1)
    shards = [ShardEntry(f"shard-0000{n}", "id", 1, calls=10, cost=1.0, unpriced=3) for n in range(2)]
    manifest = Manifest("/r", "f", "/d", "g", 1, 0, shards, earlier_run_ids=["1"])
    total = shard_manifest.spent_in_all(manifest, tmp_path)
    assert (total.calls, total.cost, total.unpriced) == (22, 2.5, 7)
    assert manifest.earlier_run_ids == ["1"]


def test_tries_are_of_a_shard_of_this_dataset_oldest_first(tmp_path: Path) -> None:
    about = {"shard": "s0", "dataset_path": "/d"}
    first = run_records.begin(tmp_path, about).run_id
    second = run_records.begin(tmp_path, about).run_id
    other = run_records.begin(tmp_path, {"shard": "s1", "dataset_path": "/d"}).run_id
    run_records.begin(tmp_path, {"shard": "s0", "dataset_path": "/another"})
    run_records.begin(tmp_path, {"dataset_path": "/d"})  # of no shard
    assert shard_manifest.tries_by_shard(tmp_path, "/d") == {"s0": [first, second], "s1": [other]}


@pytest.mark.parametrize("content", ["{broken", None])
def test_a_note_that_can_not_be_read_hides_no_other(tmp_path: Path, content: str | None) -> None:
    good = run_records.begin(tmp_path, {"shard": "s0", "dataset_path": "/d"}).run_id
    bad = tmp_path / "runs" / "0.json"
    if content is None:
        bad.symlink_to(tmp_path / "gone")
    else:
        bad.write_text(content)
    assert shard_manifest.tries_by_shard(tmp_path, "/d") == {"s0": [good]}


def test_one_call_adds_its_tokens_and_its_money() -> None:
    spent = Spending()
    spent.add(Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=3, reasoning_tokens=2), 0.5)
    spent.add(Usage(prompt_tokens=1, completion_tokens=1, cached_tokens=1, reasoning_tokens=1, estimated=True), None)
    spent.add(Usage(prompt_tokens=1), 0.25)
    assert (spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens, spent.reasoning_tokens) == (12, 6, 4, 3)
    assert (spent.cost, spent.unpriced, spent.estimated) == (0.75, 1, True)
    free = Spending()
    free.add(Usage(), 0.0)
    assert (free.cost, free.unpriced, free.estimated) == (0.0, 0, False)


def test_adding_up_takes_what_a_line_says_and_nothing_for_what_it_leaves_out() -> None:
    spent = Spending(calls=1, seconds=0.5)
    spent.add_up({"calls": 2, "seconds": 1.0, "estimated": True, "cost": None, "of another version": 9})
    assert spent == Spending(calls=3, seconds=1.5, estimated=True)
    spent.add_up({"estimated": False})
    assert spent.estimated is True


def test_a_run_without_a_ledger_has_spent_nothing(tmp_path: Path) -> None:
    assert spent_by(tmp_path, "1") == Spending()
