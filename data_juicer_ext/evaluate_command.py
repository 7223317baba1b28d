"""`dj-ext evaluate`: how far scores agree with people's; a table on screen, JSON and CSV on disk."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from data_juicer_ext.report.exported import export_files, read_rows


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with a part for each kind of score."""
    parts = commands.add_parser("evaluate", help="compare scores with gold").add_subparsers(dest="part", required=True)
    quality = parts.add_parser("quality", help="figure quality: MAE, Within-1, SRCC, bias, and the raters' dispersion")
    quality.add_argument(
        "--pred", type=Path, required=True, metavar="FILE", help="scored figures: an export, file or folder"
    )
    quality.add_argument(
        "--gold",
        type=Path,
        required=True,
        metavar="FILE",
        help="JSON Lines: a row a rater and figure, or gold already made",
    )
    quality.add_argument(
        "--key", default="", metavar="COLUMNS", help="that name a figure in both files, such as paper_id,number"
    )
    quality.add_argument(
        "--gap", type=float, default=2.0, metavar="POINTS", help="raters further apart are listed (default: 2)"
    )
    quality.add_argument(
        "--out",
        type=Path,
        default=Path("evaluation/quality"),
        metavar="FOLDER",
        help="for JSON and CSV (default: %(default)s)",
    )
    quality.set_defaults(run=_quality)


def _quality(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.quality import evaluate
    from data_juicer_ext.evaluation.quality_report import as_text, write

    found = evaluate(rows_of(given.pred), rows_of(given.gold), given.key, given.gap)
    print(as_text(found))
    print("\n" + "\n".join(str(path) for path in write(found, given.out)))
    return 0


def rows_of(path: Path) -> list[dict[str, Any]]:
    """All rows of a file or a folder of shards, repeated ones too. Raises ValueError where there is no such file."""
    if not export_files(path):
        raise ValueError(f"there is no file {path}")
    return list(read_rows(path, lambda row: ("",)))
