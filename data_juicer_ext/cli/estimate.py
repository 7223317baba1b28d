"""`dj-ext estimate`: what a recipe will take and give, told before money is spent."""

import argparse
import contextlib
import json
import sys
from pathlib import Path

_NAMES = ("recipe", "dataset", "pilot", "papers", "seed", "max_cost", "run_dir", "assume")


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    part = commands.add_parser("estimate", help="rows, calls, tokens and money of a run, before any is spent")
    add = part.add_argument
    add("recipe", type=Path)
    add("--dataset", default="", help="file or folder instead of the recipe's dataset_path")
    add(
        "--pilot", type=int, default=0, metavar="N",
        help="run N rows, drawn at random, and measure instead of assuming (costs money; default: none)",
    )  # fmt: skip
    add("--max-cost", type=float, default=0.0, metavar="USD", help="US dollars that the pilot may spend")
    add("--papers", type=int, default=300, metavar="N", help="rows of the dataset to read (default: 300; 0: all)")
    add("--seed", type=int, default=0, metavar="N", help="which rows are drawn (default: 0)")
    add("--run-dir", default="", help="run folder, with the store, instead of the recipe's")
    add("--assume", type=Path, metavar="FILE", help="YAML: assumptions of your own (docs/estimate.md)")
    add("--json", type=Path, metavar="FILE", help="write the estimate there as well")
    add("--verbose", action="store_true", help="show what Data-Juicer prints")
    part.set_defaults(run=_estimate)


def _estimate(given: argparse.Namespace) -> int:
    from data_juicer_ext.runner.console import instead_of_screen

    screen = sys.stdout
    # Before the import of Data-Juicer, whose loggers hold on to the stream that they find.
    with contextlib.nullcontext() if given.verbose else instead_of_screen() as console:
        from data_juicer_ext.estimate.estimate_recipe import EstimateRequest, ProblemsError, estimate
        from data_juicer_ext.estimate.from_pilot import TooSmallError
        from data_juicer_ext.estimate.pilot_run import PartError
        from data_juicer_ext.estimate.result import as_json
        from data_juicer_ext.estimate.screen_table import shown
        from data_juicer_ext.runs.dataset import DatasetError

        def say(text: str) -> None:
            print(text, file=screen, flush=True)

        try:
            found = estimate(EstimateRequest(**{name: getattr(given, name) for name in _NAMES}), say, console)
        except ProblemsError as error:
            for problem in error.problems:
                say(f"- {problem}")
            say(f"{given.recipe}: {len(error.problems)} problems, nothing was estimated")
            return 1
        except (DatasetError, PartError, TooSmallError) as error:
            say(str(error))
            return 1
        except KeyboardInterrupt:
            say("Interrupted. What the pilot has paid for is stored.")
            return 130
        if given.json is not None:
            given.json.write_text(json.dumps(as_json(found), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        say(shown(found))
    return 0
