"""The command `dj-ext`: what is there, what would stop a run, and what a run did."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from pathlib import Path

from data_juicer_ext import __version__
from data_juicer_ext.cli import (
    balance,
    diagram,
    estimate,
    export,
    fetch,
    ingest,
    new_operator,
    recipes,
    report,
    review,
    sample,
    split,
    store,
)
from data_juicer_ext.cli.evaluate import command as evaluate
from data_juicer_ext.cli.output import INTERRUPTED, READER_GONE, log_warnings_only, os_error_in_words, reader_is_gone
from data_juicer_ext.cli.run_argument import run_place, use_local_copy

_ADDRESS = re.compile(r"([a-z][a-z0-9]+):/+(.+)", re.IGNORECASE)


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code (0: all well, 1: something was found, 2: wrong use, 130: interrupted)."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        _refuse_addresses(arguments)
        use_local_copy(arguments)
        code = int(arguments.run(arguments))
        sys.stdout.flush()  # here and not at the exit, where nobody could catch what it raises
        return code
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError) and reader_is_gone():
            return READER_GONE
        print(f"dj-ext: {os_error_in_words(error) if isinstance(error, OSError) else error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("dj-ext: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dj-ext", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)

    ops = commands.add_parser("ops", help="the registered operators, a line each")
    ops.add_argument("--markdown", action="store_true", help="the whole reference, with every parameter")
    ops.set_defaults(run=_ops)

    check = commands.add_parser("check", help="everything that would stop a run, found before it starts")
    check.add_argument("recipe", type=Path)
    check.add_argument("--dataset", default="", help="check this dataset instead of the recipe's dataset_path")
    check.set_defaults(run=_check)

    run = commands.add_parser("run", help="run a recipe in shards into a run folder; the same command goes on")
    run.add_argument("recipe", type=Path)
    run.add_argument("--dataset", default="", help="file or folder instead of the recipe's dataset_path")
    run.add_argument("--run-dir", default="", help="run folder instead of the recipe's")
    run.add_argument("--shard", type=int, metavar="N", help="papers a shard (default: 50)")
    run.add_argument("--target", type=int, default=0, metavar="N", help="end after the shard with the Nth kept pair")
    run.add_argument("--seed", type=int, metavar="N", help="order of the papers (default: 0)")
    run.add_argument("--executor", choices=("default", "ray"), default="", help="instead of the recipe's")
    run.add_argument(
        "--ray-address",
        default="",
        metavar="HOST:PORT",
        help="on the Ray cluster there, instead of the recipe's executor",
    )
    run.add_argument("--again", action="store_true", help="run everything in the folder anew")
    run.add_argument("--verbose", action="store_true", help="show what Data-Juicer and Ray print")
    run.set_defaults(run=_run)

    summary = commands.add_parser("summary", help="funnel, files and kept pairs of the last run in a run folder")
    summary.add_argument("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    summary.add_argument("--pairs", type=int, default=3, help="how many kept pairs to show")
    summary.set_defaults(run=_summary)

    estimate.add_to(commands)
    store.add_to(commands)
    ingest.add_to(commands)
    evaluate.add_to(commands)
    split.add_to(commands)
    sample.add_to(commands)
    balance.add_to(commands)
    diagram.add_to(commands)
    report.add_to(commands)
    review.add_to(commands)
    export.add_to(commands)
    fetch.add_to(commands)
    new_operator.add_to(commands)
    recipes.add_to(commands)
    return parser


def _refuse_addresses(arguments: argparse.Namespace) -> None:
    """Raise ValueError for an address where a path is meant: it would become a folder `s3:` here."""
    named = ((n, v) for n, value in vars(arguments).items() for v in (value if isinstance(value, list) else [value]))
    for name, value in named:
        if isinstance(value, Path) and (found := _ADDRESS.match(str(value))):
            raise ValueError(
                f"{name.replace('_', '-')}: {found[1]}://{found[2]} is on object storage, and this command works with "
                "files of this machine; copy it by `dj-ext fetch` (a run folder) or the storage's own tools"
            )


def _ops(arguments: argparse.Namespace) -> int:
    log_warnings_only()
    from data_juicer_ext.ops.recipe.operator_reference import listing, reference

    print(reference().rstrip() if arguments.markdown else listing())
    return 0


def _check(arguments: argparse.Namespace) -> int:
    log_warnings_only()
    from data_juicer_ext.ops.recipe.check import check

    complaints = check(arguments.recipe, arguments.dataset)
    for complaint in complaints:
        print(f"- {complaint}")
    print(f"{arguments.recipe}: " + (f"{len(complaints)} problems" if complaints else "ready to run"))
    return 1 if complaints else 0


def _run(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.runner.console import instead_of_screen

    screen = sys.stdout
    # Before the import of Data-Juicer, whose loggers hold on to the stream that they find.
    with contextlib.nullcontext() if arguments.verbose else instead_of_screen() as console:
        from data_juicer_ext.runner.plan import Order
        from data_juicer_ext.runner.run import run

        order = Order(
            arguments.recipe, arguments.dataset, arguments.run_dir, arguments.shard, arguments.target,
            arguments.seed, arguments.executor, arguments.again, arguments.ray_address,
        )  # fmt: skip
        try:
            return run(order, lambda text: print(text, file=screen, flush=True), console)
        except KeyboardInterrupt:
            print("Interrupted before the first shard.", file=screen)
            return 130


def _summary(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.report.folder_summary import run_summary
    from data_juicer_ext.report.run_selection import no_run

    if not arguments.run_dir.is_dir():
        raise no_run(arguments.run_dir)
    print(run_summary(arguments.run_dir, arguments.pairs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
