"""`dj-ext evaluate preference`: judges of generated diagrams against people's preferences."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from data_juicer_ext.cli.evaluate.judges import add_judges, judges_of, read_inputs
from data_juicer_ext.cli.inputs import add_out, add_resampling, ratings_of, rows_of, show

if TYPE_CHECKING:
    from data_juicer_ext.evaluation.preference.votes import PairVote


def add_to(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the part."""
    part = parts.add_parser(
        "preference", help="judges of diagrams against people: DAR, Kendall, Spearman, kappa, alpha"
    )
    add_judges(part)
    part.add_argument(
        "--gold", type=Path, required=True, metavar="FILE",
        help="a ratings.jsonl (form scidiag), a run folder, or rows of row_id, annotator and overall (-2 to 2)",
    )  # fmt: skip
    add_resampling(part)
    add_out(part, "preference")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.judged_pairs import aliases
    from data_juicer_ext.evaluation.preference.judge_preference import evaluate
    from data_juicer_ext.evaluation.preference.preference_report import as_text, write
    from data_juicer_ext.evaluation.statistics.bootstrap import Resampling

    inputs = read_inputs(given)
    known = aliases([row for read in inputs for row in read.rows])
    votes, refused = _votes(given.gold, known)
    found = evaluate(judges_of(given, inputs), votes, Resampling(given.resamples, given.seed), refused)
    return show(as_text(found), write(found, given.out))


def _votes(path: Path, known: dict[str, str]) -> tuple[list[PairVote], list[str]]:
    from dataclasses import replace

    from data_juicer_ext.evaluation.preference.votes import votes_of_ratings, votes_of_rows

    ratings = ratings_of(path)
    votes, refused = votes_of_rows(rows_of(path)) if ratings is None else votes_of_ratings(ratings)
    return [replace(vote, pair=known.get(vote.pair, vote.pair)) for vote in votes], refused
