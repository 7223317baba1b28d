"""What the shards of a run folder have come to, and have spent: `manifest.json`, replaced with every change.

A shard is `pending`, `running`, `done`, or `undecided` (run, but with rows that no verdict could be
given to). What stands as `running` when a run begins was killed, and is pending again.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.rows import to_json
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Spending, spent_by
from data_juicer_ext.runs.shard_cutting import Shard
from data_juicer_ext.storage.atomic_file import replace_text

NAME = "manifest.json"
VERSION = 1
PENDING, RUNNING, DONE, UNDECIDED = "pending", "running", "done", "undecided"


class ManifestError(DjExtError, ValueError):
    """A manifest that can't be used; the message says what to do."""


@dataclass
class ShardEntry:
    """One shard. Counts of rows, export (relative to the run folder) and seconds are of its last whole run.

    `run_id` is the last run's, whole or not; `whole_run_id` the one that the export is from; `run_ids` are those of all
    tries, oldest first. `refused` counts refusals by all operators. `calls`, `cost` and `unpriced` are of all tries:
    the calls that went out, answered or failed, US dollars without the `unpriced` calls, and the calls to models whose
    price is not known. Answers out of the store are no such calls. `error` says why the last attempt failed.
    """

    name: str
    id: str
    papers: int
    state: str = PENDING
    run_id: str = ""
    whole_run_id: str = ""
    export: str = ""
    kept: int = 0
    refused: int = 0
    undecided: int = 0
    seconds: float = 0.0
    calls: int = 0
    cost: float = 0.0
    unpriced: int = 0
    error: str = ""
    run_ids: list[str] = field(default_factory=list)


@dataclass
class Manifest:
    """The plan of a run folder, and how far it has come. `dataset` and `recipe` are absolute paths.

    `earlier_run_ids` are those that worked on shards of the same dataset before `--again` cut it anew.
    """

    recipe: str
    recipe_fingerprint: str
    dataset: str
    dataset_fingerprint: str
    shard_size: int
    seed: int
    shards: list[ShardEntry] = field(default_factory=list)
    earlier_run_ids: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, shards: Iterable[Shard], **about: Any) -> "Manifest":
        """A manifest of shards that are all pending."""
        return cls(shards=[ShardEntry(shard.name, shard.id, shard.papers) for shard in shards], **about)

    def save(self, run_dir: Path) -> None:
        """Replace the manifest of a run folder. A kill at any moment leaves the old or the new one."""
        replace_text(run_dir / NAME, to_json({"version": VERSION, **asdict(self)}))

    @property
    def whole(self) -> list[ShardEntry]:
        """The shards that were run to their end at least once."""
        return [entry for entry in self.shards if entry.whole_run_id]

    @property
    def open(self) -> list[ShardEntry]:
        """The shards that are still to be run, or to be run again."""
        return [entry for entry in self.shards if entry.state != DONE]


def load(run_dir: Path) -> Manifest | None:
    """The manifest of a run folder, None if it has none. Raises ManifestError if it is not one."""
    path = run_dir / NAME
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        version = value.pop("version")
        if version != VERSION:
            raise ManifestError(f"{path} is of version {version}; name another run folder by --run-dir")
        return Manifest(**{**value, "shards": [ShardEntry(**entry) for entry in value["shards"]]})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(f"{path} is no manifest ({error}); start anew with --again") from error


def count_spent(entry: ShardEntry, run_dir: Path) -> None:
    """Enter what all tries of a shard have spent until now."""
    spent = Spending()
    for run_id in entry.run_ids:
        spent.add_up(vars(spent_by(run_dir, run_id)))
    entry.calls, entry.cost, entry.unpriced = spent.calls - spent.store_hits, round(spent.cost, 8), spent.unpriced


def spent_in_all(manifest: Manifest, run_dir: Path) -> ShardEntry:
    """The calls, cost and unpriced calls of all shards, and of those that `--again` has replaced, as of one shard."""
    total = ShardEntry("all", "", 0, run_ids=list(manifest.earlier_run_ids))
    count_spent(total, run_dir)
    for entry in manifest.shards:
        total.calls += entry.calls
        total.cost += entry.cost
        total.unpriced += entry.unpriced
    return total


def tries_by_shard(run_dir: Path, dataset: str) -> dict[str, list[str]]:
    """The ids of the runs that worked on shards of `dataset` (as their notes name it), by shard, oldest first."""
    found: dict[str, list[str]] = {}
    for run_id in run_records.run_ids(run_dir):
        try:
            about = run_records.about(run_dir, run_id)
        except (OSError, ValueError):  # what can't be read says nothing of a shard
            continue
        if about.get("shard") and about.get("dataset_path") == dataset:
            found.setdefault(str(about["shard"]), []).append(run_id)
    return found
