"""Yes/No questions turned around and What options shuffled, seeded by the row; How stays as it is.

A question and its negation are never answered alike, so the label is turned with the text. Source: SIQA,
section 3.2 (refinement).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from data_juicer_ext.errors import UsageError
from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.declined_answers import is_none
from data_juicer_ext.qa.option_order import permutation, shown
from data_juicer_ext.rows import seeded, visible
from data_juicer_ext.siqa.dimensions import YES_NO
from data_juicer_ext.siqa.questions import wording

PARSER_VERSION = "siqa-negation-1"
REFINED = ("question_plain", "question_negated", "negated")
"""The columns that refinement adds: both wordings of a Yes/No question ("" for others), and which one `question` is."""

_LONGEST = 600
_AUXILIARY = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|might|must)"
# "Isn't it labelled?" and "Is it not labelled?" are answered as "Is it labelled?" is: they turn nothing around.
_NEGATIVE_OPENING = re.compile(
    rf"\W{{0,4}}(?:(?:{_AUXILIARY}|ca|wo|sha)n['’]?t\b|{_AUXILIARY}\s(?:(?:it|this|that|there|they|these|those)\s)?not\b"
    r"|cannot\b)",
    re.I,
)
_OPEN_QUESTION = re.compile(r"\W{0,4}(?:what|which|how|why|where|when|who|whose|whom)\b", re.I)


@dataclass(frozen=True)
class NegationParse:
    """A negated question, "" where there is none; `problem` then says why, as a repair prompt says it."""

    kind: Literal["negation", "none", "unparsable"]
    question: str
    problem: str = ""


def parse_negation(text: str, plain: str) -> NegationParse:
    """Read <question>, the negation of `plain`, or None.

    Refused are a question that is the same text (case, spacing and punctuation aside), one that can't be answered by
    Yes or No, and one that only begins with a negative ("Isn't ..."), as its answer would be the same.
    """
    visible_text = visible(without_thinking(text))
    tags = find_tags(visible_text, ("question",))
    found = " ".join(tags[-1].content(visible_text).split()) if tags else ""
    if is_none(found.strip("*`_ .")) if tags else is_none(visible_text.strip("*`_ .\n")):
        return NegationParse("none", "")
    problem = _problem(found.strip('*`" '), plain)
    return NegationParse("unparsable", "", problem) if problem else NegationParse("negation", found.strip('*`" '))


def _problem(found: str, plain: str) -> str:
    if not re.search(r"\w", found):
        return "<question> is missing or empty"
    if len(found) > _LONGEST:
        return f"the question is longer than {_LONGEST} characters"
    if wording(found) == wording(plain):
        return "it is the same question; its answer has to be the other one"
    if _OPEN_QUESTION.match(found):
        return "it cannot be answered by Yes or No"
    if _NEGATIVE_OPENING.match(found) and not _NEGATIVE_OPENING.match(plain):
        return "a question that opens with a negative is answered like the plain one; ask for the opposite state"
    return ""


def is_yes(row: Mapping[str, Any]) -> bool:
    """Whether the answer of a Yes/No row is Yes. Raises UsageError for a row of other options or letters."""
    check_yes_no(row)
    return bool(row["answer"] == "A")


def check_yes_no(row: Mapping[str, Any]) -> None:
    """Raises UsageError unless a row has the options Yes and No, in this order, and one of them as its answer."""
    if tuple(row["options"]) != YES_NO or row["answer"] not in ("A", "B"):
        given = f"{list(row['options'])!r} with the answer {row['answer']!r}"
        raise UsageError(f"a yes_no row needs the options ['Yes', 'No'] and the answer A or B, this one has {given}")


def with_negation(row: Mapping[str, Any], negated: str, seed: int) -> dict[str, Any]:
    """A plain Yes/No row with its negated question ("" for none), which replaces the plain one in half of all rows.

    Which half is decided by `row_id` and `seed`. Raises UsageError as `check_yes_no` does.
    """
    check_yes_no(row)
    made = {**row, "question_plain": row["question"] if negated else "", "question_negated": negated, "negated": "no"}
    return turned(made) if negated and seeded("negate", seed, row["row_id"])[0] & 1 else made


def turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """A Yes/No row with its other wording, and the label turned with it. Raises UsageError where it has none."""
    check_yes_no(row)
    if not row["question_plain"] or not row["question_negated"] or row["negated"] not in ("yes", "no"):
        raise UsageError("this row has no negated question: run siqa_refine_mapper first")
    other = "yes" if row["negated"] == "no" else "no"
    question = row["question_negated"] if other == "yes" else row["question_plain"]
    return {**row, "question": question, "answer": "B" if row["answer"] == "A" else "A", "negated": other}


def orders(row: Mapping[str, Any], seed: int) -> list[tuple[int, ...]]:
    """The orders that a row's options may take, seeded; the answer stands in another place in each.

    Options that mean something only where they stand ("all of the above", sorted numbers) stay (see
    `qa.option_order`). Raises UsageError where the answer is none of the options.
    """
    options, answer = list(row["options"]), answer_index(row)
    drawn = [permutation(options, (str(row["row_id"]), "siqa", str(seed)), draw) for draw in range(len(options))]
    by_place = {order.index(answer): order for order in reversed(drawn)}
    return [by_place[place] for place in sorted(by_place)]


def reordered(row: Mapping[str, Any], order: tuple[int, ...]) -> dict[str, Any]:
    """A row whose options stand in `order`; the answer's letter moves with its option."""
    return {**row, "options": shown(row["options"], order), "answer": chr(65 + order.index(answer_index(row)))}


def shuffled(row: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A row with its options in a seeded order. Raises UsageError where the answer is none of the options."""
    answer_index(row)
    options = list(row["options"])
    return reordered(row, permutation(options, (str(row["row_id"]), "siqa", str(seed)), 0))


def answer_index(row: Mapping[str, Any]) -> int:
    """The place of the answer among the options, from 0. Raises UsageError where it is none of them."""
    letters = [chr(65 + index) for index in range(len(row["options"]))]
    if row["answer"] not in letters:
        raise UsageError(f"the answer {row['answer']!r} is none of the options {', '.join(letters)}")
    return letters.index(row["answer"])
