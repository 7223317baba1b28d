from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.mcq import MCQ, leak_problem, parse_mcq

GOOD = MCQ("Which curve is highest at 5 K?", ("Red", "Blue", "Green"), "B")
HEAD = "<question>Which curve is highest at 5 K?</question>\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "<options>\nA. Red\nB. Blue\nC. Green\n</options>\n<answer>B</answer>",
        HEAD + "<options>\nA) Red\nB) Blue\nC) Green\n</options>\n<answer>B) Blue</answer>",
        HEAD + "<options>\n(A) Red\n(B) Blue\n(C) Green\n</options>\n<answer>(B)</answer>",
        HEAD + "<options>\nA: Red\nB: Blue\nC: Green\n</options>\n<answer>B: Blue</answer>",
        HEAD + "<options>\n**A.** Red\n**B.** Blue\n**C.** Green\n</options>\n<answer>**B**</answer>",
        HEAD + "<options>\n- A. Red\n- B. Blue\n- C. Green\n</options>\n<answer>Blue</answer>",
        HEAD + "<options>\n\nA. Red\n\nB. Blue\n\nC. Green\n\n</options>\n<answer>\nB\n</answer>",
        HEAD + "<options>A. Red B. Blue C. Green</options>\n<answer>B.</answer>",
        HEAD + "<options>A. Red; B. Blue; C. Green</options><answer>B</answer>",
        HEAD + "<options>\na. Red\nb. Blue\nc. Green\n</options>\n<answer>b</answer>",
        HEAD + "<options>\nA. Red\nB. Blue\nC. Green\n<answer>B",
        "<question>Which curve is\nhighest at 5 K?\n<options>\nA. Red\nB. Blue\nC. Green\n</options><answer>B</answer>",
        "Here:\n```\n" + HEAD + "<options>\nA. Red\nB. Blue\nC. Green\n</options>\n<answer>Answer: B</answer>\n```",
        "<think>" + HEAD + "</think>" + HEAD + "<options>\nA. Red\nB. Blue\nC. Green\n</options>\n<answer>B</answer>",
        "<Question>**Question:** Which curve is highest at 5 K?</Question>"
        "<Options>\nA. **Red**\nB. Blue\nC. Green</Options><Answer>B</Answer>",
        HEAD + "<options>\nA. Red\nB. Blue\nC. Green\n</options>\n<answer>B</answer>\n\n"
        "<question>Another?</question><options>\nA. x\nB. y</options><answer>A</answer>",
    ],
    ids=repr,
)  # fmt: skip
def test_questions_as_models_write_them(text: str) -> None:
    parse = parse_mcq(text)
    assert (parse.kind, parse.mcq, parse.problem) == ("mcq", GOOD, "")


def test_options_keep_math_and_run_over_lines() -> None:
    parse = parse_mcq(HEAD + "<options>\nA. $x < 1$ and\n   falling\nB. $\\nu > 1$\n</options><answer>A</answer>")
    assert parse.mcq is not None and parse.mcq.options == ("$x < 1$ and falling", r"$\nu > 1$")


@pytest.mark.parametrize(
    "text",
    ["None", "None.", "**None**", "none\n\nThe description is too vague.", "<question>None</question>",
     "<think>Vague.</think>\nNone", "<None>", "```\nNone\n```", "\n\n  ```text\nNone\n```\n"],
    ids=repr,
)  # fmt: skip
def test_none(text: str) -> None:
    assert parse_mcq(text).kind == "none"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "<question> is missing"),
        ("I cannot do that.", "<question> is missing"),
        ("<options>\nA. x\nB. y</options><answer>A</answer>", "<question> is missing"),
        ("<question>  </question><options>\nA. x\nB. y</options><answer>A</answer>", "<question> is missing"),
        ("<question>?</question><options>\nA. x\nB. y</options><answer>A</answer>", "<question> is missing"),
        (HEAD + "<answer>A</answer>", "<options> is missing"),
        (HEAD + "<options>\nA. x\nB. y</options>", "<answer> is missing"),
        (HEAD + "<options>\nA. x\nB. y</options>" + HEAD + "<answer>A</answer>", "<answer> is missing"),
        (HEAD + "<options>\nA. x</options><answer>A</answer>", "2 to 4"),
        (HEAD + "<options>\nx\ny</options><answer>A</answer>", "2 to 4"),
        (HEAD + "<options>\nA. x\nB. y\nC. z\nD. u\nE. v</options><answer>A</answer>", "2 to 4"),
        (HEAD + "<options>\nA. x\nC. y</options><answer>A</answer>", "lettered A, B"),
        (HEAD + "<options>\nB. x\nC. y</options><answer>B</answer>", "lettered A, B"),
        (HEAD + "<options>\nA. x\nA. y</options><answer>A</answer>", "lettered A, B"),
        (HEAD + "<options>\nA. rises\nB. Rises.</options><answer>A</answer>", "A and B are the same"),
        (HEAD + "<options>\nA. x\nB.\nC. z</options><answer>A</answer>", "option B is empty"),
        (HEAD + "<options>\nA. x\nB. y</options><answer>C</answer>", "exactly one letter from A to B"),
        (HEAD + "<options>\nA. x\nB. y</options><answer>A, B</answer>", "exactly one letter"),
        (HEAD + "<options>\nA. x\nB. y</options><answer>None</answer>", "exactly one letter"),
    ],
)
def test_what_is_wrong_is_said(text: str, problem: str) -> None:
    parse = parse_mcq(text)
    assert (parse.kind, parse.mcq) == ("unparsable", None)
    assert problem in parse.problem


