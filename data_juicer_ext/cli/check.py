"""`dj-ext check`: everything that would stop a run, found before it starts."""

import argparse
from pathlib import Path

from data_juicer_ext.cli.output import log_warnings_only


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    check = commands.add_parser("check", help="everything that would stop a run, found before it starts")
    check.add_argument("recipe", type=Path)
    check.add_argument("--dataset", default="", help="check this dataset instead of the recipe's dataset_path")
    check.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    log_warnings_only()
    from data_juicer_ext.ops.recipe.recipe_check import check

    complaints = check(arguments.recipe, arguments.dataset)
    for complaint in complaints:
        print(f"- {complaint}")
    print(f"{arguments.recipe}: " + (f"{len(complaints)} problems" if complaints else "ready to run"))
    return 1 if complaints else 0
