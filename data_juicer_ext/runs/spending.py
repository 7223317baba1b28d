"""What the tries of shards have spent: every line of their ledgers counts, of killed and undecided tries as well."""

from pathlib import Path

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Spending, spent_by
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry


def count(entry: ShardEntry, run_dir: Path) -> None:
    """Enter what all tries of a shard have spent until now."""
    spent = Spending()
    for run_id in entry.run_ids:
        spent.add_up(vars(spent_by(run_dir, run_id)))
    entry.calls, entry.cost, entry.unpriced = spent.calls - spent.store_hits, round(spent.cost, 8), spent.unpriced


def in_all(manifest: Manifest, run_dir: Path) -> ShardEntry:
    """The calls, cost and unpriced calls of all shards, and of those that `--again` has replaced, as of one shard."""
    total = ShardEntry("all", "", 0, run_ids=list(manifest.earlier_run_ids))
    count(total, run_dir)
    for entry in manifest.shards:
        total.calls += entry.calls
        total.cost += entry.cost
        total.unpriced += entry.unpriced
    return total


def tries(run_dir: Path, dataset: str) -> dict[str, list[str]]:
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
