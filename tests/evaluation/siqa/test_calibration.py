from __future__ import annotations

import random
from itertools import permutations

import pytest

from data_juicer_ext.evaluation.siqa.calibration import calibrated
from data_juicer_ext.evaluation.siqa.votes import ImageScores, ImageVote

CONSENSUS: dict[str, ImageScores] = {f"c{n}": {"perception": float(n), "knowledge": float(n)} for n in range(1, 6)}


def votes(rater: str, perception: str = "12345", knowledge: str = "12345") -> list[ImageVote]:
    """A rater's scores of the five reference images, a digit each."""
    return [
        ImageVote(rater, f"c{n}", {"perception": float(p), "knowledge": float(k)}, True)
        for n, (p, k) in enumerate(zip(perception, knowledge, strict=True), 1)
    ]


def test_the_srcc_has_to_be_above_the_gate() -> None:
    # One exchange of neighbours in five ranks: 1 - 6 * 2 / (5 * 24) = 0.9; two of them: 0.8, which is not above it.
    given = [*votes("one", "21345"), *votes("two", "21354")]
    left_out, found = calibrated(given, CONSENSUS)
    assert found["one"]["perception"].value == pytest.approx(0.9)
    assert found["two"]["perception"].value == pytest.approx(0.8)
    assert [(entry.rater, entry.stage) for entry in left_out] == [("two", "calibration")]
    assert left_out[0].reason == "perception SRCC 0.800, not above 0.8"
    assert calibrated(given, CONSENSUS, 0.95)[0][0].rater == "one"
    assert calibrated(given, CONSENSUS, 0.5)[0] == []


@pytest.mark.parametrize(("gate", "squares"), [(0.8, 4), (-0.5, 30)])
def test_rounding_lets_nobody_over_the_gate(gate: float, squares: int) -> None:
    # Rank differences with this sum of squares: 1 - 6 * squares / (5 * 24) is the gate, in binary above or below it.
    orders = ["".join(order) for order in permutations("12345")]
    at_the_gate = [o for o in orders if sum((int(d) - n) ** 2 for n, d in enumerate(o, 1)) == squares]
    assert len(at_the_gate) > 1
    for order in at_the_gate:
        assert len(calibrated(votes("a", order), CONSENSUS, gate)[0]) == 1


def test_both_dimensions_have_to_pass() -> None:
    left_out, _ = calibrated(votes("a", knowledge="54321"), CONSENSUS)
    assert left_out[0].reason == "knowledge SRCC -1.000, not above 0.8"


def test_a_rater_without_a_calibration_does_not_pass_nor_one_who_says_the_same_of_all() -> None:
    given = [*votes("a"), *votes("flat", "33333"), ImageVote("late", "f1", {"perception": 3, "knowledge": 3})]
    reasons = {entry.rater: entry.reason for entry in calibrated(given, CONSENSUS)[0]}
    assert reasons["late"] == "; ".join(
        f"{name} not defined: no reference image was rated" for name in ("perception", "knowledge")
    )
    assert reasons["flat"] == "perception not defined: all predictions are equal"


def test_without_a_consensus_one_who_guesses_does_not_fail_the_others() -> None:
    chance = random.Random(1)
    given = [vote for name in "abcd" for vote in votes(name)]
    guesses = "".join(chance.sample("12345", 5))
    left_out, found = calibrated([*given, *votes("guess", guesses, guesses)], None)
    assert [entry.rater for entry in left_out] == ["guess"]
    assert all(found[name]["perception"].value == pytest.approx(1) for name in "abcd")


def test_without_a_consensus_those_who_rank_nothing_go_first() -> None:
    given = [*votes("a"), *votes("b"), *votes("c", "33333"), *votes("d", "22222"), *votes("e", "44444")]
    left_out, _ = calibrated([*given, ImageVote("late", "f1", {"perception": 3, "knowledge": 3})], None)
    assert [entry.rater for entry in left_out] == ["c", "d", "e", "late"]
    alone = [*votes("a"), *votes("c", "33333"), *votes("d", "22222")]
    assert [entry.rater for entry in calibrated(alone, None)[0]] == ["c", "d"], "a is not the one to blame"


def test_nobody_is_tested_without_a_calibration_or_without_a_consensus_of_three() -> None:
    plain = [ImageVote("a", "f1", {"perception": 1, "knowledge": 5})]
    assert calibrated(plain, CONSENSUS) == ([], {})
    assert calibrated([*votes("a"), *votes("b", "54321")], None) == ([], {})
