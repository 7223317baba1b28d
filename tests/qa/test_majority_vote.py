from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.majority_vote import first_agreeing, vote
from data_juicer_ext.qa.verdicts import Draw
from tests.qa.test_verdicts import DECLINED, DOWN, NONE, UNPARSABLE, parsed

ANSWER = "B"
READ: list[Draw] = [parsed("B"), parsed("A"), parsed("C"), parsed("AB"), NONE, DECLINED, UNPARSABLE]
DRAWS: list[Draw] = [*READ, DOWN, None]


def plain_vote(draws: tuple[Draw, ...], majority: int) -> bool:
    """Whether the answer wins a vote without failures, counted the plain way."""
    votes = [draw.letters[0] for draw in draws if draw is not None and draw.kind == "letter"]  # type: ignore[union-attr]
    rivals = [votes.count(letter) for letter in set(votes) - {ANSWER}]
    return votes.count(ANSWER) >= majority and votes.count(ANSWER) > max(rivals, default=0)


def verdict_of_all(draws: tuple[Draw, ...], majority: int) -> str:
    """The verdict after all draws: that of every world in which the failed ones had gone anyhow."""
    anything: list[Draw] = [parsed("B"), parsed("A"), parsed("C"), NONE]
    worlds = product(*[anything if draw in (DOWN, None) else [draw] for draw in draws])
    outcomes = {plain_vote(world, majority) for world in worlds}
    return "undecided" if len(outcomes) == 2 else "keep" if outcomes.pop() else "drop"


def stopped(draws: tuple[Draw, ...], majority: int) -> tuple[str, int]:
    """The verdict of drawing one after the other until it is certain, and the number of draws made."""
    for made in range(len(draws) + 1):
        decision = vote(draws[:made], len(draws), majority, ANSWER)
        if decision is not None:
            return decision.verdict, made
    raise AssertionError("all draws are made and there is no verdict")


@pytest.mark.parametrize("majority", [1, 2, 3])
def test_every_pattern_of_three_draws(majority: int) -> None:
    for draws in product(DRAWS, repeat=3):
        expected = verdict_of_all(draws, majority)
        assert stopped(draws, majority)[0] == expected
        final = vote(draws, 3, majority, ANSWER)
        assert final is not None and final.verdict == expected


@given(st.data())
def test_random_patterns_of_any_size(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    majority = data.draw(st.integers(1, n))
    draws = tuple(data.draw(st.lists(st.sampled_from(DRAWS), min_size=n, max_size=n)))
    assert stopped(draws, majority)[0] == verdict_of_all(draws, majority)


@given(st.data())
def test_an_early_verdict_holds_however_the_rest_goes(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    majority = data.draw(st.integers(1, n))
    draws = tuple(data.draw(st.lists(st.sampled_from(DRAWS), max_size=n)))
    decision = vote(draws, n, majority, ANSWER)
    rest = data.draw(st.lists(st.sampled_from(DRAWS), min_size=n - len(draws), max_size=n - len(draws)))
    if decision is not None:
        assert verdict_of_all((*draws, *rest), majority) == decision.verdict


@pytest.mark.parametrize(
    ("letters", "made"),
    [("BB", 2), ("AC", 2), ("AA", 2), ("BAB", 3), ("ABA", 3), ("ABB", 3)],
)
def test_two_of_three_stops_as_soon_as_it_can(letters: str, made: int) -> None:
    draws = [parsed(letter) for letter in letters]
    assert [vote(draws[:count], 3, 2, ANSWER) is not None for count in range(made + 1)] == [False] * made + [True]


def test_an_undecided_vote_names_the_failure() -> None:
    decision = vote([parsed("B"), DOWN, parsed("A")], 3, 2, ANSWER)
    assert decision is not None
    assert (decision.verdict, decision.reason) == ("undecided", "call_failed:server")
    assert decision.detail["agree"] == decision.detail["failed"] == 1


def test_a_vote_that_no_draw_can_decide_is_not_drawn_further() -> None:
    decision = vote([DOWN, DOWN], 3, 2, ANSWER)
    assert decision is not None and decision.verdict == "undecided"


@pytest.mark.parametrize(("draws", "n", "majority"), [(0, 0, 0), (0, 3, 4), (0, 3, 0), (4, 3, 2)])
def test_impossible_votes_are_refused(draws: int, n: int, majority: int) -> None:
    with pytest.raises(ValueError, match="vote"):
        vote([parsed("B")] * draws, n, majority, ANSWER)


def test_the_rationale_is_that_of_the_first_draw_for_the_answer() -> None:
    assert first_agreeing([DOWN, parsed("AB"), parsed("A"), parsed("B"), parsed("B")], ANSWER) == 3
    assert first_agreeing([parsed("A")], ANSWER) is None
