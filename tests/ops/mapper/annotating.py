"""QA rows to annotate, the run of one operator over them, and what its ledger says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.rows import Figure, claim_row, figure_row, qa_row
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions, read_lines
from tests.host import run_here

Rows = list[dict[str, Any]]
QUICK = {"backoff": 0.005, "max_tries": 2}


def drawn(path: Path, colour: str = "white") -> str:
    """A plain image file."""
    Image.new("RGB", (64, 48), colour).save(path)
    return str(path)


def question(image: str, number: int, figure: int = 1, **changes: Any) -> dict[str, Any]:
    """A QA row: the question with that number about a figure, the answer B of four."""
    made = Figure(figure_id=f"f{figure}", number=str(figure), caption=f"Caption of figure {figure}.", images=[image])
    claim = claim_row(figure_row({"paper_id": "p", "domain": "cs.CL"}, made), f"Claim {number}.", {})
    row = qa_row(claim, f"Which curve of figure {figure} is number {number}?", ["red", "blue", "green", "black"], "B")
    return {**row, **changes}


def annotated(rows: Rows, operator: str, run_dir: Path, **parameters: Any) -> Rows:
    """The rows that an operator keeps, its model at the fake endpoint."""
    given = {"run_dir": str(run_dir), **parameters}
    if "models" not in given:
        given = {"api_model": "vision-model", "model_params": QUICK, **given}
    return run_here(rows, [{operator: given}])


def ledger(run_dir: Path) -> Rows:
    """The decisions of the last run."""
    return decisions(run_dir, run_records.run_ids(run_dir)[-1])


def aside(run_dir: Path) -> Rows:
    """The undecided rows, as they were written down."""
    return list(read_lines(run_dir / "undecided"))
