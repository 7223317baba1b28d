"""`dj-ext evaluate agreement`: how far the raters of a review agree among themselves."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.cli.inputs import add_out, add_resampling, ratings_of, rows_of, show
from data_juicer_ext.errors import UsageError

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating


def add_to(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the part."""
    part = parts.add_parser("agreement", help="raters among themselves: Krippendorff's alpha, Fleiss' kappa")
    part.add_argument(
        "--ratings", type=Path, nargs="+", required=True, metavar="PATH", help="ratings.jsonl files or run folders"
    )
    part.add_argument("--form", default="", metavar="NAME", help="one form only; without, every form by itself")
    part.add_argument("--rows", type=Path, metavar="PATH", help="the rated rows, for means by a column of theirs")
    part.add_argument("--by", default="", metavar="COLUMN", help="that column, such as source")
    add_resampling(part)
    add_out(part, "agreement")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.raters.rater_agreement import evaluate
    from data_juicer_ext.evaluation.raters.rater_report import as_text, write
    from data_juicer_ext.evaluation.statistics.bootstrap import Resampling

    if bool(given.rows) != bool(given.by):
        raise UsageError("--rows and --by go together: the rated rows, and the column to give means by")
    ratings = _ratings(given.ratings)
    if given.form and not any(rating.form == given.form for rating in ratings):
        there = ", ".join(sorted({rating.form for rating in ratings})) or "no rating at all"
        raise UsageError(f"--form {given.form}: no rating has this form; there is {there}")
    order = Resampling(given.resamples, given.seed)
    found = evaluate(ratings, order, given.form, _sources(given.rows, given.by) if given.rows else None)
    return show(as_text(found), write(found, given.out))


def _ratings(paths: list[Path]) -> list[Rating]:
    """The ratings of all files; of an annotator, form and row the last one counts."""
    found = dict[tuple[str, str, str], "Rating"]()
    for path in paths:
        ratings = ratings_of(path)
        if ratings is None and path.is_file() and not path.read_bytes().strip():
            continue
        if ratings is None:
            raise UsageError(f"{path} is no ratings file: its lines have no form and ratings")
        found |= {rating.key: rating for rating in ratings}
    return list(found.values())


def _sources(path: Path, column: str) -> dict[str, str]:
    rows = rows_of(path)
    if not any(column in row for row in rows):
        raise UsageError(f"--by {column}: no row of {path} has this column")
    return {str(row.get("row_id") or ""): str(row.get(column) or "(not said)") for row in rows}
