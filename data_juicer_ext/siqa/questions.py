"""SIQA's questions: read from an answer as their type demands, without duplicates, and made into rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.mcq import MCQ, MCQParse, leak_problem, parse_mcq
from data_juicer_ext.rows import FIGURE_ROW, QA_ROW, add_provenance, content_id, scrub
from data_juicer_ext.siqa.descriptions import Description
from data_juicer_ext.siqa.dimensions import DIMENSIONS, HOW, QUESTION_TYPES, YES_NO

PARSER_VERSION = "siqa-question-1"
QUESTION_ROW = (*QA_ROW, "dimension")
"""The columns of a question's row."""

FIXED_OPTIONS: dict[str, tuple[str, ...]] = {"yes_no": YES_NO, "how": HOW}
"""The options of the types that have always the same."""

WHAT_OPTIONS = 4
_WORDS = re.compile(r"[^\W_]+|[^\w\s.,;:!?\"'“”‘’()*`]")
_LONGEST_QUESTION, _LONGEST_OPTION = 600, 300  # characters


@dataclass(frozen=True)
class Wanted:
    """One question to be made: along a dimension, of a type, candidate number `draw` from 0."""

    dimension: str
    question_type: str
    draw: int


@dataclass(frozen=True)
class MadeQuestion:
    """A question that was made as it was wanted."""

    wanted: Wanted
    mcq: MCQ


def wanted_questions(dimensions: Iterable[str], question_types: Iterable[str], per_combination: int) -> list[Wanted]:
    """Every dimension with every type, in the order of `DIMENSIONS` and `QUESTION_TYPES`, draws last."""
    on, types = set(dimensions), set(question_types)
    return [
        Wanted(dimension, question_type, draw)
        for dimension in DIMENSIONS if dimension in on
        for question_type in QUESTION_TYPES if question_type in types
        for draw in range(per_combination)
    ]  # fmt: skip


def parse_question(text: str, question_type: str) -> MCQParse:
    """Read a question of a type.

    `what`: <question>, <options> with four lines and <answer> with a letter. `yes_no` and `how`: <question> and
    <answer> with the word of the right option; options that the model writes all the same are not looked at, and
    a letter would mean one of those. None: no such question can be asked about the image.
    """
    parsed = parse_mcq(text)
    if question_type in FIXED_OPTIONS and parsed.kind != "none":
        parsed = _with_options(text, FIXED_OPTIONS[question_type])
    return _bounded(parsed, question_type)


def _with_options(text: str, options: tuple[str, ...]) -> MCQParse:
    shown = without_thinking(text)
    answers = find_tags(shown, ("answer",), stop=("question", "options"))
    if answers and re.fullmatch(r"[\W_]{0,8}[A-Za-z][\W_]{0,8}", answers[0].content(shown)):
        return MCQParse("unparsable", None, f"<answer> must hold a word, one of {', '.join(options)}")
    for tag in reversed(find_tags(shown, ("options",), stop=("question", "answer"))):
        shown = shown[: tag.outer_start] + shown[tag.outer_end :]
    lines = "\n".join(f"{chr(65 + index)}. {option}" for index, option in enumerate(options))
    parsed = parse_mcq(f"{shown}\n<options>\n{lines}\n</options>")
    if parsed.problem.startswith("<answer> must"):
        return MCQParse("unparsable", None, f"<answer> must hold one of {', '.join(options)}")
    return parsed


def _bounded(parsed: MCQParse, question_type: str) -> MCQParse:
    if parsed.mcq is None:
        return parsed
    if question_type == "what" and len(parsed.mcq.options) != WHAT_OPTIONS:
        given = len(parsed.mcq.options)
        return MCQParse("unparsable", None, f"<options> must hold {WHAT_OPTIONS} options, it holds {given}")
    if len(parsed.mcq.question) > _LONGEST_QUESTION or max(map(len, parsed.mcq.options)) > _LONGEST_OPTION:
        limits = f"{_LONGEST_QUESTION} characters for a question, {_LONGEST_OPTION} for an option"
        return MCQParse("unparsable", None, f"the question or an option is too long; at most {limits}")
    return parsed


def question_problem(parsed: MCQParse, caption: str) -> str:
    """What a repair prompt tells of an answer: that it can't be read, or quotes the caption; "" if all is well."""
    if parsed.kind == "unparsable":
        return parsed.problem or "no question with its answer was found"
    return leak_problem(parsed.mcq, "", (), caption, "") if parsed.mcq else ""


def wording(text: str) -> tuple[str, ...]:
    """A question's words and signs; what two have alike that differ in case, spacing and punctuation alone."""
    return tuple(word.casefold() for word in _WORDS.findall(text))


def different(questions: Iterable[MadeQuestion]) -> Iterator[MadeQuestion]:
    """The questions in order, without those whose text was there before (by `wording`)."""
    seen: set[tuple[str, ...]] = set()
    for made in questions:
        text = wording(made.mcq.question)
        if text not in seen:
            seen.add(text)
            yield made


def question_row(figure: Mapping[str, Any], made: MadeQuestion, description: Description) -> dict[str, Any]:
    """The row of a question (`QUESTION_ROW`): the figure row's columns with the question in it.

    `provenance` names the figure row, the draw and what the dimension was described as.
    """
    wanted, mcq = made.wanted, made.mcq
    question, options = scrub(mcq.question), [scrub(option) for option in mcq.options]
    kinds = (wanted.dimension, wanted.question_type)
    return {
        **{name: figure[name] for name in FIGURE_ROW},
        "row_id": content_id("qa", str(figure["row_id"]), *kinds, question, *options, mcq.answer),
        "claim": "", "question": question, "options": options, "answer": mcq.answer, "rationale": "",
        "figure_type": "", "question_type": wanted.question_type, "image_flags": "[]", "dimension": wanted.dimension,
        "provenance": add_provenance(
            figure["provenance"], figure_row_id=figure["row_id"], draw=wanted.draw, description=vars(description)
        ),
    }  # fmt: skip
