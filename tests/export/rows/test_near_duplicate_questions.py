from __future__ import annotations

import pytest

from data_juicer_ext.export.rows.first_pass import RowEntry
from data_juicer_ext.export.rows.left_out import LeftOut
from data_juicer_ext.export.rows.near_duplicate_questions import nearly_the_same, thin
from tests.export.made_runs import entry


def question(asked: str, answered: str = "6", row_id: str = "q", figure: str = "f") -> RowEntry:
    return entry(row_id, asked=asked, answered=answered, figure=figure)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How many layers are there?", "How many layers  are there"),
        ("How many layers are there?", "how many LAYERS are there?"),
        (
            "Which of the methods has the highest accuracy on CIFAR?",
            "Which of the methods has highest accuracy on CIFAR?",
        ),
        ("What is shown at 3.5 mm?", "“What is shown at 3.5 mm?”"),
    ],
)
def test_questions_that_ask_the_same_are_one(first: str, second: str) -> None:
    assert nearly_the_same(question(first), question(second), 0.9)
    assert not nearly_the_same(question(first), question(second), 0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is the accuracy of the model in 2010?", "What is the accuracy of the model in 2011?"),
        ("How many layers does the encoder have?", "How many layers does the decoder have?"),
        ("Is the x axis titled?", "Is the y axis titled?"),
        ("Is a > b?", "Is a < b?"),
        ("What is it at -5 degrees on the long scale here?", "What is it at 5 degrees on the long scale here?"),
        ("", ""),
    ],
)
def test_questions_that_differ_in_what_they_ask_are_two(first: str, second: str) -> None:
    assert not nearly_the_same(question(first), question(second), 0.9)


def test_another_right_answer_makes_another_question_unless_the_words_are_the_same() -> None:
    highest = "Which of the eleven methods that are compared has the highest accuracy on the large set of images?"
    lowest = highest.replace("highest", "lowest")
    assert not nearly_the_same(question(highest, "A"), question(lowest, "B"), 0.85)
    assert nearly_the_same(question(highest, "A"), question(highest, "B"), 0.9), "one of them is wrong"


def test_the_threshold_decides() -> None:
    pair = (
        question("How many blocks does the long mixer have here?"),
        question("How many blocks does the mixer have here?"),
    )
    assert nearly_the_same(*pair, 0.6) and not nearly_the_same(*pair, 0.99)


def test_only_questions_about_one_figure_are_compared_and_each_fall_is_named() -> None:
    entries = [question("Same?", row_id=f"q{n}", figure=f"f{n % 2}") for n in range(4)]
    left_out = LeftOut()
    stay = thin(entries, lambda one: one.figure, 0.9, 0, 0, left_out)
    assert len(stay) == 2 and {one.figure for one in stay} == {"f0", "f1"}
    assert left_out.counts() == {"near_duplicate_question": 2}
    assert all("asks what q" in message for _, _, message in left_out.rows)


def test_the_limit_is_kept_and_the_choice_hangs_on_the_seed_alone() -> None:
    entries = [question(f"Question {n * 137}?", row_id=f"q{n:02}") for n in range(12)]
    chosen = {}
    for seed in (0, 1):
        left_out = LeftOut()
        stay = thin(entries, lambda one: "f", 0.9, 3, seed, left_out)
        chosen[seed] = [one.row_id for one in stay]
        assert len(stay) == 3 and left_out.counts() == {"over_the_limit": 9}
        again = thin(entries[::-1], lambda one: "f", 0.9, 3, seed, LeftOut())
        assert sorted(one.row_id for one in again) == chosen[seed]
    assert chosen[0] != chosen[1]


def test_just_as_like_as_asked_for_is_the_same() -> None:
    pair = question("alpha beta gamma delta"), question("alpha beta gamma delta")
    assert nearly_the_same(*pair, 1.0)
    # Three of four words in common, and a Levenshtein ratio far above.
    pair = question("kelps gulls reefs"), question("kelps gulls reefs tide")
    assert nearly_the_same(*pair, 0.75) and not nearly_the_same(*pair, 0.76)


def test_words_in_common_are_not_enough_where_their_order_makes_another_text() -> None:
    pair = question("alpha beta gamma delta epsilon"), question("epsilon delta gamma beta alpha")
    assert not nearly_the_same(*pair, 0.9) and nearly_the_same(*pair, 0.3)


def test_small_words_alone_have_all_in_common() -> None:
    assert nearly_the_same(question("Is it the?"), question("Is it a?"), 0.6)


def test_a_limit_counts_what_stays_and_not_what_fell() -> None:
    entries = [question(text, row_id=f"q{n}") for n, text in enumerate(["Same?", "Same", "Other 1?", "Other 22?"])]
    left_out = LeftOut()
    stay = thin(entries, lambda one: "f", 0.9, 3, 0, left_out)
    assert len(stay) == 3 and left_out.counts() == {"near_duplicate_question": 1}
    assert [one.row_id for one in stay] == sorted(one.row_id for one in stay), "in the order in which they came"
    assert thin(entries, lambda one: "f", 0.9, 0, 0, LeftOut()) == stay
