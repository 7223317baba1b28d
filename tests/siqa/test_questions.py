from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.mcq import MCQ
from data_juicer_ext.rows import FIGURE_ROW, Figure, figure_row
from data_juicer_ext.siqa.descriptions import Description
from data_juicer_ext.siqa.dimensions import ASPECT_OF, ASPECTS, DIMENSIONS, HOW, QUESTION_TYPES, dimensions_of, some_of
from data_juicer_ext.siqa.questions import (
    QUESTION_ROW,
    MadeQuestion,
    Wanted,
    different,
    parse_question,
    question_problem,
    question_row,
    wanted_questions,
)

YES = "<question>Is there a scale bar in panel (b)?</question>\n<answer>Yes</answer>"
WHAT = (
    "<question>What is missing?</question><options>\nA. axis\nB. unit\nC. legend\nD. bar\n</options><answer>C</answer>"
)
HOW_TEXT = "<question>How readable are the labels?</question><answer>Fair</answer>"


def test_twelve_combinations_with_numbered_draws() -> None:
    assert len(wanted_questions(DIMENSIONS, QUESTION_TYPES, 1)) == 12
    wanted = wanted_questions(DIMENSIONS, QUESTION_TYPES, 3)
    assert len(set(wanted)) == 36 and [one.draw for one in wanted[:4]] == [0, 1, 2, 0]
    assert [one.dimension for one in wanted_questions(["cognitive_clarity"], ["how", "yes_no"], 1)] == [
        "cognitive_clarity"
    ] * 2
    assert sorted(name for aspect in ASPECTS for name in dimensions_of(aspect)) == sorted(ASPECT_OF)


@pytest.mark.parametrize("given_names", ["cognitive_clarity", ["beauty"], [3]])
def test_names_are_checked(given_names: Any) -> None:
    with pytest.raises(ValueError, match="dimensions"):
        some_of("dimensions", given_names, DIMENSIONS)
    assert some_of("dimensions", ["cognitive_clarity", "scientific_validity"], DIMENSIONS) == [
        "scientific_validity", "cognitive_clarity",
    ]  # fmt: skip
    assert some_of("dimensions", None, DIMENSIONS) == some_of("dimensions", [], DIMENSIONS) == list(DIMENSIONS)


def mcq_of(text: str, question_type: str) -> MCQ:
    parsed = parse_question(text, question_type)
    assert parsed.mcq is not None, parsed.problem
    return parsed.mcq


@pytest.mark.parametrize("said", ["Yes", "yes.", "**Yes**", "A. Yes", '"Yes"'])
def test_yes_and_no_are_read_as_letters(said: str) -> None:
    assert mcq_of(YES.replace(">Yes<", f">{said}<"), "yes_no").answer == "A"
    assert mcq_of(YES.replace(">Yes<", ">No<"), "yes_no").answer == "B"
    assert mcq_of(YES, "yes_no").options == ("Yes", "No")


@pytest.mark.parametrize("place", range(4))
def test_how_has_always_the_same_options(place: int) -> None:
    found = mcq_of(HOW_TEXT.replace("Fair", HOW[place]), "how")
    assert found.options == ("Excellent", "Good", "Fair", "Poor") and found.answer == "ABCD"[place]


def test_own_options_of_a_fixed_type_are_not_looked_at_and_a_letter_is_refused() -> None:
    own = YES.replace("<answer>", "<options>\nA. No\nB. Yes\n</options>\n<answer>")
    assert mcq_of(own, "yes_no").options == ("Yes", "No") and mcq_of(own, "yes_no").answer == "A"
    for letter in ("A", "B", "(a)", "**B**"):
        parsed = parse_question(own.replace(">Yes<", f">{letter}<"), "yes_no")
        assert parsed.kind == "unparsable" and "must hold a word" in parsed.problem
    assert "one of Yes, No" in parse_question(YES.replace(">Yes<", ">Maybe<"), "yes_no").problem
    assert "Excellent, Good" in parse_question(HOW_TEXT.replace("Fair", "Bad"), "how").problem


