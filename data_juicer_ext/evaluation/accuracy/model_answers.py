"""The questions of a set, and what each model answered to them, read from the rows of `mcq_answer_mapper`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.qa.arxiv_domains import archive
from data_juicer_ext.rows import Row, to_json

GROUPS = ("domain", "figure_type", "question_type", "dimension")
NOT_SAID = "(not said)"
NOT_KNOWN = "(model not known)"
_NEEDED = ("row_id", "answer", "model_answer")


@dataclass(frozen=True)
class AnswerSource:
    """Rows of one file or run: `undecided` are those whose call failed. All are of the model `name`, if that is set."""

    place: str
    rows: Sequence[Row]
    undecided: Sequence[Row] = ()
    name: str = ""


@dataclass(frozen=True)
class GoldQuestion:
    """A question: its right letter, the number of its options (0: not known), and its groups by column."""

    answer: str
    options: int
    groups: Mapping[str, str]


@dataclass(frozen=True)
class Given:
    """What a model answered: a letter, or "" and the kind (none, several, declined, unparsable), and its whole text."""

    letter: str
    kind: str
    right: bool
    text: str


@dataclass
class AnswerSet:
    """Questions by row id; by model the answers, and why calls failed, by row id.

    `refused` tells of rows that can't be used. `repeated` counts rows that a model answered more than once in a file
    (the last counts), `miscounted` those whose `answer_correct` is another than their letters say.
    """

    questions: dict[str, GoldQuestion] = field(default_factory=dict)
    given: dict[str, dict[str, Given]] = field(default_factory=dict)
    failed: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    repeated: int = 0
    miscounted: int = 0

    @property
    def models(self) -> list[str]:
        """The models, by name."""
        return sorted({*self.given, *self.failed})

    def answered(self, model: str, row_ids: Iterable[str] | None = None) -> dict[str, Given]:
        """A model's answers, to the questions named or to all, in the order of the row ids."""
        given = self.given.get(model, {})
        return {row_id: given[row_id] for row_id in sorted(given if row_ids is None else row_ids) if row_id in given}


def read_answers(sources: Iterable[AnswerSource], by: Sequence[str] = GROUPS) -> AnswerSet:
    """Read all sources. `by` are the columns of the questions' groups; `domain` is folded into arXiv's archive.

    An answer counts as right only where it is one letter and that is the gold's. A row that is undecided in one place
    and answered in another is answered. Raises UsageError where no row of a source holds an answer, and where two
    sources hold answers of one model to the same question.
    """
    found, places = AnswerSet(), dict[tuple[str, str], str]()
    for source in sources:
        _check(source)
        for row in source.rows:
            try:
                _take(found, row, source, by, places)
            except RowError as error:
                found.refused.append(f"{source.place}: {error}")
        _take_failed(found, source, by)
    for model, failed in found.failed.items():
        found.failed[model] = {
            row_id: why for row_id, why in failed.items() if row_id not in found.given.get(model, {})
        }
    return found


def _check(source: AnswerSource) -> None:
    missing = [name for name in _NEEDED if source.rows and not any(name in row for row in source.rows)]
    if missing:
        raise UsageError(f"{source.place}: no row has {', '.join(missing)}; give an export of mcq_answer_mapper")


def _take(
    found: AnswerSet, row: Row, source: AnswerSource, by: Sequence[str], places: dict[tuple[str, str], str]
) -> None:
    row_id = _question(found, row, by)
    gold = found.questions[row_id].answer
    model = source.name or str(row.get("answer_model") or "") or NOT_KNOWN
    if (before := places.setdefault((model, row_id), source.place)) != source.place:
        raise UsageError(f"{before} and {source.place} both hold answers of {model} to the same questions; name them "
                         f"apart: --pred first={before} --pred second={source.place}")  # fmt: skip
    letter = _letter(row.get("model_answer"))
    kind = str(row.get("answer_kind") or ("letter" if letter else "unparsable"))
    if kind == "letter" and not letter:
        kind = "unparsable"
    right = kind == "letter" and letter == gold
    of_model = found.given.setdefault(model, {})
    found.repeated += row_id in of_model
    found.miscounted += row.get("answer_correct") is not None and bool(row["answer_correct"]) != right
    of_model[row_id] = Given(letter if kind == "letter" else "", kind, right, str(row.get("answer_text") or ""))


def _take_failed(found: AnswerSet, source: AnswerSource, by: Sequence[str]) -> None:
    names = sorted({str(row.get("answer_model") or "") for row in source.rows} - {""})
    model = source.name or (names[0] if len(names) == 1 else NOT_KNOWN)
    for row in source.undecided:
        try:
            row_id = _question(found, row, by)
        except RowError as error:
            found.refused.append(f"{source.place}: {error}")
            continue
        about = row.get("undecided")
        reason = about.get("reason") if isinstance(about, Mapping) else ""
        found.failed.setdefault(model, {})[row_id] = str(reason or "call failed")


def _question(found: AnswerSet, row: Row, by: Sequence[str]) -> str:
    row_id, gold = str(row.get("row_id") or ""), _letter(row.get("answer"))
    if not row_id or not gold:
        raise RowError(f"a row without {'row_id' if not row_id else 'an answer letter'}: {row_id or _start(row)}")
    known = found.questions.setdefault(
        row_id, GoldQuestion(gold, _options(row), {name: group(row, name) for name in by})
    )
    if known.answer != gold:
        raise RowError(f"{row_id}: its right answer is {gold} here and {known.answer} in another row")
    return row_id


def _start(row: Row) -> str:
    return str(dict(row))[:80]


def _letter(value: Any) -> str:
    text = str(value or "").strip().upper()
    return text if len(text) == 1 and "A" <= text <= "Z" else ""


def _options(row: Row) -> int:
    value = row.get("options")
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            return 0
    return len(value) if isinstance(value, list) else 0


def group(row: Row, name: str) -> str:
    """What a row's column says, as a group; `domain` is the archive that arXiv counts it under ("cs" for "cs.CL")."""
    value = row.get(name)
    if value is None or value == "":
        return NOT_SAID
    text = value if isinstance(value, str) else to_json(value)
    return (archive(text) if name == "domain" else text.strip()) or NOT_SAID
