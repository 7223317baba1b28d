"""The summary of a run, or of all shards of a run folder, as text: funnel, files, and a few kept rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.curation.stage_counts import OPERATOR, RunFunnel
from data_juicer_ext.report.funnel import FunnelStep, funnel, table
from data_juicer_ext.report.row_kinds import in_words, kind_in
from data_juicer_ext.report.run_selection import export_here, no_run
from data_juicer_ext.runs import run_records, shard_manifest
from data_juicer_ext.runs.exported_rows import export_files, read_rows
from data_juicer_ext.runs.ledger import decisions, read_lines
from data_juicer_ext.runs.operator_words import words_in


def summary(run_dir: Path, pairs: int = 3, run_ids: Sequence[str] = ()) -> str:
    """Runs in `run_dir` in words: those named (all into one export), else the last one.

    Raises NoRunError if there is none.
    """
    ids = run_ids or [run_id for run_id in run_records.run_ids(run_dir) if run_records.has_begun(run_dir, run_id)][-1:]
    if not ids:
        raise no_run(run_dir)
    about = run_records.about(run_dir, ids[-1])
    last = {(e["row_id"], e["operator"], e["tag"]): e for run_id in ids for e in decisions(run_dir, run_id, brief=True)}
    steps = funnel(last.values(), words_in(about))
    named = str(about.get("export_path") or "")
    export = export_here(run_dir, named)
    kept = list(read_rows(export)) if export else []
    parts = [
        table(steps),
        "",
        *_curation(run_dir, ids, steps),
        *_unended(about),
        f"kept {kind_in(kept)}: {len(kept)}" if export or not named else f"kept rows: not on this machine ({named})",
        *_files(run_dir, export),
    ]
    parts += [text for row in _spread(kept, pairs) for text in ("", *in_words(row))]
    return "\n".join(parts)


def _curation(run_dir: Path, ids: Sequence[str], steps: Sequence[FunnelStep]) -> list[str]:
    if not any(step.operator == OPERATOR for step in steps):
        return []
    counted = RunFunnel()
    for run_id in ids:
        counted.count(read_lines(run_dir / "ledger", run_id))
    return [counted.words(), ""]


def _files(run_dir: Path, export: Path | None) -> list[str]:
    undecided = run_dir / "undecided.jsonl"
    listed = [("kept", file) for file in export_files(export)] if export else []
    listed += [("undecided", undecided)] if undecided.is_file() and undecided.stat().st_size else []
    listed += [("ledger", run_dir / "ledger")]
    listed += [("figures", images)] if (images := run_dir / "images").is_dir() else []
    return [f"  {what:<10} {path}" for what, path in listed]


def _unended(about: dict[str, Any]) -> list[str]:
    if about.get("ended"):
        return []
    return ["This run has not ended, or was killed: the files below are those of an earlier one.", ""]


def _spread(rows: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    chosen: dict[int, dict[str, Any]] = {}
    for names in (("paper_id",), ("paper_id", "figure_id"), ()):
        seen: set[tuple[str, ...]] = {tuple(str(row.get(name)) for name in names) for row in chosen.values()}
        for index, row in enumerate(rows):
            key = tuple(str(row.get(name)) for name in names)
            if index not in chosen and (not names or key not in seen):
                seen.add(key)
                chosen[index] = row
    return list(chosen.values())[: max(count, 0)]


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
