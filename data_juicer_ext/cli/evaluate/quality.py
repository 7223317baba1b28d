"""`dj-ext evaluate quality`: scores of figures against people's."""

import argparse
from pathlib import Path

from data_juicer_ext.cli.inputs import add_out, rows_of, show


def add_to(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the part."""
    part = parts.add_parser("quality", help="figure quality: MAE, Within-1, SRCC, bias, and the raters' dispersion")
    add = part.add_argument
    add("--pred", type=Path, required=True, metavar="FILE", help="scored figures: an export, file or folder")
    add(
        "--gold", type=Path, required=True, metavar="FILE",
        help="JSON Lines: one row per rater and figure, or gold already made",
    )  # fmt: skip
    add("--key", default="", metavar="COLUMNS", help="that name a figure in both files, such as paper_id,number")
    add("--gap", type=float, default=2.0, metavar="POINTS", help="raters further apart are listed (default: 2)")
    add_out(part, "quality")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.quality.comparison import evaluate
    from data_juicer_ext.evaluation.quality.quality_report import as_text, write

    found = evaluate(rows_of(given.pred), rows_of(given.gold), given.key, given.gap)
    return show(as_text(found), write(found, given.out))
