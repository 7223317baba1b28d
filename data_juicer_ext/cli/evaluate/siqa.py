"""`dj-ext evaluate siqa`: quality scores of images against mean opinion scores."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.cli.inputs import (
    Rows,
    add_out,
    add_predictions,
    add_resampling,
    names_of,
    ratings_of,
    read_input,
    rows_of,
    show,
)
from data_juicer_ext.errors import UsageError

if TYPE_CHECKING:
    from data_juicer_ext.evaluation.siqa.mos import Mos, Screening

OPERATOR = "siqa_rating_mapper"


def add_to(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the part."""
    part = parts.add_parser("siqa", help="scores of scientific images: SRCC and PLCC with mean opinion scores")
    add_predictions(part, f"scores: exports of {OPERATOR} (file, folder or run folder), one per model")
    add = part.add_argument
    add("--gold", type=Path, required=True, metavar="FILE", help="a MOS file, rows of raters, or a ratings.jsonl")
    add("--key", default="", metavar="COLUMN", help="that names an image in both: row_id, image, ...")
    add("--consensus", type=Path, metavar="FILE", help="scores of the reference images; else the other raters' mean")
    add(
        "--gate", default="0.8", metavar="R",
        help="SRCC in the calibration that a rater is above, or off (default: 0.8)",
    )  # fmt: skip
    add(
        "--outliers", choices=("correlation", "bt500", "off"), default="correlation",
        help="how outlier raters are found (default: correlation with the others' mean)",
    )  # fmt: skip
    add("--min-correlation", type=float, default=0.5, metavar="R", help="below, a rater is an outlier (default: 0.5)")
    add(
        "--scale", nargs=2, type=float, default=(1.0, 5.0), metavar=("LOW", "HIGH"),
        help="ends of the raters' scale, for the levels (default: 1 5)",
    )  # fmt: skip
    add_resampling(part)
    add_out(part, "siqa")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.siqa.comparison import evaluate, read_predicted
    from data_juicer_ext.evaluation.siqa.mos import Screening
    from data_juicer_ext.evaluation.siqa.siqa_report import as_text, write
    from data_juicer_ext.evaluation.statistics.bootstrap import Resampling

    inputs = [read_input(text, OPERATOR) for text in given.pred]
    low, high = given.scale
    if not low < high:
        raise UsageError(f"--scale {low:g} {high:g}: the first number has to be the lower one")
    order = Screening(_gate(given.gate), given.outliers, given.min_correlation, (low, high))
    key, mos, refused = _mos(given, [row for read in inputs for row in read.rows], order)
    models = [read_predicted(name, read.rows, key) for name, read in zip(names_of(inputs), inputs, strict=True)]
    found = evaluate(models, mos, key, Resampling(given.resamples, given.seed), refused)
    return show(as_text(found), write(found, given.out))


def _mos(given: argparse.Namespace, predicted: Rows, order: Screening) -> tuple[str, Mos, list[str]]:
    from data_juicer_ext.evaluation.siqa.gold import consensus_of, key_of, mos_of_ratings, mos_of_rows

    ratings = ratings_of(given.gold)
    rows = rows_of(given.gold) if ratings is None else []
    key = "row_id" if ratings is not None else key_of(predicted, rows, given.key)
    consensus, refused = consensus_of(rows_of(given.consensus), key) if given.consensus else (None, [])
    mos, more = (
        mos_of_rows(rows, key, order, consensus) if ratings is None else mos_of_ratings(ratings, order, consensus)
    )
    return key, mos, [*refused, *more]


def _gate(text: str) -> float | None:
    if text == "off":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -1 <= value < 1:
        raise UsageError(f"--gate {text}: write a correlation from -1 to below 1, or off")
    return value
