"""What a run in shards tells its user: at its start, after every shard, and at its end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from data_juicer_ext.ops.base.end_of_run import undecided_words, unreadable_words
from data_juicer_ext.report.row_kinds import kind_in
from data_juicer_ext.runner.interrupts import WAYS
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.exported_rows import identity, read_rows
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry, spent_in_all
from data_juicer_ext.runs.sharded_folder import ShardedFolder
from data_juicer_ext.storage.addresses import under


def opening(manifest: Manifest, todo: Sequence[ShardEntry], run_dir: str, executor: str) -> str:
    """What is there and what is to be done."""
    papers = sum(entry.papers for entry in manifest.shards)
    return (
        f"{papers} papers in {len(manifest.shards)} shards of up to {manifest.shard_size}, "
        f"{len(manifest.shards) - len(manifest.open)} of them done; {len(todo)} to run on the {executor} executor "
        f"(run folder {run_dir})"
    )


def progress(entry: ShardEntry, shards: int, kept: int) -> str:
    """One line per shard."""
    return (
        f"{entry.name} of {shards}: {entry.papers} papers, {entry.kept} kept, {entry.refused} refused, "
        f"{entry.undecided} undecided, {entry.seconds:.1f} s{_money(entry)}; {kept} kept in all"
    )


def closing(manifest: Manifest, folder: ShardedFolder, kept: int, decisions: Iterable[Mapping[str, Any]]) -> str:
    """Unreadable inputs, undecided rows, and the counts of the whole run folder with the files."""
    run_dir = folder.run_dir
    undecided = list(read_rows(run_dir / "undecided.jsonl", known_by=identity))
    whole = manifest.whole
    kind = kind_in(read_rows(run_dir / "pairs.jsonl"))
    counts = (
        f"{kept} kept {kind}, {sum(e.refused for e in whole)} refused, {len(undecided)} undecided, from "
        f"{sum(e.papers for e in whole)} of {sum(e.papers for e in manifest.shards)} papers "
        f"({len(whole)} of {len(manifest.shards)} shards, {sum(e.seconds for e in whole):.0f} s"
        f"{_money(spent_in_all(manifest, run_dir))})"
    )
    parts = (unreadable_words(decisions), undecided_words(undecided, under(folder.place, "undecided.jsonl")),
             f"{counts}\n  kept {kind}  {under(folder.place, 'pairs.jsonl')}")  # fmt: skip
    return "\n".join(part for part in parts if part)


def _money(entry: ShardEntry) -> str:
    """What all tries of a shard took: calls and their price; "" where no call went out."""
    parts = [f"{entry.calls} calls"] if entry.calls else []
    parts += [f"{entry.cost:.4f} US dollars"] if entry.cost else []
    parts += [f"{entry.unpriced} calls of unknown price"] if entry.unpriced else []
    return "".join(f", {part}" for part in parts)


def why_ended(code: int, manifest: Manifest, target: int, kept: int) -> str:
    """Why the run ended here, and how to go on."""
    left = sum(entry.state == states.PENDING for entry in manifest.shards)
    if code in WAYS:
        return f"{WAYS[code]}: {_states(manifest)}. The same command goes on."
    if code == 3:
        return "The budget is reached. Raise it in the recipe; the same command then goes on."
    if code == 2:
        return (
            "The run was stopped: the reason stands above, or at the end of work/console.txt in the run folder. "
            "The same command then goes on."
        )
    if code:
        failed = [entry.name for entry in manifest.shards if entry.error]
        return f"{len(failed)} shards failed ({', '.join(failed[:5])}). The same command tries them again."
    if 0 < target <= kept:
        return f"The target of {target} kept pairs is reached; {left} shards are left. A higher --target goes on."
    if manifest.open:
        return "All shards are run. The same command runs those with undecided rows again."
    return "All shards are done."


def _states(manifest: Manifest) -> str:
    count = Counter(entry.state for entry in manifest.shards)
    undecided = f"{count[states.UNDECIDED]} have undecided rows, " if count[states.UNDECIDED] else ""
    return (
        f"{count[states.DONE]} of {len(manifest.shards)} shards are done, {undecided}{count[states.PENDING]} are left"
    )
