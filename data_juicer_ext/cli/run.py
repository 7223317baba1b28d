"""`dj-ext run`: a recipe over a dataset in shards, into a run folder that the same command goes on with."""

import argparse
import contextlib
import sys
from pathlib import Path

from data_juicer_ext.cli.output import INTERRUPTED


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    run = commands.add_parser("run", help="run a recipe in shards into a run folder; the same command goes on")
    run.add_argument("recipe", type=Path)
    run.add_argument("--dataset", default="", help="file or folder instead of the recipe's dataset_path")
    run.add_argument("--run-dir", default="", help="run folder instead of the recipe's")
    run.add_argument("--shard", type=int, metavar="N", help="papers per shard (default: 50)")
    run.add_argument("--target", type=int, default=0, metavar="N", help="end after the shard with the Nth kept pair")
    run.add_argument("--seed", type=int, metavar="N", help="order of the papers (default: 0)")
    run.add_argument("--executor", choices=("default", "ray"), default="", help="instead of the recipe's")
    run.add_argument(
        "--ray-address", default="", metavar="HOST:PORT",
        help="on the Ray cluster there, instead of the recipe's executor",
    )  # fmt: skip
    run.add_argument("--again", action="store_true", help="run everything in the folder anew")
    run.add_argument("--verbose", action="store_true", help="show what Data-Juicer and Ray print")
    run.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from data_juicer_ext.runner.console import instead_of_screen

    screen = sys.stdout
    # Before the import of Data-Juicer, whose loggers hold on to the stream that they find.
    with contextlib.nullcontext() if arguments.verbose else instead_of_screen() as console:
        from data_juicer_ext.runner.run import run
        from data_juicer_ext.runner.shard_plan import RunRequest

        order = RunRequest(
            arguments.recipe, arguments.dataset, arguments.run_dir, arguments.shard, arguments.target,
            arguments.seed, arguments.executor, arguments.again, arguments.ray_address,
        )  # fmt: skip
        try:
            return run(order, lambda text: print(text, file=screen, flush=True), console)
        except KeyboardInterrupt:
            print("Interrupted before the first shard.", file=screen)
            return INTERRUPTED
