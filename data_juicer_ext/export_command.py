"""`dj-ext export`: a run's kept rows as a finished set, for a trainer or for release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from data_juicer_ext.export.order import DEFAULT_SPLITS, FORMATS, KINDS, Order, read_splits


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    export = commands.add_parser("export", help="kept rows as a finished set: splits by paper, images, dataset card")
    export.add_argument("run_dir", type=Path, nargs="?", default=Path("dj_ext_run"))
    export.add_argument("--format", required=True, choices=FORMATS, help="what the files are for (see docs/export.md)")
    export.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new folder")
    export.add_argument("--export", type=Path, metavar="PATH", help="kept rows, instead of the path that the run names")
    export.add_argument(
        "--kind", choices=tuple(KINDS), default="", help="what the rows are (default: by their columns)"
    )
    export.add_argument("--accepted", action="store_true", help="only rows that most reviewers accepted in the audit")
    export.add_argument("--licences", default="", metavar="NAMES", help="only these: cc-by,cc0, cc-by*, any, ...")
    export.add_argument("--splits", default=DEFAULT_SPLITS, metavar="NAME=SHARE,...", help=f"default: {DEFAULT_SPLITS}")
    export.add_argument("--seed", type=int, default=0, metavar="N", help="another split and choice (default: 0)")
    export.add_argument("--max-per-figure", type=int, default=0, metavar="N", help="rows of a figure (default: all)")
    export.add_argument("--strict", action="store_true", help="write nothing, with exit code 1, if rows are undecided")
    export.add_argument("--overwrite", action="store_true", help="replace an earlier export in FOLDER")
    export.add_argument("--workers", type=int, default=2, metavar="N", help="images looked at at once (default: 2)")
    export.set_defaults(run=_export)


def _export(given: argparse.Namespace) -> int:
    from data_juicer_ext.export.export import UndecidedError, export, summary
    from data_juicer_ext.report_command import last_scope

    if given.export is not None and not given.export.exists():
        raise ValueError(f"--export: there is no file or folder {given.export}")
    scope = last_scope(given.run_dir, given.export)
    try:
        contents = export(scope, _order(given), given.out, given.overwrite, given.strict, given.workers)
    except UndecidedError as error:
        print(f"dj-ext: --strict: {error}", file=sys.stderr)
        return 1
    print("\n".join(summary(contents, given.out)))
    return 0


def _order(given: argparse.Namespace) -> Order:
    if given.max_per_figure < 0:
        raise ValueError(f"--max-per-figure {given.max_per_figure}: write a number from 1 on, or 0 for all")
    if not 1 <= given.workers <= 64:
        raise ValueError(f"--workers {given.workers}: write a number from 1 to 64")
    return Order(
        given.format, KINDS.get(given.kind, ""), given.accepted, _licences(given.licences), read_splits(given.splits),
        given.seed, given.max_per_figure,
    )  # fmt: skip


def _licences(text: str) -> tuple[str, ...]:
    from data_juicer_ext.ingest.licences import chosen

    try:
        return chosen(text) if text else ()
    except ValueError as error:
        raise ValueError(str(error).replace("--licence", "--licences")) from None
