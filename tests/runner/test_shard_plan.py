"""The plan of a run folder: what it is begun with, what it takes up again, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.runner.shard_plan import ChangedError, RunRequest, open_plan
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry as Decision
from data_juicer_ext.runs.ledger import Spending
from data_juicer_ext.runs.shard_manifest import Manifest, load
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from tests.host import write_rows

CONFIG: dict[str, Any] = {"process": [{"text_length_filter": {"min_len": 1}}]}


@pytest.fixture
def order(tmp_path: Path) -> RunRequest:
    rows = [{"paper_id": f"p{n}", "text": f"text {n}"} for n in range(120)]
    return RunRequest(tmp_path / "recipe.yaml", str(write_rows(tmp_path / "papers.jsonl", rows)), str(tmp_path / "run"))


def opened(order: RunRequest, config: dict[str, Any] | None = None) -> Manifest:
    Path(order.run_dir).mkdir(exist_ok=True)
    return open_plan(order, config or CONFIG, ShardedFolder(order.run_dir))


def refusal(order: RunRequest, config: dict[str, Any] | None = None) -> str:
    with pytest.raises(ChangedError) as refused:
        opened(order, config)
    return str(refused.value)


def undecided_of(order: RunRequest, run_id: str) -> Path:
    row = {"row_id": "x", "undecided": {"tag": "t"}}
    folder = Path(order.run_dir) / "undecided"
    folder.mkdir(exist_ok=True)
    return write_rows(folder / f"{run_id}.host.7.jsonl", [row])


def test_a_new_plan_has_shards_of_fifty_papers_by_seed_zero_all_pending(order: RunRequest) -> None:
    manifest = opened(order)
    assert (manifest.shard_size, manifest.seed) == (50, 0)
    assert [(entry.papers, entry.state) for entry in manifest.shards] == [
        (50, "pending"),
        (50, "pending"),
        (20, "pending"),
    ]
    assert manifest.recipe == str(order.recipe) and manifest.dataset == order.dataset
    assert load(Path(order.run_dir)) == manifest
    assert sorted(path.name for path in Path(order.run_dir).iterdir()) == [
        "exports",
        "manifest.json",
        "shards",
        "undecided",
    ]


def test_a_plan_is_cut_as_the_order_says(order: RunRequest) -> None:
    default = opened(order)
    manifest = opened(replace(order, shard_size=60, seed=3, again=True))
    assert (manifest.shard_size, manifest.seed) == (60, 3) and [entry.papers for entry in manifest.shards] == [60, 60]
    same_size = opened(replace(order, seed=3, again=True))
    assert {e.id for e in same_size.shards}.isdisjoint(e.id for e in default.shards)


def test_the_dataset_of_the_recipe_is_cut_where_the_order_names_none(order: RunRequest) -> None:
    config = {**CONFIG, "dataset_path": order.dataset}
    assert opened(replace(order, dataset=""), config).dataset == order.dataset


def test_the_same_order_goes_on_with_the_plan_that_is_there(order: RunRequest) -> None:
    first = opened(replace(order, shard_size=60, seed=3))
    assert opened(order) == first
    assert opened(replace(order, shard_size=60, seed=3)) == first


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"shard_size": 10}, "--shard: 50 papers per shard then, 10 now"),
        ({"seed": 4}, "--seed: 0 then, 4 now"),
    ],
)
def test_a_plan_that_was_cut_otherwise_is_refused_with_both_values(
    order: RunRequest, change: dict[str, Any], says: str
) -> None:
    opened(order)
    said = refusal(replace(order, **change))
    assert f"{order.run_dir} was begun differently:" in said and f"  - {says}\n" in said
    assert "--run-dir" in said and "--again" in said and said.count("  - ") == 1


def test_a_recipe_that_has_changed_is_told_from_another_recipe(order: RunRequest) -> None:
    opened(order)
    changed = {"process": [{"text_length_filter": {"min_len": 2}}]}
    assert f"the recipe {order.recipe} (or a variable in it) has changed" in refusal(order, changed)
    other = replace(order, recipe=order.recipe.with_name("other.yaml"))
    assert f"the recipe: {order.recipe} then, {other.recipe} now" in refusal(other, changed)
    assert opened(other).recipe == str(order.recipe)  # another name for the same recipe is no change


def test_rows_that_have_changed_are_told_from_another_dataset(order: RunRequest) -> None:
    opened(order)
    other = write_rows(Path(order.dataset).with_name("other.jsonl"), [{"paper_id": "z", "text": "t"}])
    assert f"the dataset: {order.dataset} then, {other} now" in refusal(replace(order, dataset=str(other)))
    other.replace(order.dataset)
    assert f"the rows of {order.dataset} have changed" in refusal(order)


def test_pairs_without_a_plan_are_of_somebody_else_and_again_replaces_them(order: RunRequest) -> None:
    Path(order.run_dir).mkdir()
    pairs = Path(order.run_dir) / "pairs.jsonl"
    pairs.write_text("{}\n")
    assert "holds a pairs.jsonl, but no manifest.json" in refusal(order)
    assert opened(replace(order, again=True)).shards
    (Path(order.run_dir) / "manifest.json").unlink()
    pairs.write_text("")  # nothing to lose
    assert opened(order).shards


def test_again_clears_what_shards_left_and_nothing_else(order: RunRequest) -> None:
    opened(order)
    exports = Path(order.run_dir) / "exports"
    (exports / "shard-00000").mkdir()
    (exports / "shard-00000" / "part.json").touch()
    (exports / "shard-00001.jsonl").touch()
    for mine in ("shard-notes.txt", "mine.jsonl"):
        (exports / mine).touch()
    opened(replace(order, again=True))
    assert sorted(path.name for path in exports.iterdir()) == ["mine.jsonl", "shard-notes.txt"]


def test_a_killed_shard_is_pending_again_unless_an_earlier_run_of_it_was_whole(order: RunRequest) -> None:
    manifest = opened(replace(order, shard_size=30))
    for entry, (whole, undecided) in zip(manifest.shards, [("", 0), ("1-a", 2), ("1-a", 0), ("", 3)], strict=True):
        entry.state, entry.run_id, entry.whole_run_id, entry.undecided = "running", f"2-{entry.name}", whole, undecided
    manifest.save(Path(order.run_dir))
    left = [undecided_of(order, entry.run_id) for entry in manifest.shards]
    states = ["pending", "undecided", "pending", "pending"]
    assert [entry.state for entry in opened(order).shards] == states
    found = load(Path(order.run_dir))
    assert found is not None and [entry.state for entry in found.shards] == states
    assert not any(path.exists() for path in left)


def test_shards_that_were_not_killed_stay_as_they_are(order: RunRequest) -> None:
    manifest = opened(replace(order, shard_size=60))
    manifest.shards[0].state, manifest.shards[1].state = "done", "undecided"
    for entry in manifest.shards:
        entry.run_id = entry.whole_run_id = f"1-{entry.name}"
        entry.run_ids = [entry.run_id]
    manifest.save(Path(order.run_dir))
    left = undecided_of(order, manifest.shards[0].run_id)
    assert [entry.state for entry in opened(order).shards] == ["done", "undecided"] and left.exists()


def test_runs_before_again_are_named_in_the_new_plan_in_order(order: RunRequest) -> None:
    opened(order)
    runs = []
    for shard in ("shard-00001", "shard-00000", "shard-00001"):
        runs.append(run_records.begin(order.run_dir, {"shard": shard, "dataset_path": order.dataset}).run_id)
    run_records.begin(order.run_dir, {"shard": "shard-00000", "dataset_path": "/another"})
    assert opened(replace(order, again=True)).earlier_run_ids == sorted(runs)


def test_what_a_killed_try_has_spent_is_in_the_plan(order: RunRequest) -> None:
    manifest = opened(order)
    run = run_records.begin(order.run_dir, {"shard": "shard-00000", "dataset_path": order.dataset})
    run.ledger.record(Decision("r", "op", "op", "keep", "x", spending=Spending(calls=3, store_hits=1, cost=0.5)))
    manifest.shards[0].run_ids, manifest.shards[0].state = [run.run_id], "running"
    manifest.save(Path(order.run_dir))
    assert [(entry.calls, entry.cost) for entry in opened(order).shards] == [(2, 0.5), (0, 0.0), (0, 0.0)]


@pytest.mark.parametrize("noted", [True, False])
def test_a_plan_without_the_ids_of_its_tries_finds_them_in_the_notes_or_knows_the_last(
    order: RunRequest, noted: bool
) -> None:
    manifest = opened(order)
    where = order.dataset if noted else "/moved"
    runs = [run_records.begin(order.run_dir, {"shard": "shard-00001", "dataset_path": where}) for _ in range(3)]
    manifest.shards[1].whole_run_id, manifest.shards[1].run_id = runs[1].run_id, runs[2].run_id
    manifest.shards[1].state = "done"
    manifest.save(Path(order.run_dir))
    path = Path(order.run_dir) / "manifest.json"
    value = json.loads(path.read_text())
    for entry in value["shards"]:
        del entry["run_ids"]
    path.write_text(json.dumps(value))
    known = [run.run_id for run in (runs if noted else runs[1:])]
    assert [entry.run_ids for entry in opened(order).shards] == [[], known, []]
