"""Ratings by the softmax over level tokens, against numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.models.http.completion import LEAST
from data_juicer_ext.models.types import TokenChoices
from data_juicer_ext.siqa.rating import (
    ModelRating,
    mean_of_draws,
    rating_by_logprobs,
    rating_of_level,
    token_level,
)
from data_juicer_ext.siqa.rating_levels import LEVELS

ln = math.log


def choices(drawn: str, **probabilities: float) -> TokenChoices:
    """A place where `drawn` was drawn, with probabilities of tokens by name."""
    first = (drawn, ln(probabilities.pop(drawn)))
    return (first, *((token, ln(value)) for token, value in probabilities.items()))


def rated(text: str, *places: TokenChoices) -> ModelRating:
    found = rating_by_logprobs(text, places)
    assert found is not None
    return found


def test_by_hand() -> None:
    found = rated("Good", choices("Good", Good=0.5, Fair=0.2, Excellent=0.1, Poor=0.1, Bad=0.1))
    assert found.score == pytest.approx(4 * 0.5 + 3 * 0.2 + 5 * 0.1 + 2 * 0.1 + 1 * 0.1) == pytest.approx(3.4)
    assert found.method == "logprobs"
    assert found.levels == {"Bad": 0.1, "Poor": 0.1, "Fair": 0.2, "Good": 0.5, "Excellent": 0.1}
    assert found.detail == {"mass": 1.0, "missing": [], "missing_below": 0.1}


def test_the_softmax_is_over_the_levels_alone() -> None:
    """(4 e^-1 + 3 e^-2) / (e^-1 + e^-2) = (4 e + 3) / (e + 1), whatever else is likely."""
    place: TokenChoices = (("Good", -1.0), ("Fair", -2.0), ("The", -1.2), ("Image", -3.0))
    found = rated("Good", place)
    assert found.score == pytest.approx((4 * math.e + 3) / (math.e + 1), abs=1e-6) == pytest.approx(3.731059, abs=1e-6)
    assert found.detail["mass"] == pytest.approx(math.exp(-1) + math.exp(-2), abs=1e-6)


def test_logits_that_differ_by_a_constant_give_the_same() -> None:
    near: TokenChoices = (("Good", -0.5), ("Bad", -1.5), ("Fair", -2.5))
    far: TokenChoices = tuple((token, value - 700.0) for token, value in near)  # exp of these is 0 in floating point
    assert rated("Good", near).score == pytest.approx(rated("Good", far).score)


def test_a_missing_level_gets_nothing_and_its_bound_is_told() -> None:
    found = rated("Good", choices("Good", Good=0.6, Fair=0.3, Poor=0.06, The=0.04))
    assert found.score == pytest.approx((4 * 0.6 + 3 * 0.3 + 2 * 0.06) / 0.96, abs=1e-6)
    assert found.detail["missing"] == ["Bad", "Excellent"] and found.detail["missing_below"] == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("variant", "token"),
    [("blank", " Good"), ("sentencepiece", "▁Good"), ("byte level", "Ġgood"), ("case", "GOOD"), ("mark", "Good."),
     ("line", "\nGood"), ("quote", '"Good'), ("beginning", "Go")],
)  # fmt: skip
def test_spellings_of_one_level_count_together(variant: str, token: str) -> None:
    place: TokenChoices = (("Good", ln(0.3)), (token, ln(0.2)), (" Fair", ln(0.1)), ("fair", ln(0.15)))
    found = rated("Good", place)
    assert found.score == pytest.approx((4 * 0.5 + 3 * 0.25) / 0.75, abs=1e-6), variant
    assert found.levels == {"Fair": pytest.approx(1 / 3, abs=1e-6), "Good": pytest.approx(2 / 3, abs=1e-6)}


@pytest.mark.parametrize("pieces", [["Ex", "cellent"], ["Exc", "ellent"], ["E", "xc", "ell", "ent"], [" Excel", "lent"],
                                    ["▁Ex", "cellent"], ["ĠE", "xcellent"], ["ex", "cellent", "."]])  # fmt: skip
def test_a_split_level_is_its_first_token(pieces: list[str]) -> None:
    first: TokenChoices = ((pieces[0], ln(0.5)), ("Good", ln(0.25)), ("Goo", ln(0.05)), ("Fa", ln(0.1)))
    rest: list[TokenChoices] = [((piece, -0.01), ("x", -5.0)) for piece in pieces[1:]]
    found = rated("Excellent", first, *rest)
    assert found.score == pytest.approx((5 * 0.5 + 4 * 0.3 + 3 * 0.1) / 0.9, abs=1e-6)


def test_one_place_alone_will_do_for_a_split_level() -> None:
    assert rated("Excellent", choices("Exc", Exc=0.5, Good=0.5)).score == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("token", "level"),
    [("Good", 4), (" good", 4), ("Go", 4), ("Fa", 3), ("Fai", 3), ("Ba", 1), ("Po", 2), ("Ex", 5), ("excellen", 5),
     ("F", None), ("E", None), ("B", None), ("Goodness", None), ("Fairly", None), ("Go.", None), ("", None),
     ("**", None), ("Very", None), ("Ok", None), ("4", None), ("Fu", None), ("Good Fair", None), ("Badge", None)],
)  # fmt: skip
def test_tokens(token: str, level: int | None) -> None:
    assert token_level(token) == level


@pytest.mark.parametrize(
    "before", [["\n"], ['"'], ["**"], ["\n\n", "**"], [" "], ["Quality", ":"], ["The", " level", " is"]]
)
def test_the_level_need_not_come_first(before: list[str]) -> None:
    lead: list[TokenChoices] = [((token, -0.1), ("x", -3.0)) for token in before]
    text = "".join(before).strip() + " Good"
    found = rated(text, *lead, choices(" Good", **{" Good": 0.75, " Fair": 0.25}), (("**", -0.1),))
    assert found.score == pytest.approx(3.75)


def test_the_place_where_the_level_was_drawn_counts_before_one_that_only_might_have() -> None:
    lead = choices("The", The=0.9, Bad=0.02, Poor=0.01)
    assert rated("The level is Good", lead, choices(" Good", **{" Good": 0.8, " Fair": 0.2})).score == pytest.approx(
        3.8
    )


def test_without_a_drawn_level_the_first_alternatives_count() -> None:
    places = (choices("I", I=0.5, Poor=0.3, Bad=0.1), choices(" can", **{" can": 0.9, "Good": 0.1}))
    found = rated("I can say", *places)
    assert found.score == pytest.approx((2 * 0.3 + 1 * 0.1) / 0.4) and found.detail["mass"] == pytest.approx(0.4)


def test_a_text_that_names_levels_without_giving_one_has_no_rating() -> None:
    places = (choices("not", **{"not": 0.9, "Good": 0.1}), choices(" Good", **{" Good": 0.9}))
    assert rating_by_logprobs("not Good", places) is None


@pytest.mark.parametrize(
    ("text", "places"),
    [("Good", ()), ("ok", (choices("ok", ok=0.9, fine=0.1),)), ("Good", ((("Good", LEAST), ("Fair", LEAST)),)),
     ("I can't", (choices("I", I=0.9, Ex=0.05, Po=0.05),)),
     ("Goodness", ((("Good", -0.1), ("x", -3.0)), (("ness", -0.1), ("x", -3.0))))],
)  # fmt: skip
def test_no_level_among_the_tokens_is_no_rating(text: str, places: Any) -> None:
    assert rating_by_logprobs(text, places) is None


def test_without_alternatives_the_rating_is_the_level() -> None:
    found = rated("Poor", (("Poor", -0.3),))
    assert found.score == 2.0 and found.detail["missing_below"] == 1.0


def test_an_unlikely_drawn_token_does_not_bound_the_others() -> None:
    assert rated("Bad", (("Bad", -9.0), ("Good", ln(0.7)), ("Fair", ln(0.2)))).detail["missing_below"] == pytest.approx(
        0.2
    )


def test_levels_and_draws() -> None:
    assert rating_of_level(5) == ModelRating(5.0, "level", {"Excellent": 1.0})
    mean = mean_of_draws([4, 4, 3, None, 5])
    assert mean is not None and mean.score == 4.0 and mean.method == "mean_of_draws"
    assert mean.levels == {"Fair": 1.0, "Good": 2.0, "Excellent": 1.0}
    assert mean.detail == {"draws": 5, "unreadable": 1}
    assert mean_of_draws([None, None]) is None


TOKENS = st.sampled_from([*LEVELS, *(f" {name}" for name in LEVELS), "Ex", "Fa", "The", "F", "\n", "▁good", "Ġpoor"])
PLACES = st.lists(st.lists(st.tuples(TOKENS, st.floats(LEAST, 0)), min_size=1, max_size=6).map(tuple), max_size=4)


@given(st.sampled_from([*LEVELS, "", "ok", "not good"]), PLACES)
def test_a_score_is_a_mean_of_levels(text: str, places: list[TokenChoices]) -> None:
    found = rating_by_logprobs(text, places)
    if found is not None:
        assert 1.0 <= found.score <= 5.0 and sum(found.levels.values()) == pytest.approx(1.0, abs=1e-5)
        expected = sum((LEVELS.index(name) + 1) * share for name, share in found.levels.items())
        assert found.score == pytest.approx(expected, abs=1e-4)
        assert set(found.levels).isdisjoint(found.detail["missing"]) and 0 <= found.detail["mass"] <= 1
