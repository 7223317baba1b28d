"""`dj-ext summary`: funnel, files and kept pairs of the last run in a run folder."""

import argparse
from pathlib import Path

from data_juicer_ext.cli.run_argument import run_place


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    summary = commands.add_parser("summary", help="funnel, files and kept pairs of the last run in a run folder")
    summary.add_argument("run_dir", type=run_place, nargs="?", default=Path("dj_ext_run"))
    summary.add_argument("--pairs", type=int, default=3, help="how many kept pairs to show")
    summary.set_defaults(run=_summary)


def _summary(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.report.run_selection import no_run
    from data_juicer_ext.report.summary import run_summary

    if not arguments.run_dir.is_dir():
        raise no_run(arguments.run_dir)
    print(run_summary(arguments.run_dir, arguments.pairs))
    return 0
