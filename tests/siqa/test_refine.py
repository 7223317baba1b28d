from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.siqa.refine import (
    answer_index,
    is_yes,
    orders,
    parse_negation,
    reordered,
    shuffled,
    turned,
    with_negation,
)

PLAIN = "Are the bonds drawn with the right angles?"


def yes_no(number: int, answer: str = "A") -> dict[str, Any]:
    return {
        "row_id": f"qa-{number}",
        "question": f"Is part {number} sound?",
        "options": ["Yes", "No"],
        "answer": answer,
    }


def what(number: int, options: list[str], answer: str = "A") -> dict[str, Any]:
    return {"row_id": f"qa-{number}", "question": "What?", "options": options, "answer": answer}


@pytest.mark.parametrize(
    ("text", "negated"),
    [("<question>Does any bond have a wrong angle?</question>", "Does any bond have a wrong angle?"),
     ("Sure.\n<question> **Is a bond angle wrong?** </question>", "Is a bond angle wrong?"),
     ("<think><question>x</question></think><question>Is it wrong?", "Is it wrong?"),
     ("<question>Draft?</question>\n<question>Are there wrong angles?</question>", "Are there wrong angles?"),
     ("<question>Is there no right angle?</question>", "Is there no right angle?")],
)  # fmt: skip
def test_a_negation_is_read(text: str, negated: str) -> None:
    parse = parse_negation(text, PLAIN)
    assert (parse.kind, parse.question, parse.problem) == ("negation", negated, "")


@pytest.mark.parametrize("text", ["None", "None.", "<question>None</question>", "<think>hm</think> none"])
def test_none_is_no_negation(text: str) -> None:
    assert parse_negation(text, PLAIN).kind == "none"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "missing or empty"), ("<question> </question>", "missing or empty"), ("Does any bond?", "missing or empty"),
     (f"<question>{PLAIN}</question>", "the same question"),
     ("<question>are  the bonds drawn, with the right angles</question>", "the same question"),
     ("<question>Aren't the bonds drawn with the right angles?</question>", "opens with a negative"),
     ("<question>Aren’t the bonds right?</question>", "opens with a negative"),
     ("<question>Are they not right?</question>", "opens with a negative"),
     ("<question>Can't the bonds be right?</question>", "opens with a negative"),
     ("<question>Is it not so that the bonds are right?</question>", "opens with a negative"),
     ("<question>Which bonds are wrong?</question>", "by Yes or No"),
     ("<question>How are they?</question>", "Yes or No"),
     (f"<question>{'Is it so? ' * 100}</question>", "longer than")],
)  # fmt: skip
def test_a_question_that_turns_nothing_around_is_refused(text: str, problem: str) -> None:
    parse = parse_negation(text, PLAIN)
    assert parse.kind == "unparsable" and problem in parse.problem and not parse.question


@given(st.text(max_size=200), st.text(max_size=80))
def test_no_text_raises(text: str, plain: str) -> None:
    parse = parse_negation(text, plain)
    assert (parse.kind == "negation") == bool(parse.question)


def test_a_turned_question_has_the_turned_label() -> None:
    rows = [with_negation(yes_no(number, "AB"[number % 2]), f"Is part {number} flawed?", 0) for number in range(400)]
    for number, row in enumerate(rows):
        plain, flawed = f"Is part {number} sound?", f"Is part {number} flawed?"
        assert (row["question_plain"], row["question_negated"]) == (plain, flawed)
        sound = number % 2 == 0  # the truth that the plain label stated
        assert row["question"] == (flawed if row["negated"] == "yes" else plain)
        assert row["answer"] == ("A" if sound == (row["question"] == plain) else "B")
        assert row["row_id"] == f"qa-{number}" and row["options"] == ["Yes", "No"]
    share = Counter(row["negated"] for row in rows)
    assert 160 < share["yes"] < 240


def test_which_rows_are_turned_hangs_on_row_and_seed_alone() -> None:
    def chosen(seed: int) -> list[str]:
        return [with_negation(yes_no(number), "Is it flawed?", seed)["negated"] for number in range(64)]

    assert chosen(0) == chosen(0) != chosen(1)


def test_a_row_without_a_negation_keeps_its_question() -> None:
    row = with_negation(yes_no(1), "", 0)
    assert row == {**yes_no(1), "question_plain": "", "question_negated": "", "negated": "no"}
    with pytest.raises(ValueError, match="siqa_refine_mapper"):
        turned(row)


def test_turning_twice_is_turning_back() -> None:
    row = with_negation(yes_no(7, "B"), "Is part 7 flawed?", 3)
    assert turned(turned(row)) == row and is_yes(turned(row)) != is_yes(row)


@pytest.mark.parametrize("change", [{"options": ["No", "Yes"]}, {"options": ["Yes"]}, {"answer": "C"}, {"answer": ""}])
def test_other_options_are_an_error(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needs the options"):
        with_negation({**yes_no(1), **change}, "Is it flawed?", 0)


@given(st.lists(st.text(max_size=12), min_size=2, max_size=4), st.integers(0, 3), st.integers(0, 9))
def test_the_answer_moves_with_its_option(options: list[str], place: int, seed: int) -> None:
    answer = "ABCD"[place % len(options)]
    row = shuffled(what(seed, options, answer), seed)
    assert sorted(row["options"]) == sorted(options)
    assert row["options"][answer_index(row)] == options["ABCD".index(answer)]
    for order in orders(what(seed, options, answer), seed):
        other = reordered(what(seed, options, answer), order)
        assert other["options"][answer_index(other)] == options["ABCD".index(answer)]


def test_every_order_has_the_answer_elsewhere() -> None:
    row = what(1, ["axis", "unit", "legend", "bar"], "B")
    assert [reordered(row, order)["answer"] for order in orders(row, 0)] == ["A", "B", "C", "D"]
    last = what(1, ["axis", "unit", "legend", "All of the above"], "A")
    assert [reordered(last, order)["answer"] for order in orders(last, 0)] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("options", "answer", "stay"),
    [(["axis", "unit", "legend", "All of the above"], "D", [3]), (["10%", "20%", "30%", "40%"], "B", [0, 1, 2, 3]),
     (["Low", "Medium", "High"], "A", [0, 1, 2]),
     (["axis", "unit", "None of these", "Both A and B"], "A", [0, 1, 2, 3])],
)  # fmt: skip
def test_options_that_mean_something_where_they_stand_stay(options: list[str], answer: str, stay: list[int]) -> None:
    for number in range(30):
        row = shuffled(what(number, options, answer), 0)
        assert [row["options"][place] for place in stay] == [options[place] for place in stay]
        if "ABCD".index(answer) in stay:
            assert row["answer"] == answer


def test_letters_even_out_over_many_rows() -> None:
    rows = [shuffled(what(number, ["axis", "unit", "legend", "bar"], "A"), 0) for number in range(800)]
    assert all(150 < count < 250 for count in Counter(row["answer"] for row in rows).values())


def test_an_answer_that_is_no_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="none of the options A, B"):
        shuffled(what(1, ["axis", "unit"], "C"), 0)


@pytest.mark.parametrize("missing", [{"question_plain": ""}, {"question_negated": ""}, {"negated": "perhaps"}])
def test_a_row_that_lacks_one_of_its_wordings_can_not_be_turned(missing: dict[str, str]) -> None:
    row = {**yes_no(1), "question_plain": "Is it there?", "question_negated": "Is it missing?", "negated": "no"}
    assert turned(row)["question"] == "Is it missing?"
    with pytest.raises(ValueError, match="no negated question"):
        turned({**row, **missing})
