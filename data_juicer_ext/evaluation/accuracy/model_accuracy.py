"""Accuracy of models on a set of questions: over all, and by the groups of a column (VeriSciQA tables 8 to 10)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from data_juicer_ext.evaluation.accuracy.letter_bias import LetterCounts, letter_table
from data_juicer_ext.evaluation.accuracy.model_answers import GROUPS, NOT_SAID, AnswerSet
from data_juicer_ext.evaluation.accuracy.stratified_subset import stratified
from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, share

STRATA = ("domain", "figure_type", "question_type")
OVERALL = "Overall"
_BY_NAME = ("domain",)  # table 8 is in the order of the names, the others in that of their size


@dataclass(frozen=True)
class Cell:
    """One model on one group of questions.

    `n` answers, of them `right`, and `unclear` without one letter, which are wrong. `failed` calls are in none of
    these. `asked` is how many questions the group has; `chance` what guessing gets there, None where no options stand.
    """

    by: str
    value: str
    model: str
    asked: int
    n: int
    right: int
    accuracy: Measure
    unclear: int
    failed: int
    chance: float | None


@dataclass(frozen=True)
class Accuracy:
    """All that was found. `cells` are by column, group and model; `letters` see there.

    `failed` counts calls that failed, by model and reason. `unclear` lists answers without one letter. `subset` tells
    size, seed, row ids and strata, {} where the whole set was asked for.
    """

    models: list[str]
    by: list[str]
    counts: dict[str, int]
    cells: list[Cell]
    letters: list[LetterCounts]
    failed: dict[str, dict[str, int]]
    unclear: list[dict[str, str]]
    subset: dict[str, Any]
    refused: list[str]

    def cell(self, by: str, value: str, model: str) -> Cell:
        """The cell of a column's group; (OVERALL, "") is the whole set."""
        return next(cell for cell in self.cells if (cell.by, cell.value, cell.model) == (by, value, model))

    def values(self, by: str) -> list[str]:
        """The groups of a column, in the order of its table."""
        return list(dict.fromkeys(cell.value for cell in self.cells if cell.by == by))


def evaluate(found: AnswerSet, by: Sequence[str] = GROUPS, subset: int = 0, seed: int = 0) -> Accuracy:
    """The accuracy of every model by the groups of the columns `by`, which `found` was read with.

    With `subset`, over that many questions, stratified by domain, figure type and question type. A column that no
    question says anything of is left out.
    """
    row_ids, about = tuple(sorted(found.questions)), dict[str, Any]()
    if subset:
        strata = {row_id: _stratum(found, row_id) for row_id in row_ids}
        chosen = stratified(strata, subset, seed)
        row_ids = chosen.row_ids
        about = {"size": len(row_ids), "asked_for": subset, "seed": seed, "row_ids": list(row_ids),
                 "strata": [{**dict(zip(STRATA, name, strict=True)), "taken": taken, "of": of}
                            for name, (taken, of) in chosen.strata.items()]}  # fmt: skip
    said = [name for name in by if any(found.questions[row_id].groups[name] != NOT_SAID for row_id in row_ids)]
    groups = [(OVERALL, "", row_ids), *(entry for name in said for entry in _groups(found, name, row_ids))]
    cells = [_cell(found, model, *entry) for entry in groups for model in found.models]
    counts = {
        "questions": len(row_ids), "left_out_by_subset": len(found.questions) - len(row_ids),
        "repeated_answers": found.repeated, "answer_correct_disagrees": found.miscounted,
        "refused_rows": len(found.refused),
    }  # fmt: skip
    return Accuracy(found.models, said, counts, cells, letter_table(found, row_ids), _failed(found, row_ids),
                    _unclear(found, row_ids), about, found.refused)  # fmt: skip


def _stratum(found: AnswerSet, row_id: str) -> tuple[str, ...]:
    return tuple(found.questions[row_id].groups.get(name, NOT_SAID) for name in STRATA)


def _groups(found: AnswerSet, by: str, row_ids: Sequence[str]) -> list[tuple[str, str, tuple[str, ...]]]:
    members: dict[str, list[str]] = {}
    for row_id in row_ids:
        members.setdefault(found.questions[row_id].groups[by], []).append(row_id)
    order = sorted(members, key=lambda value: (0 if by in _BY_NAME else -len(members[value]), value))
    return [(by, value, tuple(members[value])) for value in order]


def _cell(found: AnswerSet, model: str, by: str, value: str, row_ids: Sequence[str]) -> Cell:
    given = found.answered(model, row_ids).values()
    right = sum(answer.right for answer in given)
    failed = sum(row_id in found.failed.get(model, {}) for row_id in row_ids)
    options = [found.questions[row_id].options for row_id in row_ids]
    return Cell(by, value, model, len(row_ids), len(given), right, share(right, len(given), "answers"),
                sum(not answer.letter for answer in given), failed, _chance(options))  # fmt: skip


def _chance(options: Sequence[int]) -> float | None:
    return fmean(1 / number for number in options) if options and all(options) else None


def _unclear(found: AnswerSet, row_ids: Sequence[str]) -> list[dict[str, str]]:
    """Answers without one letter, each with the question's row id: they count as wrong (SIQA's rule)."""
    return [
        {"model": model, "row_id": row_id, "kind": answer.kind, "answer": found.questions[row_id].answer,
         "answer_text": answer.text}
        for model in found.models
        for row_id, answer in found.answered(model, row_ids).items()
        if not answer.letter
    ]  # fmt: skip


def _failed(found: AnswerSet, row_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    chosen = set(row_ids)
    counted = {
        model: Counter(why for row_id, why in failed.items() if row_id in chosen)
        for model, failed in sorted(found.failed.items())
    }
    return {model: dict(reasons.most_common()) for model, reasons in counted.items() if reasons}
