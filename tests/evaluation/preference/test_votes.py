from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.evaluation.preference.votes import (
    CONFLICT,
    TOO_FEW,
    Human,
    PairVote,
    aggregate,
    by_pair,
    votes_of_ratings,
    votes_of_rows,
)
from data_juicer_ext.ratings.rating_file import Rating

STRENGTHS = st.lists(st.integers(-2, 2), min_size=1, max_size=6)


def of(*strengths: float) -> Human:
    return aggregate("p", {f"r{n}": strength for n, strength in enumerate(strengths)})


@pytest.mark.parametrize(
    ("strengths", "direction", "strength", "left_out"),
    [
        ((2, 1, 1), 1, 1, ""),
        ((-2, -1, 0), -1, -1, ""),
        ((0, 1, 2), 1, 1, ""),
        ((-2, -2, 1), 0, -2, CONFLICT),
        ((2, 0, 0), 0, 0, TOO_FEW),
        ((0, 0, 0), 0, 0, TOO_FEW),
        ((1, -1), 0, 0, CONFLICT),
        ((2,), 0, 2, TOO_FEW),
        ((1, 2), 1, 1.5, ""),
        ((1, 1, 0, 0, 0), 1, 0, ""),
    ],
)
def test_raters_are_taken_together(strengths: tuple[int, ...], direction: int, strength: float, left_out: str) -> None:
    assert of(*strengths) == Human("p", direction, strength, left_out)


@given(STRENGTHS)
def test_turning_the_sides_turns_the_answer_and_the_order_of_raters_does_not_matter(strengths: list[int]) -> None:
    found, turned = of(*strengths), of(*(-strength for strength in strengths))
    assert (turned.direction, turned.strength, turned.left_out) == (-found.direction, -found.strength, found.left_out)
    assert of(*sorted(strengths)) == found
    assert bool(found.direction) != bool(found.left_out)


def test_a_preference_that_is_made_already_counts_as_it_is() -> None:
    assert aggregate("p", {"": -1.5}) == Human("p", -1, -1.5)
    assert aggregate("p", {"": 0.0}) == Human("p", 0, 0.0, TOO_FEW)


def test_votes_of_the_review_page_and_of_plain_rows() -> None:
    ratings = [
        Rating("anna", "scidiag", "p", {"overall": -2, "criteria": {"c": 1}}, shown_first="generated"),
        Rating("anna", "siqa", "p", {"perception": 1}),
        Rating("ben", "scidiag", "p", {"criteria": {}}),
    ]
    votes, refused = votes_of_ratings(ratings)
    assert votes == [PairVote("anna", "p", -2.0)] and refused == [
        "ben: p: the preference is None, not a number from -2 to 2"
    ]
    rows: list[dict[str, Any]] = [
        {"row_id": "p", "annotator": "anna", "overall": 1}, {"row_id": "p", "annotator": "anna", "overall": -2},
        {"row_id": "q", "strength": 1.5}, {"row_id": "r", "rater": "b", "preference": 3}, {"overall": 1},
    ]  # fmt: skip
    votes, refused = votes_of_rows(rows)
    assert votes == [PairVote("anna", "p", -2.0), PairVote("", "q", 1.5)]
    assert refused[0] == "r: the preference is 3, not a number from -2 to 2" and "without row_id" in refused[1]
    assert by_pair([PairVote("b", "p", 1), PairVote("a", "q", 2), PairVote("a", "p", 0)]) == {
        "p": {"a": 0, "b": 1},
        "q": {"a": 2},
    }
