"""The summary of a run folder: over the shards of its manifest, else of its last run."""

from pathlib import Path

from data_juicer_ext.report.summary import summary
from data_juicer_ext.runs import run_records, shard_manifest


def run_summary(run_dir: Path, pairs: int = 3) -> str:
    """Funnel, files and kept pairs in words; a plain `dj-process` run after the shards stands for itself.

    Raises NoRunError if the folder holds no run.
    """
    found = shard_manifest.load(run_dir)
    ids = run_records.run_ids(run_dir)
    if found is None or not ids or not run_records.about(run_dir, ids[-1]).get("shard"):
        return summary(run_dir, pairs)
    of_shards = [entry.whole_run_id or entry.run_id for entry in found.shards]
    return summary(run_dir, pairs, [run_id for run_id in of_shards if run_id])
