"""Runs the free steps of a recipe, and a pilot of the paid ones, by the same machinery as `dj-ext run`."""

import hashlib
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.estimate.paid_rows import write
from data_juicer_ext.ops.base.end_of_run import undecided_words, unreadable_words
from data_juicer_ext.runner.console import Console
from data_juicer_ext.runner.interrupts import WAYS
from data_juicer_ext.runner.run import BUDGET, run
from data_juicer_ext.runner.shard_plan import RunRequest
from data_juicer_ext.runner.shard_recipe import dump
from data_juicer_ext.runs.exported_rows import identity, read_rows
from data_juicer_ext.runs.ledger import read_lines

PILOTS = "pilots"
_SHARDS = 10  # of a pilot with a budget: it then ends with whole shards, and those are a fair sample


class PartError(DjExtError, RuntimeError):
    """A part of a recipe could not be run; the text says why."""


def run_free(
    config: Mapping[str, Any],
    process: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    folder: Path,
    console: Console | None,
) -> tuple[list[dict[str, Any]], str]:
    """The rows that the free steps make of `rows`, and which papers and figures could not be read.

    Works in `folder`. Raises PartError.
    """
    dataset = write(rows, folder / "drawn.jsonl")
    run_dir = folder / "free"
    _run_part(config, process, dataset, run_dir, len(rows), console)
    return list(read_rows(run_dir / "pairs.jsonl")), unreadable_words(read_lines(run_dir / "ledger"))


def pilot_folder(run_dir: Path, rows: int, seed: int) -> Path:
    """A new folder for a pilot inside a run folder."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return run_dir / PILOTS / f"{stamp}-{rows}-rows-seed-{seed}-{secrets.token_hex(2)}"


def run_pilot(
    config: Mapping[str, Any],
    process: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    folder: Path,
    store: Path,
    console: Console | None,
) -> bool:
    """Run the paid steps over the drawn `rows` into the run folder `folder`; whether a budget ended it.

    Answers go to `store`, the one of the real run, which then does not pay for them again. The ledger and
    all else is the pilot's own. Raises PartError.
    """
    folder.mkdir(parents=True)
    store.mkdir(parents=True, exist_ok=True)
    (folder / "store").symlink_to(store.absolute(), target_is_directory=True)
    dataset = write([_with_own_images(row, folder / "images") for row in rows], folder / "drawn.jsonl")
    limited = any(given and given.get("max_cost") for item in process for given in item.values())
    shard = -(-len(rows) // _SHARDS) if limited else len(rows)
    return _run_part(config, process, dataset, folder, shard, console) == BUDGET


def undecided_in(folder: Path) -> str:
    """Which rows of a pilot are undecided and why, in words; "" if none."""
    path = folder / "undecided.jsonl"
    return undecided_words(list(read_rows(path, known_by=identity)), path)


def bounded(process: Sequence[Mapping[str, Any]], calling: Sequence[str], max_cost: float) -> list[dict[str, Any]]:
    """The steps with `max_cost` in every operator of `calling`, but for those whose own is lower; 0 changes nothing."""
    bound = list[dict[str, Any]]()
    for item in process:
        [(name, given)] = item.items()
        own = float((given or {}).get("max_cost") or 0.0)
        if max_cost and name in calling:
            given = {**(given or {}), "max_cost": min(own, max_cost) if own else max_cost}
        bound.append({name: given})
    return bound


def _run_part(
    config: Mapping[str, Any],
    process: Sequence[Mapping[str, Any]],
    dataset: Path,
    run_dir: Path,
    shard: int,
    console: Console | None,
) -> int:
    columns = next(read_rows(dataset), {})
    keys = config.get("text_keys") or "text"
    known = all(key in columns for key in ([keys] if isinstance(keys, str) else keys))
    part = {key: value for key, value in config.items() if key not in ("dataset", "executor_type", "ray_address")}
    part |= {
        "executor_type": "default", "dataset_path": str(dataset), "export_path": str(run_dir / "out.jsonl"),
        "text_keys": keys if known else "row_id", "process": [dict(item) for item in process],
    }  # fmt: skip
    recipe = dataset.with_name(f"{run_dir.name}.yaml")
    recipe.write_text(dump(part), encoding="utf-8")
    said = list[str]()
    code = run(RunRequest(recipe, str(dataset), str(run_dir), max(1, shard), executor="default", again=True),
               said.append, console)  # fmt: skip
    if code in WAYS:  # a signal has stopped it
        raise KeyboardInterrupt
    if code not in (0, BUDGET):
        raise PartError("\n".join(said))
    return code


def _with_own_images(row: Mapping[str, Any], images: Path) -> dict[str, Any]:
    """The row with its images in the pilot's folder, which outlives that of the free steps."""
    paths = row.get("images")
    if not isinstance(paths, list):
        return dict(row)
    kept = list[Any]()
    for path in paths:
        source = Path(str(path))
        if path and source.is_file():
            images.mkdir(parents=True, exist_ok=True)
            place = hashlib.sha256(str(source).encode()).hexdigest()[:12]  # files of one name lie in many folders
            target = images / f"{place}-{source.name}"
            if not target.exists():
                shutil.copyfile(source, target)
            path = str(target)
        kept.append(path)
    return {**row, "images": kept}
