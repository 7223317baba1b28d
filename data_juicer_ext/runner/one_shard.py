"""One shard: run whole, its export and undecided rows put in their places, and its counts taken."""

import contextlib
import shutil
import time
from pathlib import Path

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.ops.base.run_op import taking_part
from data_juicer_ext.runner.executor import Host
from data_juicer_ext.runner.interrupts import Stops
from data_juicer_ext.runner.shard_plan import EXPORTS, SHARDS, UNDECIDED
from data_juicer_ext.runs import run_records, shard_manifest
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import decisions
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from data_juicer_ext.storage.addresses import under

BUDGET_REASON = "call_failed:budget"


class ShardError(DjExtError, RuntimeError):
    """Data-Juicer could not run a shard; the message says why, and where its logs are."""


def run_shard(entry: ShardEntry, manifest: Manifest, kept: ShardedFolder, host: Host, stops: Stops) -> bool:
    """Run one shard from its start and enter what came of it; whether a budget left rows of it undecided.

    Raises ShardError where Data-Juicer fails, and lets KeyboardInterrupt and SystemExit through; the shard
    is then as it was before but for `error` and what the try has spent, and an earlier export of it stays in place.
    """
    about = {"recipe": [manifest.recipe], "executor": host.executor, "shard": entry.name,
             "dataset_path": manifest.dataset, "export_path": under(kept.place, "pairs.jsonl")}  # fmt: skip
    run = run_records.begin(kept.place, about)
    before, started = entry.state, time.monotonic()
    entry.state, entry.run_id, entry.error = states.RUNNING, run.run_id, ""
    entry.run_ids.append(run.run_id)
    kept.save(manifest)
    made = host.work / entry.name / run.run_id / "out.jsonl"
    if host.executor == "ray":
        made = made.with_suffix("")
    try:
        with taking_part(run), stops.interrupting():
            _host_runs(entry, kept, host, made, run.run_id)
    except BaseException as error:
        entry.state = before
        if isinstance(error, Exception) and not stops.asked:  # workers that a signal ends look like a failure
            entry.error = f"{type(error).__name__}: {str(error)[:500]}"
        with contextlib.suppress(OSError):  # a full disk may be the very error; the shard then counts as killed
            run.flush()
            kept.take_undecided(run.run_id)
            run_records.mark_ended(run)
            shard_manifest.count_spent(entry, kept.run_dir)
            kept.save(manifest)
        if isinstance(error, Exception):
            raise ShardError(f"{entry.name} failed: {entry.error}\n  its logs: {made.parent}") from error
        raise
    entry.seconds = round(time.monotonic() - started, 2)
    return _enter(entry, manifest, kept, run, made)


def _host_runs(entry: ShardEntry, kept: ShardedFolder, host: Host, made: Path, run_id: str) -> None:
    shard, name = kept.run_dir / SHARDS / f"{entry.name}.jsonl", f"{entry.name}-{run_id}"
    if host.executor != "ray":
        return host.run(shard, str(made), made.parent.parent, run_id)
    host.run(shard, kept.made_at(made, name), made.parent.parent, run_id)
    kept.fetch_made(made, name)


def _enter(entry: ShardEntry, manifest: Manifest, kept: ShardedFolder, run: run_records.Run, made: Path) -> bool:
    run.flush()
    undecided = kept.take_undecided(run.run_id, whole=True)
    run_records.mark_ended(run)
    run_records.write_rows(undecided_file(run.run_dir, entry), undecided)
    export = _put(made, run.run_dir / EXPORTS, entry.name)
    entry.whole_run_id, entry.export = run.run_id, str(export.relative_to(run.run_dir))
    entry.kept = sum(1 for _ in read_rows(export))
    entry.refused = sum(e["verdict"] == "drop" for e in decisions(run.run_dir, run.run_id, brief=True))
    entry.undecided = len(undecided)
    shard_manifest.count_spent(entry, run.run_dir)
    entry.state = states.UNDECIDED if undecided else states.DONE
    kept.send(f"{UNDECIDED}/{entry.name}.jsonl", f"{EXPORTS}/{entry.name}.jsonl", f"{EXPORTS}/{entry.name}")
    kept.save(manifest)
    return any(row["undecided"]["reason"] == BUDGET_REASON for row in undecided)


def undecided_file(run_dir: Path, entry: ShardEntry) -> Path:
    """Where the undecided rows of a shard's last whole run stand."""
    return run_dir / UNDECIDED / f"{entry.name}.jsonl"


def _put(made: Path, exports: Path, name: str) -> Path:
    """Move a whole export to its place, over an earlier one; no export at all is one of zero rows."""
    file, folder = exports / f"{name}.jsonl", exports / name
    if made.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
        file.unlink(missing_ok=True)
        return folder
    if not made.exists():
        made.touch()
    made.replace(file)
    shutil.rmtree(folder, ignore_errors=True)
    return file
