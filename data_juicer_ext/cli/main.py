"""The command `dj-ext`: what is there, what would stop a run, and what a run did."""

import argparse
import re
import sys
from pathlib import Path

from data_juicer_ext import __version__
from data_juicer_ext.cli import (
    balance,
    check,
    diagram,
    estimate,
    export,
    fetch,
    ingest,
    new_operator,
    ops,
    recipes,
    report,
    review,
    run,
    sample,
    split,
    store,
    summary,
)
from data_juicer_ext.cli.evaluate import command as evaluate
from data_juicer_ext.cli.output import INTERRUPTED, READER_GONE, os_error_in_words, reader_is_gone
from data_juicer_ext.cli.run_argument import use_local_copy
from data_juicer_ext.errors import DjExtError, UsageError

# In the order in which `dj-ext --help` lists them.
_COMMANDS = (
    ops, check, run, summary, estimate, report, review, export, evaluate, store, fetch, ingest, split, sample, balance,
    diagram, new_operator, recipes,
)  # fmt: skip

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
    except (DjExtError, OSError) as error:  # anything else is a defect, and shows where
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
    for command in _COMMANDS:
        command.add_to(commands)
    return parser


def _refuse_addresses(arguments: argparse.Namespace) -> None:
    """Raises UsageError for an address where a path is meant: it would become a folder `s3:` here."""
    named = ((n, v) for n, value in vars(arguments).items() for v in (value if isinstance(value, list) else [value]))
    for name, value in named:
        if isinstance(value, Path) and (found := _ADDRESS.match(str(value))):
            raise UsageError(
                f"{name.replace('_', '-')}: {found[1]}://{found[2]} is on object storage, and this command works with "
                "files of this machine; copy it by `dj-ext fetch` (a run folder) or the storage's own tools"
            )
