"""The kinds of rows that can be exported: known by their columns, and checked to be whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.annotation.question_check import question_problem
from data_juicer_ext.report.row_kinds import kind_of
from data_juicer_ext.rows import Row, object_in
from data_juicer_ext.siqa.dimensions import ASPECTS, DIMENSIONS


@dataclass(frozen=True)
class RowKind:
    """A kind of row: its name (of `--kind`), what such rows are called, and the columns that it needs.

    `problem` says why a row is not whole, "" where it is. `asks`: its rows hold a question with options.
    `talks`: its rows can be put as dialogues.
    """

    name: str
    words: str
    columns: tuple[str, ...]
    problem: Callable[[Row], str]
    asks: bool = False
    talks: bool = True


def _question_problem(row: Row) -> str:
    found = question_problem(row, needs_answer=True)
    texts = found or all(isinstance(option, str) for option in row["options"])
    return found or ("" if texts else "an option is no text")


def _rating_problem(row: Row) -> str:
    wrong = [aspect for aspect in ASPECTS if not _on_scale(row.get(f"rating_{aspect}"))]
    return f"rating_{wrong[0]} is {row.get(f'rating_{wrong[0]}')!r}, not a number from 1 to 5" if wrong else ""


def _on_scale(score: Any) -> bool:
    return isinstance(score, (int, float)) and not isinstance(score, bool) and 1 <= score <= 5


def _score_problem(row: Row) -> str:
    return "" if isinstance(quality_of(row).get("scores"), dict) else "quality holds no scores"


PAIRS = RowKind("pairs", "pairs", ("question", "options", "answer"), _question_problem, asks=True)
SIQA_U = RowKind(
    "siqa-u", "SIQA-U questions", ("question", "options", "answer", "dimension"), _question_problem, asks=True
)
SIQA_S = RowKind("siqa-s", "rated images", ("rating_perception", "rating_knowledge"), _rating_problem)
FIGURES = RowKind("figures", "scored figures", ("quality", "quality_overall"), _score_problem, talks=False)
KINDS = {kind.name: kind for kind in (SIQA_U, PAIRS, FIGURES, SIQA_S)}
"""By name; a row that fits several is of the first."""


def exported_kind(row: Row) -> str:
    """The name of the kind that a row is of, "" for none: also for answers of a model to a finished set's questions."""
    if "model_answer" in row and "answer_kind" in row:
        return ""
    for kind in KINDS.values():
        if all(name in row for name in kind.columns) and (kind is not SIQA_U or row["dimension"] in DIMENSIONS):
            return kind.name
    return ""


def fits(row: Row, kind: RowKind) -> bool:
    """Whether a row has the columns of a kind."""
    return all(name in row for name in kind.columns)


def not_exportable(row: Row) -> str:
    """What a row is that is of no kind, and what can be done; for a message."""
    called = kind_of(row)
    if called == "answers":
        return (
            "the rows are a model's answers to a finished set, not checked pairs; --kind pairs exports their questions "
            "all the same"
        )
    known = "; ".join(f"{kind.words} ({', '.join(kind.columns)}: --kind {kind.name})" for kind in KINDS.values())
    return f"the rows are {called}, which can't be exported. What can, by the columns that it needs: {known}"


def released(row: Row) -> dict[str, Any]:
    """A scored figure as SciFigQual's release has it, with what its `quality` says as columns.

    That is `run_id`, `protocol`, `models`, `call_budget`, `overall`, `scores` and `reasons` by dimension (null where
    evidence is missing), `reports` (the evidence of each stage), `gate`, `caps`, `severity` and `flags`, in place of
    `quality` and of the columns `quality_*`, in which 0 stands for null. A name that is taken gets `quality_` in front.
    """
    plain = {name: value for name, value in row.items() if name != "quality" and not name.startswith("quality_")}
    said = quality_of(row)
    return {**plain, **{f"quality_{name}" if name in plain else name: value for name, value in said.items()}}


def quality_of(row: Row) -> dict[str, Any]:
    """What the `quality` column of a scored figure says; {} where it says nothing that can be read."""
    return object_in(row.get("quality"))
