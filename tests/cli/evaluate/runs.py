"""Run folders for the tests, with an export, a ledger and undecided rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry
from tests.host import write_rows

Rows = list[dict[str, Any]]


def run_folder(folder: Path, operator: str, rows: Rows, undecided: Rows, export: bool = True) -> Path:
    """A run that ended: `rows` are its export, `undecided` those whose calls failed at `operator`."""
    target = folder.with_suffix(".jsonl")
    run = run_records.begin(folder, {"recipe": "answer.yaml", "export_path": str(target)})
    for row in rows:
        run.ledger.record(Entry(row["row_id"], operator, operator, "keep", "answered", "", ""))
    for row in undecided:
        run.ledger.record(Entry(row["row_id"], operator, operator, "undecided", "call_failed:timeout", "", ""))
        about = {"operator": operator, "tag": operator, "reason": "call_failed:timeout", "message": "slow"}
        run.undecided.write({**row, "undecided": about})
    if export:
        write_rows(target, rows)
    run_records.end(run)
    return folder
