from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.evaluation.siqa.outliers import far_off, outliers
from data_juicer_ext.evaluation.siqa.votes import ImageVote


def votes(rater: str, scores: list[float], knowledge: list[float] | None = None) -> list[ImageVote]:
    both = zip(scores, knowledge or scores, strict=True)
    return [ImageVote(rater, f"f{n:02}", {"perception": p, "knowledge": k}) for n, (p, k) in enumerate(both)]


STEPS = [float(n % 5 + 1) for n in range(20)]


def test_one_who_ranks_against_the_others_is_left_out_and_nobody_else() -> None:
    given_ = [*votes("a", STEPS), *votes("b", STEPS), *votes("c", STEPS), *votes("odd", [6 - s for s in STEPS])]
    left_out, told = outliers(given_)
    assert [(entry.rater, entry.stage) for entry in left_out] == [("odd", "outlier")] and told == ""
    assert left_out[0].reason == "knowledge: SRCC -1.000 with the mean of the others, under 0.5"


def test_one_bad_dimension_is_enough_and_a_flat_rater_counts_as_nought() -> None:
    chance = random.Random(2)
    noise = [float(chance.randint(1, 5)) for _ in STEPS]
    given_ = [*votes("a", STEPS), *votes("b", STEPS), *votes("c", STEPS), *votes("d", STEPS, noise)]
    assert [entry.rater for entry in outliers(given_)[0]] == ["d"]
    flat = [*votes("a", STEPS), *votes("b", STEPS), *votes("c", STEPS), *votes("flat", [3.0] * 20)]
    assert "SRCC 0.000" in outliers(flat)[0][0].reason


def test_a_harsh_rater_who_ranks_alike_is_no_outlier() -> None:
    given_ = [*votes("a", STEPS), *votes("b", STEPS), *votes("harsh", [s / 2 for s in STEPS])]
    assert outliers(given_)[0] == []


def test_two_raters_and_too_few_images_are_told_of() -> None:
    two = [*votes("a", STEPS), *votes("b", [6 - s for s in STEPS])]
    assert outliers(two) == ([], "no outliers sought: 2 raters, and it takes 3 to tell who is one")
    few = [*votes("a", STEPS), *votes("b", STEPS), *votes("c", STEPS), *votes("new", [5.0, 4, 3, 2])]
    assert outliers(few) == ([], "not screened, with fewer than 5 images that others rated: new")
    assert outliers([], "correlation") == ([], "") and outliers(two, "off") == ([], "")


def test_the_least_correlation_is_a_parameter() -> None:
    chance = random.Random(3)
    half = [s + chance.gauss(0, 1.5) for s in STEPS]
    given_ = [*votes("a", STEPS), *votes("b", STEPS), *votes("c", STEPS), *votes("half", half)]
    assert outliers(given_, least=0.2)[0] == [] and [o.rater for o in outliers(given_, least=0.9)[0]] == ["half"]


def test_far_off_worked_by_hand() -> None:
    # Nine ratings of 3 and one of -7: mean 2, deviations 1 and -9, a kurtosis of 8.1, so the limit is sqrt(20) S.
    ratings = {f"r{n}": 3.0 for n in range(9)} | {"low": -7.0}
    assert math.sqrt(20) * math.sqrt(90 / 9) > 9 > 2 * math.sqrt(90 / 9)
    assert far_off({"f": ratings})["low"] == (0, 0, 1)
    # Deviations of 5 and 2 about a mean of 5: a kurtosis of 109.5 / 5.5^2 = 3.6, so the limit is 2 S = 4.9.
    wide = {"a": 0.0, "b": 10.0, "c": 3.0, "d": 3.0, "e": 7.0, "f": 7.0} | {f"r{n}": 5.0 for n in range(6)}
    found = far_off({"f": wide})
    assert (found["a"], found["b"], found["c"], found["r0"]) == ((0, 1, 1), (1, 0, 1), (0, 0, 1), (0, 0, 1))
    # Ten 2s, ten 4s and a 5.5: 2.09 S above, but the kurtosis is 1.7, so the limit is sqrt(20) S.
    halves = {f"r{n}": 2.0 + 2 * (n % 2) for n in range(20)} | {"high": 5.5}
    assert far_off({"f": halves})["high"] == (0, 0, 1)
    assert far_off({"f": wide, "g": {"a": 1.0, "b": 1.0}})["a"] == (0, 1, 2)


def test_equal_ratings_are_never_far_off() -> None:
    assert far_off({"f": {"a": 3.0, "b": 3.0}, "g": {"a": 1.0}}) == {"a": (0, 0, 2), "b": (0, 0, 1)}


def erratic(sides: list[int]) -> list[ImageVote]:
    """Fourteen raters near 3, and one who is far above (1) or far below (-1) or in the middle (0) of every image."""
    chance = random.Random(5)
    found = [vote for n in range(14) for vote in votes(f"r{n:02}", [3 + chance.choice([-0.4, 0, 0.4]) for _ in sides])]
    return found + votes("odd", [3 + 0.9 * side for side in sides])


def test_bt500_leaves_out_who_is_far_off_on_both_sides() -> None:
    left_out, told = outliers(erratic([1, -1] * 5 + [0] * 10), "bt500")
    assert [entry.rater for entry in left_out] == ["odd"] and told == ""
    assert "ratings far above" in left_out[0].reason and "ITU-R BT.500" in left_out[0].reason


@pytest.mark.parametrize("sides", [[1] * 10 + [0] * 10, [0] * 20, [1] + [0] * 19, [1, -1] + [0] * 58])
def test_bt500_keeps_who_is_harsh_or_lenient_or_rarely_off(sides: list[int]) -> None:
    assert "odd" not in {entry.rater for entry in outliers(erratic(sides), "bt500")[0]}


def test_bt500_says_that_it_finds_nobody_among_few() -> None:
    given_ = [*votes("a", STEPS), *votes("b", STEPS), *votes("odd", [6 - s for s in STEPS])]
    assert outliers(given_, "bt500") == ([], "BT.500 finds nobody here: no image has 6 ratings, which it takes")


@given(st.lists(st.lists(st.integers(1, 5).map(float), min_size=5, max_size=5), min_size=3, max_size=5))
def test_no_scores_break_it_and_at_least_two_raters_stay(scores: list[list[float]]) -> None:
    given_ = [
        vote for rater, images in enumerate(zip(*scores, strict=True)) for vote in votes(f"r{rater}", list(images))
    ]
    left_out, _ = outliers(given_)
    assert len({vote.rater for vote in given_} - {entry.rater for entry in left_out}) >= 2
    outliers(given_, "bt500")


def test_of_three_raters_the_odd_one_is_left_out_and_the_two_are_not_compared() -> None:
    three = [*votes("a", STEPS), *votes("b", STEPS), *votes("odd", [6 - s for s in STEPS])]
    assert [entry.rater for entry in outliers(three)[0]] == ["odd"]
