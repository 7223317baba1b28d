"""What the parts about generated diagrams share: judges' exports, and the development set that is left out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.cli.inputs import Input, add_predictions, names_of, read_input, rows_of
from data_juicer_ext.errors import UsageError

if TYPE_CHECKING:
    from data_juicer_ext.evaluation.judged_pairs import Judged

OPERATOR = "diagram_judge_mapper"


def add_judges(part: argparse.ArgumentParser) -> None:
    """Add the options that name the judges and the development set."""
    add_predictions(
        part, f"exports of {OPERATOR} (file, folder or run folder); those of one NAME are runs of one judge"
    )
    part.add_argument(
        "--development", type=Path, metavar="FILE",
        help="rows (row_id or paper_id) or a criteria file whose pairs are left out",
    )  # fmt: skip


def read_inputs(given: argparse.Namespace) -> list[Input]:
    """The inputs that `--pred` names."""
    return [read_input(text, OPERATOR) for text in given.pred]


def judges_of(given: argparse.Namespace, inputs: list[Input]) -> dict[str, tuple[dict[str, Judged], list[str]]]:
    """By judge the pairs, and what was refused. Raises UsageError where two inputs without a name share one."""
    from data_juicer_ext.evaluation.judged_pairs import merged, read_judged

    named = {read.name: read for read in inputs if read.name}
    names_of([*named.values(), *(read for read in inputs if not read.name)])
    development = _development(given.development)
    exports: dict[str, list[tuple[dict[str, Judged], list[str]]]] = {}
    for read in inputs:
        exports.setdefault(read.called, []).append(read_judged(read.rows, development))
    return {
        name: (merged([judged for judged, _ in own]), [reason for _, refused in own for reason in refused])
        for name, own in exports.items()
    }


def _development(path: Path | None) -> set[str]:
    """The row and paper ids of the development set."""
    if path is None:
        return set()
    if path.suffix in (".yaml", ".yml"):
        from data_juicer_ext.diagrams.criteria import load_criteria

        return set(load_criteria(path).development)
    ids = {str(row.get(name) or "") for row in rows_of(path) for name in ("row_id", "paper_id")} - {""}
    if not ids:
        raise UsageError(f"--development {path}: no row has a row_id or paper_id")
    return ids