@given(st.text(max_size=200))
def test_any_text_is_parsed(text: str) -> None:
    for answer in (text, HEAD + f"<options>\nA. x\nB. {text}\n</options><answer>A</answer>"):
        parse = parse_mcq(answer)
        assert (parse.mcq is None) == (parse.kind != "mcq")
        if parse.mcq:
            assert 2 <= len(parse.mcq.options) <= 4 and parse.mcq.answer in "ABCD"[: len(parse.mcq.options)]


CAPTION = "Melting rate of ice against temperature for three salts, with error bars of one sigma."
CONTEXT = (
    r"The rate doubles above 300 K for the first salt but hardly changes for both of the others (Fig.~\ref{fig:m})."
)


def problem_of(question: str, options: tuple[str, ...] = ("Red", "Blue")) -> str:
    """The reason why a question is refused."""
    mcq = MCQ(question, options, "A")
    return leak_problem(mcq, "fig:m", ["fig:m", "results"], CAPTION, CONTEXT).partition(":")[0]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which salt has the highest melting rate at 300 K?", ""),
        ("Which results differ most between the salts?", ""),
        ("Based on the text label in the upper box, what comes next?", ""),
        ("How does the melting rate change with temperature?", ""),
        ("In fig:m, which salt is highest?", "quotes_label"),
        ("In 'results', which salt is highest?", "quotes_label"),
        ("In fig:melt, which salt is highest?", ""),
        (r"In Figure \ref{other}, which salt is highest?", "latex_reference"),
        ("According to the description, which salt is highest?", "names_source"),
        ("According to the given caption, which salt is highest?", "names_source"),
        ("Based on the figure's caption, which salt is highest?", "names_source"),
        ("Which salt, as stated in the text, is highest?", "names_source"),
        ("What does the paragraph say about the salts?", "names_source"),
        ("Which salt is highest as described by the authors?", "names_source"),
        (CAPTION, "quotes_caption"),
        ("Which is the rate of ice against temperature for three salts here?", "quotes_caption"),
        ("Is it so that the rate doubles above 300 K for the first salt but hardly changes?", "quotes_text"),
    ],
)
def test_leaks(question: str, reason: str) -> None:
    assert problem_of(question) == reason


def test_leaks_in_options_and_with_nothing_given() -> None:
    assert problem_of("Which?", ("as in fig:m", "other")) == "quotes_label"
    assert leak_problem(GOOD, "", [], "", "") == ""


@pytest.mark.parametrize(
    "piece", ["<question>", "A. ", "A. x\n", "(", "according to the ", "<options>", "stated in the ", " "]
)
def test_long_hostile_answers_end(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert parse_mcq(text).mcq is None
    assert parse_mcq(f"<question>{text}</question><options>{text}</options><answer>{text}</answer>").mcq is None
    assert isinstance(leak_problem(MCQ(text, (text, "x"), "A"), "fig:a", [], text, text), str)


def test_case_tells_short_options_apart() -> None:
    parse = parse_mcq("<question>In which unit?</question>\n<options>\nA. mW\nB. MW</options><answer>B</answer>")
    assert parse.mcq is not None and parse.mcq.options == ("mW", "MW")


def test_invisible_characters_are_no_option() -> None:
    parse = parse_mcq("<question>Which?</question>\n<options>\nA. \u200b\nB. b\u202e</options><answer>B</answer>")
    assert parse.kind == "unparsable"