def test_what_has_four_options() -> None:
    assert mcq_of(WHAT, "what") == MCQ("What is missing?", ("axis", "unit", "legend", "bar"), "C")
    three = parse_question(WHAT.replace("D. bar\n", ""), "what")
    assert three.kind == "unparsable" and "it holds 3" in three.problem


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_none_and_long_and_broken_answers(question_type: str) -> None:
    assert parse_question("None", question_type).kind == "none"
    assert parse_question("<think>hm</think>\nNone.", question_type).kind == "none"
    assert parse_question("I would ask about the axes.", question_type).problem
    text = {"yes_no": YES, "what": WHAT, "how": HOW_TEXT}[question_type]
    long = text.replace("<question>", f"<question>{'Is it so and so, ' * 60}")
    assert "too long" in parse_question(long, question_type).problem


@given(st.text(max_size=300), st.sampled_from(QUESTION_TYPES))
def test_no_text_raises(text: str, question_type: str) -> None:
    parsed = parse_question(text, question_type)
    assert (parsed.kind == "mcq") == (parsed.mcq is not None)


TAGS = ["<question>", "</question>", "<answer>", "</answer>", "<options>", "</options>", "<think>", "</think>"]


@given(st.lists(st.sampled_from([*TAGS, "Yes", "A. No\n", "Is it?", "None", "\n"]), max_size=14))
def test_tags_in_any_order_never_raise(parts: list[str]) -> None:
    for question_type in QUESTION_TYPES:
        parse_question("".join(parts), question_type)


def test_a_quoted_caption_is_a_problem() -> None:
    caption = "Growth of barley seedlings under four lamps over twenty days in spring"
    quoting = parse_question(YES.replace("a scale bar in panel (b)", f"any {caption}"), "yes_no")
    assert question_problem(quoting, caption).startswith("quotes_caption")
    assert question_problem(parse_question(YES, "yes_no"), caption) == ""
    pointing = parse_question(YES.replace("in panel (b)", "according to the caption"), "yes_no")
    assert question_problem(pointing, "").startswith("names_source")


def made(question: str, draw: int = 0, dimension: str = "cognitive_clarity") -> MadeQuestion:
    return MadeQuestion(Wanted(dimension, "yes_no", draw), MCQ(question, ("Yes", "No"), "A"))


def test_the_same_text_is_asked_once() -> None:
    several = [made("Is it sharp?"), made("Is it even?"), made(" is it SHARP ", 1), made("Is it even?", 0, "x")]
    assert [one.mcq.question for one in different(several)] == ["Is it sharp?", "Is it even?"]
    signs = [made("Is x > 1?"), made("Is x < 1?"), made("Is x > 1.5?")]
    assert list(different(signs)) == signs


def test_a_question_row() -> None:
    figure = figure_row({"paper_id": "p", "domain": "cs.CV"}, Figure(figure_id="1", caption="c", images=["a.png"]))
    row = question_row(figure, made("Is it sharp?", 2), Description("sharp", "blurred"))
    assert tuple(sorted(row)) == tuple(sorted(QUESTION_ROW))
    assert {name: row[name] for name in FIGURE_ROW if name not in ("row_id", "provenance")} == {
        name: figure[name] for name in FIGURE_ROW if name not in ("row_id", "provenance")
    }
    assert (row["dimension"], row["question_type"], row["claim"]) == ("cognitive_clarity", "yes_no", "")
    told = json.loads(row["provenance"])
    assert told["figure_row_id"] == figure["row_id"] and told["draw"] == 2
    assert told["description"] == {"good": "sharp", "bad": "blurred"}
    assert row["row_id"] == question_row(figure, made("Is it sharp?", 3), Description("a", "b"))["row_id"]
    assert row["row_id"] != question_row(figure, made("Is it even?"), Description("a", "b"))["row_id"]


@pytest.mark.parametrize(
    ("question", "option", "kind"), [(600, 300, "mcq"), (601, 300, "unparsable"), (600, 301, "unparsable")]
)
def test_how_long_a_question_and_an_option_may_be(question: int, option: int, kind: str) -> None:
    text = WHAT.replace("What is missing?", f"{'q' * (question - 1)}?").replace("legend", "o" * option)
    parsed = parse_question(text, "what")
    assert (parsed.mcq is not None) == (kind == "mcq")
    assert (kind == "mcq") or "600 characters for a question, 300 for an option" in parsed.problem
