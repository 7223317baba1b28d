"""The plan of a run folder: cut for the first time, or gone on with if nothing that matters has changed."""

import shutil
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.runner import shard_recipe
from data_juicer_ext.runs import shard_manifest
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.shard_cutting import cut, scan
from data_juicer_ext.runs.shard_manifest import Manifest
from data_juicer_ext.runs.sharded_folder import ShardedFolder

DEFAULT_SHARD_SIZE = 50
DEFAULT_SEED = 0
SHARDS, EXPORTS, UNDECIDED = "shards", "exports", "undecided"


class ChangedError(DjExtError, ValueError):
    """The run folder was begun with something else; the message says what, and what to do."""


@dataclass(frozen=True)
class RunRequest:
    """What a user asks for. Empty and None stand for: as the recipe says, or as the run folder was begun."""

    recipe: Path
    dataset: str = ""
    run_dir: str = ""
    shard_size: int | None = None
    target: int = 0
    seed: int | None = None
    executor: str = ""
    again: bool = False
    ray_address: str = ""


def open_plan(order: RunRequest, config: dict[str, Any], kept: ShardedFolder) -> Manifest:
    """The manifest to work by, saved in the run folder; shards that were killed are pending again.

    Raises ChangedError if the folder was begun with another recipe, dataset or way of cutting, and
    DatasetError if the dataset can't be run.
    """
    run_dir = kept.run_dir
    dataset = Path(order.dataset or str(config.get("dataset_path") or "")).absolute()
    found = None if order.again else states.load(run_dir)
    if found is None:
        if not order.again and _size(run_dir / "pairs.jsonl"):
            raise ChangedError(
                f"{kept.place} holds a pairs.jsonl, but no {states.NAME} that says what it is from. Name a new folder "
                "by --run-dir, or replace it by --again"
            )
        manifest = _begin(order, config, dataset, run_dir)
        kept.send_plan()
        return manifest
    changes = _changes(order, config, dataset, found)
    if changes:
        raise ChangedError(
            f"{kept.place} was begun differently:\n" + "\n".join(f"  - {change}" for change in changes) + "\n"
            "Name a new folder by --run-dir, or run everything in this one anew by --again (answers that are in "
            "its store are not paid for again)."
        )
    for entry in found.shards:
        if entry.state == states.RUNNING:
            kept.take_undecided(entry.run_id)
            entry.state = states.UNDECIDED if entry.whole_run_id and entry.undecided else states.PENDING
    _count_spent(found, run_dir)
    kept.save(found)
    return found


def _count_spent(found: Manifest, run_dir: Path) -> None:
    """Count what killed tries have spent, and all tries where a manifest of an earlier version does not name them."""
    unnamed = [entry for entry in found.shards if entry.run_id and not entry.run_ids]
    tries = shard_manifest.tries_by_shard(run_dir, found.dataset) if unnamed else {}
    for entry in unnamed:
        entry.run_ids = tries.get(entry.name) or list(dict.fromkeys(filter(None, (entry.whole_run_id, entry.run_id))))
    for entry in (*unnamed, *found.open):
        shard_manifest.count_spent(entry, run_dir)


def _begin(order: RunRequest, config: dict[str, Any], dataset: Path, run_dir: Path) -> Manifest:
    fresh = run_dir / f".{SHARDS}"
    shutil.rmtree(fresh, ignore_errors=True)
    size = order.shard_size or DEFAULT_SHARD_SIZE
    seed = DEFAULT_SEED if order.seed is None else order.seed
    found, shards = cut(dataset, fresh, size, seed, shard_recipe.layout(config))
    # Only a dataset that could be cut takes the place of what the folder holds.
    (run_dir / states.NAME).unlink(missing_ok=True)
    for name in (SHARDS, EXPORTS, UNDECIDED):
        (run_dir / name).mkdir(exist_ok=True)
        _clear(run_dir / name)
    for shard in shards:
        (fresh / f"{shard.name}.jsonl").rename(run_dir / SHARDS / f"{shard.name}.jsonl")
    fresh.rmdir()
    manifest = Manifest.of(
        shards, recipe=str(order.recipe.absolute()), recipe_fingerprint=shard_recipe.fingerprint(config),
        dataset=str(dataset), dataset_fingerprint=found, shard_size=size, seed=seed,
        earlier_run_ids=sorted(chain.from_iterable(shard_manifest.tries_by_shard(run_dir, str(dataset)).values())),
    )  # fmt: skip
    manifest.save(run_dir)
    return manifest


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _clear(folder: Path) -> None:
    """Remove what earlier shards left, and nothing else that may lie there."""
    for path in folder.glob("shard-[0-9]*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _changes(order: RunRequest, config: dict[str, Any], dataset: Path, begun: Manifest) -> list[str]:
    changes = []
    if order.shard_size not in (None, begun.shard_size):
        changes.append(f"--shard: {begun.shard_size} papers per shard then, {order.shard_size} now")
    if order.seed not in (None, begun.seed):
        changes.append(f"--seed: {begun.seed} then, {order.seed} now")
    if shard_recipe.fingerprint(config) != begun.recipe_fingerprint:
        changes.append(
            f"the recipe {begun.recipe} (or a variable in it) has changed"
            if begun.recipe == str(order.recipe.absolute())
            else f"the recipe: {begun.recipe} then, {order.recipe} now"
        )
    if scan(dataset).fingerprint != begun.dataset_fingerprint:
        changes.append(
            f"the rows of {dataset} have changed"
            if begun.dataset == str(dataset)
            else f"the dataset: {begun.dataset} then, {dataset} now"
        )
    return changes
