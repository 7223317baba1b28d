"""The command `dj-ext`: what is there, what would stop a run, and what a run did."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from data_juicer_ext import __version__
from data_juicer_ext.prompts import shipped_folder


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code (0: all well, 1: something was found, 2: wrong use)."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError) as error:
        print(f"dj-ext: {error}", file=sys.stderr)
        return 2


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

    summary = commands.add_parser("summary", help="funnel, files and kept pairs of the last run in a run folder")
    summary.add_argument("run_dir", type=Path, nargs="?", default=Path("dj_ext_run"))
    summary.add_argument("--pairs", type=int, default=3, help="how many kept pairs to show")
    summary.set_defaults(run=_summary)

    recipes = commands.add_parser("recipes", help="list the recipes that come along, or copy them")
    recipes.add_argument("--to", type=Path, help="copy recipes and prompts into this folder")
    recipes.set_defaults(run=_recipes)
    return parser


def _ops(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.ops.listing import listing, reference

    print(reference().rstrip() if arguments.markdown else listing())
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.ops.check import check

    complaints = check(arguments.recipe, arguments.dataset)
    for complaint in complaints:
        print(f"- {complaint}")
    print(f"{arguments.recipe}: " + (f"{len(complaints)} problems" if complaints else "ready to run"))
    return 1 if complaints else 0


def _summary(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.report.summary import summary

    print(summary(arguments.run_dir, arguments.pairs))
    return 0


def _recipes(arguments: argparse.Namespace) -> int:
    if arguments.to is None:
        for path in sorted(shipped_folder("recipes").glob("*.yaml")):
            print(path)
        return 0
    for name in ("recipes", "prompts"):
        target = arguments.to / name
        if target.exists():
            raise ValueError(f"{target} exists already; name a folder without {name}/")
        shutil.copytree(shipped_folder(name), target)
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
