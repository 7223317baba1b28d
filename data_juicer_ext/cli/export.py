"""`dj-ext export`: a run's kept rows as a finished set, for a trainer or for release."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.cli.run_argument import run_place
from data_juicer_ext.errors import UsageError
from data_juicer_ext.export.options import DEFAULT_SPLITS, FORMATS, NEAR_QUESTIONS, ExportOptions, read_splits

if TYPE_CHECKING:
    from data_juicer_ext.export.card.dataset_card import WrittenExport
    from data_juicer_ext.export.export_run import ExportSource

_SHOWN = 10
_KINDS = ("pairs", "siqa-u", "siqa-s", "figures")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    part = commands.add_parser("export", help="kept rows as a finished set: splits by paper, images, dataset card")
    add = part.add_argument
    add("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    add("--format", required=True, choices=FORMATS, help="what the files are for")
    add("--out", type=Path, required=True, metavar="FOLDER", help="a new folder, written at once")
    add("--export", type=Path, metavar="PATH", help="kept rows, instead of the path that the run names")
    add("--kind", choices=_KINDS, default="", help="what the rows are (default: by their columns)")
    add("--accepted", action="store_true", help="only rows that most reviewers accepted in the audit")
    add("--licences", metavar="NAMES", help="only these: cc-by-4.0,cc0*,none (default: any)")
    add("--splits", default=DEFAULT_SPLITS, metavar="NAME=SHARE,...", help="by paper (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="other splits and choices (default: 0)")
    add(
        "--near-questions", type=float, default=NEAR_QUESTIONS, metavar="LIKENESS",
        help="from which two questions about a figure are one, 0 to 1; 0: do not look (default: %(default)s)",
    )  # fmt: skip
    add("--max-per-figure", type=int, default=0, metavar="N", help="rows per figure (default: any number)")
    add("--shuffle-options", action="store_true", help="order options anew, so that answers spread over the letters")
    add("--with-caption", action="store_true", help="put the caption before the question (dialogues)")
    add("--with-rationale", action="store_true", help="put the rationale before the letter (dialogues)")
    add("--images", choices=("copy", "embed"), default="", help="files beside, or bytes inside")
    add("--strict", action="store_true", help="write nothing and end with 1 if the run has undecided rows")
    add("--overwrite", action="store_true", help="replace an earlier export in FOLDER")
    add("--workers", type=int, default=0, metavar="N", help="images read at once (default: the cores)")
    part.set_defaults(run=_export)


def _export(given: argparse.Namespace) -> int:
    from data_juicer_ext.export.export_run import UndecidedError, export

    if given.workers < 0:
        raise UsageError(f"--workers {given.workers}: write a number from 1 on")
    order = _order(given)
    source = _source(given)
    target = given.out if given.out.name not in ("", "..") else given.out.resolve()
    workers = given.workers or os.cpu_count() or 1
    try:
        made = export(source, order, target, given.overwrite, given.strict, workers)
    except UndecidedError as error:
        print(f"dj-ext: --strict: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: nothing was written.", file=sys.stderr)
        return 130
    print("\n".join(_lines(made, given.out)))
    return 0


def _order(given: argparse.Namespace) -> ExportOptions:
    from data_juicer_ext.export.rows.selection import read_patterns

    return ExportOptions(
        given.format, given.kind, given.images, read_splits(given.splits), given.seed, given.near_questions,
        given.max_per_figure, () if given.licences is None else read_patterns(given.licences), given.accepted,
        given.shuffle_options, given.with_caption, given.with_rationale,
    )  # fmt: skip


def _source(given: argparse.Namespace) -> ExportSource:
    from data_juicer_ext.export.export_run import ExportSource
    from data_juicer_ext.report.run_selection import NoRunError, last_selection

    if given.export is not None and not given.export.exists():
        raise UsageError(f"--export: there is no file or folder {given.export}")
    try:
        scope = last_selection(given.run_dir, given.export)
    except NoRunError:
        if given.export is None:
            raise
        return ExportSource(given.run_dir, given.export)
    if scope.export is None:
        raise UsageError(" ".join(scope.notes) or f"{given.run_dir}: there is no export; name it by --export")
    return ExportSource(given.run_dir, scope.export, scope)


def _lines(made: WrittenExport, target: Path) -> Iterator[str]:
    contents = made.contents
    yield f"{contents.total:,} {contents.kind.words}, {len(contents.images):,} images, as {made.order.format}"
    for name in made.order.split_names:
        files = ", ".join(made.files.get(name, ())) or "no file: too few papers"
        figures = len(contents.figures.get(name, ()))
        of = f"{contents.papers_in(name):,} papers, {figures:,} figures"
        yield f"  {name}: {contents.rows[name]:,} rows of {of}  {files}"
    for reason, number in made.left_out.counts().items():
        from data_juicer_ext.export.rows.left_out import REASONS

        yield f"left out: {number:,} {REASONS[reason]}"
    named = [row for row in made.left_out.rows if row[0].startswith(("image", "not_whole")) and row[2]]
    yield from (f"  {row_id}: {message}" for _, row_id, message in named[:_SHOWN])
    if len(named) > _SHOWN:
        yield f"  and {len(named) - _SHOWN:,} more, in left_out.jsonl"
    if made.run.undecided:
        yield f"! {made.run.undecided:,} rows of the run are undecided and not exported; running it again decides them"
    if not made.run.known:
        yield "! No run was found: what was refused or is undecided is not known."
    yield from (f"! {note}" for note in made.run.notes)
    yield f"{target}"
