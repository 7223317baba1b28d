"""The criteria that two diagrams are compared by: of the row, of a file by diagram type, or the five sub-dimensions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.diagrams.criteria import Criterion, read_document
from data_juicer_ext.diagrams.criteria import criteria_of as judges_criteria
from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import value_in

OVERALL = "overall"
_DEEPEST = 6
MOST = 60  # of one diagram; more is no list that a person works through


@dataclass(frozen=True)
class RatedCriterion:
    """One criterion: its id, its text, and the dimension that it belongs to."""

    criterion_id: str
    text: str
    dimension: str = ""


Criteria = Mapping[str, tuple[RatedCriterion, ...]]  # by diagram type


def read_criteria(path: Path) -> Criteria:
    """The criteria of a file that the judge takes as well (diagrams/criteria.py), or of a plain mapping.

    A plain mapping is diagram types, then dimensions, then lists of `{id, text}`. Raises UsageError where there are
    no criteria in it, or one id twice for a type.
    """
    told = read_document(path)
    if "types" in told:
        judged = judges_criteria(told, str(path)).types
        found = {code: tuple(map(_of_judge, entry.criteria)) for code, entry in judged.items()}
    else:
        found = {str(name): tuple(_within(part)) for name, part in told.items()}
    found = {name: criteria for name, criteria in found.items() if criteria}
    if not found:
        raise UsageError(f"{path}: no criteria; write diagram types, in each dimensions, in each a list of id and text")
    for name, criteria in found.items():
        if problem := _problem(criteria):
            raise UsageError(f"{path}: {name}: {problem}")
    return found


def _of_judge(criterion: Criterion) -> RatedCriterion:
    """Its text alone: weights, and what the judge is told of people's preferences, are not for raters."""
    return RatedCriterion(criterion.id, criterion.text, criterion.part)


def criteria_of(row: Mapping[str, Any]) -> tuple[RatedCriterion, ...]:
    """The criteria in a row's column `criteria` (JSON); () where there are none that can be used."""
    found = tuple(_within(value_in(row.get("criteria"))))
    return () if _problem(found) else found


def _problem(criteria: tuple[RatedCriterion, ...]) -> str:
    ids = [criterion.criterion_id for criterion in criteria]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        return f"the id {twice[0]} is there twice"
    if OVERALL in ids:
        return f"the id {OVERALL} stands for the whole diagram; name the criterion otherwise"
    return f"{len(ids)} criteria; at most {MOST} can be asked of a person" if len(ids) > MOST else ""


def _within(told: Any, dimension: str = "", depth: int = 0) -> Iterator[RatedCriterion]:
    """All objects with an id and a text, wherever they stand, with the name that they stand under."""
    if depth > _DEEPEST:
        return
    if isinstance(told, Mapping) and told.get("id") and told.get("text"):
        yield RatedCriterion(str(told["id"])[:200], str(told["text"]), str(told.get("dimension") or dimension))
    elif isinstance(told, Mapping):
        for name, part in told.items():
            yield from _within(part, str(name), depth + 1)
    elif isinstance(told, (list, tuple)):
        for part in told:
            yield from _within(part, dimension, depth + 1)
