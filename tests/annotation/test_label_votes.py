from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.annotation.label_votes import in_audit, label, majority_of
from data_juicer_ext.models.types import Failure
from data_juicer_ext.qa.verdicts import Draw
from tests.qa.test_verdicts import DECLINED, DOWN, NONE, UNPARSABLE, parsed

LIMITED = Failure("rate_limit", "429", retryable=True)
SEVERAL = parsed("AB")


def plain_label(votes: tuple[str, ...], majority: int) -> str:
    """The label of a vote without failures, counted the plain way; "-" stands for no vote."""
    counts = sorted(((votes.count(letter), letter) for letter in set(votes) - {"-"}), reverse=True)
    if not counts or counts[0][0] < majority or (len(counts) > 1 and counts[1][0] == counts[0][0]):
        return ""
    return counts[0][1]


def outcomes(draws: tuple[Draw, ...], options: int, majority: int) -> set[str]:
    """The labels of every world: each failed call may have been a vote for any option, or none."""
    letters = [chr(65 + index) for index in range(options)]
    worlds = []
    for draw in draws:
        if draw is None or isinstance(draw, Failure):
            worlds.append([*letters, "-"])
        else:
            worlds.append([draw.letters[0] if draw.kind == "letter" else "-"])
    return {plain_label(world, majority) for world in product(*worlds)}


def expected(draws: tuple[Draw, ...], options: int, majority: int) -> tuple[str, str]:
    found = outcomes(draws, options, majority)
    if len(found) > 1:
        return "undecided", ""
    [letter] = found
    return ("keep" if letter else "drop"), letter


@pytest.mark.parametrize("options", [2, 3, 4])
@pytest.mark.parametrize("models", [1, 2, 3, 4])
def test_every_pattern_of_votes_against_all_its_completions(models: int, options: int) -> None:
    kinds: list[Draw] = [*(parsed(chr(65 + index)) for index in range(options)), NONE, DOWN]
    for majority in range(1, models + 1):
        for draws in product(kinds, repeat=models):
            found = label(draws, options, majority)
            assert (found.verdict, found.letter) == expected(draws, options, majority), (draws, majority)


@given(st.data())
def test_random_votes_of_more_models(data: st.DataObject) -> None:
    options, models = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 6))
    majority = data.draw(st.integers(1, models))
    some = [*(parsed(chr(65 + index)) for index in range(options)), NONE, SEVERAL, UNPARSABLE, DOWN, None]
    draws = tuple(data.draw(st.lists(st.sampled_from(some), min_size=models, max_size=models)))
    found = label(draws, options, majority)
    assert (found.verdict, found.letter) == expected(draws, options, majority)


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        ([parsed("A"), parsed("B")], "tie"),
        ([parsed("A"), parsed("B"), parsed("C")], "tie"),
        ([parsed("A"), parsed("A"), parsed("B"), parsed("B")], "tie"),
        ([parsed("A"), parsed("A"), parsed("B"), parsed("C")], "no_majority"),
        ([parsed("A"), NONE], "no_majority"),
        ([parsed("A"), SEVERAL], "no_majority"),
        ([NONE, DECLINED, UNPARSABLE], "no_majority"),
    ],
)
def test_why_a_question_gets_no_label(votes: list[Draw], reason: str) -> None:
    found = label(votes, 4, majority_of(len(votes)))
    assert (found.verdict, found.reason, found.letter) == ("drop", reason, "")


def test_an_undecided_label_names_the_first_failure() -> None:
    found = label([parsed("A"), LIMITED, DOWN], 4, 2)
    assert (found.verdict, found.reason, found.message) == ("undecided", "call_failed:rate_limit", "429")
    assert label([parsed("A"), parsed("A"), DOWN], 4, 2).letter == "A"


@pytest.mark.parametrize(("draws", "options", "majority"), [(0, 4, 0), (3, 4, 4), (3, 4, 0), (3, 1, 2)])
def test_impossible_votes_are_refused(draws: int, options: int, majority: int) -> None:
    with pytest.raises(ValueError, match="vote"):
        label([parsed("A")] * draws, options, majority)


def test_more_than_half() -> None:
    assert [majority_of(models) for models in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]


def test_the_audit_sample_hangs_on_the_id_and_the_seed_alone() -> None:
    ids = [f"qa-{number}" for number in range(4000)]
    chosen = {seed: {row for row in ids if in_audit(row, 0.1, seed)} for seed in (0, 1)}
    assert chosen[0] == {row for row in reversed(ids) if in_audit(row, 0.1, 0)}
    assert all(320 < len(rows) < 480 for rows in chosen.values()), "10% of 4,000, within four standard deviations"
    assert len(chosen[0] & chosen[1]) < 100
    assert chosen[0] < {row for row in ids if in_audit(row, 0.3, 0)}
    assert not any(in_audit(row, 0.0, 0) for row in ids) and all(in_audit(row, 1.0, 0) for row in ids)
