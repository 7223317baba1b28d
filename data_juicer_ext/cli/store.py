"""`dj-ext store`: what the response store of a run holds, what to delete of it, and all of it as JSON Lines."""

import argparse
import re
from datetime import datetime, timedelta
from pathlib import Path

from data_juicer_ext.models.store.administration import export, prune, stats
from data_juicer_ext.models.store.interface import StoreStats

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command with its three parts; each takes a run folder or a store itself."""
    store = commands.add_parser("store", help="the paid answers of a run: count, delete or export them")
    parts = store.add_subparsers(dest="part", required=True)

    count = parts.add_parser("stats", help="how many answers are stored, for which models and tasks")
    count.set_defaults(run=_stats)

    delete = parts.add_parser(
        "prune", help="delete answers for good, while no run is going on; they would be paid for again"
    )
    delete.add_argument("--older-than", type=age, default=None, metavar="AGE", help="such as 30d, 12h or 6w")
    delete.add_argument("--model", default="", help="of this model, as asked for or as answered")
    delete.add_argument("--task", default="", help="of this prompt template, such as verisciqa/vision_vote")
    delete.add_argument("--dry-run", action="store_true", help="only count")
    delete.set_defaults(run=_prune)

    write = parts.add_parser("export", help="write all answers as JSON Lines: key, created, answer, about")
    write.add_argument("--to", type=Path, required=True, metavar="FILE")
    write.set_defaults(run=_export)

    for part in (count, delete, write):
        part.add_argument(
            "place", nargs="?", default="dj_ext_run", help="run folder or a store itself; a path or an address"
        )


def age(text: str) -> timedelta:
    """A time span such as "30d"; units are m, h, d and w. Raises ArgumentTypeError for anything else."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no age; write a number and m, h, d or w, such as 30d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _stats(given: argparse.Namespace) -> int:
    for place, held in stats(given.place).items():
        print("\n".join([place, *_lines(held)]))
    return 0


def _lines(held: StoreStats) -> list[str]:
    span = "" if not held.answers else f", {_day(held.oldest)} to {_day(held.newest)}"
    lines = [f"  {held.answers} answers, {held.size / 1e6:.1f} MB{span}"]
    for group in held.groups:
        lines.append(
            f"  {group.answers:>8}  {group.model}  {group.task}  "
            f"{group.prompt_tokens} prompt and {group.completion_tokens} completion tokens"
        )
    return lines


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def _prune(given: argparse.Namespace) -> int:
    for done in prune(given.place, given.older_than, given.model, given.task, given.dry_run):
        verb = "would delete" if given.dry_run else "deleted"
        print(f"{done.place}: {verb} {done.removed} answers, {done.kept} stay")
    return 0


def _export(given: argparse.Namespace) -> int:
    done = export(given.place, given.to)
    print(f"{done.path}: {done.answers} answers")
    return 0
