from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from data_juicer_ext.export.rows.letter_balance import LetterBalance


def row(number: int, options: list[str] | None = None, **changed: Any) -> dict[str, Any]:
    options = options or [f"kelp{number}", "gull", "reef", "tide"]
    return {"row_id": f"q{number}", "options": options, "answer": "A", "provenance": '{"a": 1}', **changed}


def test_answers_spread_over_the_letters_and_stay_right() -> None:
    letters = LetterBalance(0)
    made = [letters.placed(row(number)) for number in range(40)]
    assert Counter(one["answer"] for one in made) == dict.fromkeys("ABCD", 10)
    for number, one in enumerate(made):
        assert one["options"]["ABCD".index(one["answer"])] == f"kelp{number}"
        order = json.loads(one["provenance"]).get("options_order", [0, 1, 2, 3])
        assert [row(number)["options"][place] for place in order] == one["options"], "the order can be taken back"
    assert letters.moved == sum(one["options"] != row(n)["options"] for n, one in enumerate(made)) > 20


def test_the_seed_decides() -> None:
    def order(seed: int) -> list[list[str]]:
        letters = LetterBalance(seed)
        return [letters.placed(row(number))["options"] for number in range(8)]

    assert order(3) == order(3) != order(4)


@pytest.mark.parametrize(
    ("options", "rationale"),
    [
        (["1", "2", "3", "4"], ""),
        (["Yes", "No"], ""),
        (["Excellent", "Good", "Fair", "Poor"], ""),
        (["low", "medium", "high"], ""),
        (["kelp", "gull", "both A and B"], ""),
        (["kelp", "gull", "reef"], "It is high, so the answer is A."),
        (["kelp", "gull", "reef"], "Option B is lower than (A)."),
    ],
)
def test_what_means_something_only_where_it_stands_stays(options: list[str], rationale: str) -> None:
    letters = LetterBalance(0)
    for number in range(4):
        given = row(number, options, rationale=rationale)
        assert letters.placed(given) == given
    assert letters.moved == 0


def test_all_of_the_above_stays_last() -> None:
    letters = LetterBalance(0)
    options = ["kelp", "gull", "reef", "All of the above"]
    assert {letters.placed(row(number, options))["options"][3] for number in range(8)} == {"All of the above"}


def test_a_broken_provenance_costs_nothing() -> None:
    letters = LetterBalance(0)
    made = [letters.placed(row(number, provenance="no json")) for number in range(4)]
    assert {one["answer"] for one in made} == set("ABCD")


def test_questions_of_different_numbers_of_options_are_counted_apart() -> None:
    letters = LetterBalance(0)
    for number in range(3):
        letters.placed(row(number, ["1", "2", "3", "4"]))  # stays, and its answers count: three times A
    two = [letters.placed(row(number, ["kelp", "gull"]))["answer"] for number in range(10, 12)]
    four = [letters.placed(row(number))["answer"] for number in range(20, 23)]
    assert sorted(two) == ["A", "B"] and sorted(four) == ["B", "C", "D"]


def test_a_row_that_stays_is_given_back_as_it_was_and_another_keeps_its_columns() -> None:
    letters = LetterBalance(0)
    made = [letters.placed(row(number, rationale="It is seen.", own=7)) for number in range(4)]
    moved = [one for one in made if "options_order" in one["provenance"]]
    assert len(moved) == letters.moved > 0
    assert all(one["own"] == 7 and json.loads(one["provenance"])["a"] == 1 for one in moved)
    assert all(one["provenance"] == '{"a": 1}' for one in made if one not in moved)


def test_a_rationale_that_names_no_letter_does_not_hold_a_row() -> None:
    letters = LetterBalance(0)
    for number in range(8):
        letters.placed(row(number, rationale="A plot of An answer to all options, (see Fig. 2)."))
    assert letters.moved > 0
