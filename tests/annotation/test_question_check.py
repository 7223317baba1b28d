from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.annotation.question_check import index_of, option_text, question_problem

GOOD: dict[str, Any] = {"question": "Which?", "options": ["a", "b", "c"], "answer": "C"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, ""),
        ({"options": ["Yes", "No"], "answer": "B"}, ""),
        ({"question": " "}, "no question"),
        ({"question": None}, "no question"),
        ({"options": None}, "2 to 26"),
        ({"options": "abc"}, "2 to 26"),
        ({"options": ["a"]}, "2 to 26"),
        ({"options": ["a"] * 27}, "2 to 26"),
        ({"answer": ""}, "from A to C"),
        ({"answer": "D"}, "from A to C"),
        ({"answer": "c"}, "from A to C"),
        ({"answer": "AB"}, "from A to C"),
    ],
)
def test_what_can_be_put_to_a_model(changes: dict[str, Any], says: str) -> None:
    problem = question_problem({**GOOD, **changes}, needs_answer=True)
    assert says in problem and bool(problem) == bool(says)


def test_a_question_without_an_answer_can_be_asked() -> None:
    assert question_problem({**GOOD, "answer": ""}) == ""


def test_letters_and_what_they_mean() -> None:
    assert [index_of(letter, 3) for letter in ("A", "C", "D", "", "AB", "@")] == [0, 2, None, None, None, None]
    assert option_text(["a", "b"], "B") == "b" and option_text(["a", "b"], "C") == "C"
