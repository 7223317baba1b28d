"""The summary of a run as text: funnel, files, and a few kept pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data_juicer_ext.models import runs
from data_juicer_ext.models.ledger import decisions
from data_juicer_ext.report.exported import export_files, read_rows
from data_juicer_ext.report.funnel import funnel, table


class NoRunError(ValueError):
    """There is no run to speak of."""


def summary(run_dir: Path, pairs: int = 3) -> str:
    """The last run in `run_dir` in words. Raises NoRunError if there is none."""
    ids = runs.run_ids(run_dir)
    if not ids:
        raise NoRunError(f"{run_dir} holds no run; run a recipe with this run_dir first")
    run_id = ids[-1]
    about = runs.about(run_dir, run_id)
    steps = funnel(decisions(run_dir, run_id))
    export = Path(about["export_path"]) if about.get("export_path") else None
    kept = list(read_rows(export)) if export else []
    parts = [table(steps), "", f"kept pairs: {len(kept)}", *_files(run_dir, export)]
    parts += [text for row in _spread(kept, pairs) for text in ("", *_pair(row))]
    return "\n".join(parts)


def _files(run_dir: Path, export: Path | None) -> list[str]:
    undecided = run_dir / "undecided.jsonl"
    listed = [("kept", file) for file in export_files(export)] if export else []
    listed += [("undecided", undecided)] if undecided.is_file() else []
    listed += [("ledger", run_dir / "ledger"), ("figures", run_dir / "images")]
    return [f"  {what:<10} {path}" for what, path in listed]


def _spread(rows: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Up to `count` rows, of different papers and figures first."""
    first_of: dict[str, dict[str, Any]] = {}
    for row in rows:
        first_of.setdefault(str(row.get("paper_id")), row)
    for row in rows:
        first_of.setdefault(str(row.get("figure_id")), row)
    chosen = list(first_of.values()) + [row for row in rows if row not in first_of.values()]
    return chosen[:count]


def _pair(row: dict[str, Any]) -> list[str]:
    source = json.loads(row.get("provenance") or "{}").get("source", {})
    options = row.get("options") or []
    lines = [f"Q: {row.get('question', '')}"]
    for index, option in enumerate(options):
        letter = chr(ord("A") + index)
        lines.append(f"   {'*' if letter == row.get('answer') else ' '} {letter}. {option}")
    lines.append(f"   paper {row.get('paper_id')}, figure {row.get('number')}, claim from {source.get('place', '')}")
    lines.append(f"   image {', '.join(row.get('images') or [])}")
    return lines
