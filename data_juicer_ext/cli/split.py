"""`dj-ext split`: a paper-aware test split of rated figures."""

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from data_juicer_ext.cli.inputs import rows_of
from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.quality.paper_split import Split, SplitOrder, split
from data_juicer_ext.ratings.line_file import number_in
from data_juicer_ext.storage.atomic_file import replacing

_GIVEN_COUNTS = ("annotator_count", "rating_count", "ratings")


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    part = commands.add_parser("split", help="a test split that keeps papers together, with venue quotas")
    add = part.add_argument
    add("figures", type=Path, help="JSON Lines: one row per figure, with paper_id, venue and figure_type")
    add("--gold", type=Path, metavar="FILE", help="rater rows, to count ratings; else the rows say them")
    add("--key", default="", metavar="COLUMNS", help="that name a figure in both files")
    add("--size", type=int, default=1200, metavar="N", help="figures of the test split (default: 1200)")
    add(
        "--quota", action="append", default=[], metavar="VENUE=N",
        help="figures of a venue; without, all venues get the same",
    )  # fmt: skip
    add("--min-ratings", type=int, default=3, metavar="N", help="that a test figure has at least (default: 3)")
    add("--seed", type=int, default=0, metavar="N", help="another split (default: 0)")
    add("--out", type=Path, required=True, metavar="FOLDER", help="gets test, rest and held_out .jsonl, split.json")
    part.set_defaults(run=_split)


def _split(given: argparse.Namespace) -> int:
    rows = rows_of(given.figures)
    order = SplitOrder(given.size, _quotas(given.quota), given.min_ratings, given.seed)
    found = split(rows, _ratings(rows, given.gold, given.key), order)
    _write(found, order, given.out)
    print("\n".join(_lines(found, given.out)))
    return 0 if all(taken == quota for quota, taken in found.quotas.values()) else 1


def _quotas(given: Sequence[str]) -> dict[str, int]:
    quotas = {}
    for text in given:
        venue, _, number = text.rpartition("=")
        if not venue or not number.isdigit():
            raise UsageError(f"--quota {text}: write a venue and a number, such as ACL=300")
        quotas[venue] = int(number)
    return quotas


def _ratings(rows: Sequence[Mapping[str, Any]], gold: Path | None, key: str) -> dict[int, int]:
    if gold is None:
        return {index: _told(row) for index, row in enumerate(rows)}
    from data_juicer_ext.evaluation.quality.gold import make_gold
    from data_juicer_ext.evaluation.quality.rows import key_names, key_of, read_all

    rated = rows_of(gold)
    names = key_names(rows, rated, key)
    figures = make_gold(read_all(rated, names)[0])
    counted = {name: len(figure.ratings) for name, figure in figures.items()}
    return {index: counted.get(key_of(row, names), 0) for index, row in enumerate(rows)}


def _told(row: Mapping[str, Any]) -> int:
    listed = next((row[name] for name in ("annotations", "ratings") if isinstance(row.get(name), list)), None)
    if listed is not None:
        return len(listed)
    return next((int(number) for name in _GIVEN_COUNTS if (number := number_in(row, name)) is not None), 0)


def _write(found: Split, order: SplitOrder, folder: Path) -> None:
    parts = {"test": found.test, "rest": found.rest, "held_out": found.held_out}
    asked = {**vars(order), "quotas": dict(order.quotas)}
    sizes = {name: len(rows) for name, rows in parts.items()}
    about = {"order": asked, "quotas": found.quotas, "figure_types": found.types, **sizes}
    texts = {f"{name}.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
             for name, rows in parts.items()}  # fmt: skip
    texts["split.json"] = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as written:  # none takes the place of an earlier split's before all are there
        for name, text in texts.items():
            written.enter_context(replacing(folder / name)).write_text(text, encoding="utf-8")


def _lines(found: Split, folder: Path) -> list[str]:
    papers = len({row["paper_id"] for row in found.test})
    lines = [f"test: {len(found.test)} figures of {papers} papers"]
    for venue, (quota, taken) in found.quotas.items():
        short = "" if taken == quota else f", {quota - taken} short: no whole paper with enough ratings fits"
        lines.append(f"  {venue}: {taken} of {quota}{short}")
    lines += [
        f"  {name}: {there:.1%} of the rated figures, {here:.1%} of the test"
        for name, (there, here) in found.types.items()
    ]
    lines.append(f"rest: {len(found.rest)} figures of other papers")
    if found.held_out:
        lines.append(f"held out: {len(found.held_out)} figures of test papers with too few ratings")
    return [*lines, f"{folder}/test.jsonl"]
