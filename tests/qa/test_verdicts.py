from __future__ import annotations

from itertools import product

import pytest

from data_juicer_ext.models.types import Failure
from data_juicer_ext.qa.letter_answers import LetterParse
from data_juicer_ext.qa.verdicts import Draw, blind_check, failed, source_consistency


def parsed(letters: str = "", kind: str = "") -> LetterParse:
    """A parse of the letters, or of another kind."""
    name = kind or ("letter" if len(letters) == 1 else "several")
    return LetterParse(name, tuple(letters), (0, 1), "x")  # type: ignore[arg-type]


DOWN = Failure("server", "500 Internal Server Error", retryable=True)
NONE, DECLINED, UNPARSABLE = parsed(kind="none"), parsed(kind="declined"), parsed(kind="unparsable")


@pytest.mark.parametrize(
    ("parse", "verdict", "reason"),
    [
        (parsed("B"), "keep", "agrees"),
        (parsed("C"), "drop", "other_option"),
        (NONE, "drop", "abstained"),
        (DECLINED, "drop", "declined"),
        (parsed("AB"), "drop", "several"),
        (parsed("AC"), "drop", "several"),
        (UNPARSABLE, "drop", "unparsable"),
    ],
)
def test_source_consistency(parse: LetterParse, verdict: str, reason: str) -> None:
    decision = source_consistency(parse, "B")
    assert (decision.verdict, decision.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("draw", "verdict", "reason"),
    [
        (parsed("B"), "drop", "answered_blind"),
        (parsed("C"), "keep", "needs_figure"),
        (NONE, "keep", "needs_figure"),
        (DECLINED, "keep", "needs_figure"),
        (parsed("AB"), "drop", "answered_blind"),
        (parsed("AC"), "keep", "needs_figure"),
        (UNPARSABLE, "undecided", "unparsable"),
        (DOWN, "undecided", "call_failed:server"),
        (None, "undecided", "call_failed:unknown"),
    ],
)
def test_blind_check_of_one_draw(draw: Draw, verdict: str, reason: str) -> None:
    decision = blind_check([draw], "B")
    assert (decision.verdict, decision.reason) == (verdict, reason)


@pytest.mark.parametrize("hits", [1, 2, 3])
def test_blind_check_of_several_draws_holds_whatever_the_unknown_ones_were(hits: int) -> None:
    kinds: list[Draw] = [parsed("B"), parsed("C"), NONE, UNPARSABLE, DOWN]
    for draws in product(kinds, repeat=3):
        outcomes = [(True, False) if draw in (UNPARSABLE, DOWN) else (draw == kinds[0],) for draw in draws]
        possible = {"drop" if sum(world) >= hits else "keep" for world in product(*outcomes)}
        expected = possible.pop() if len(possible) == 1 else "undecided"
        assert blind_check(draws, "B", hits).verdict == expected


@pytest.mark.parametrize(("draws", "hits"), [(0, 1), (1, 0), (1, 2)])
def test_impossible_blind_checks_are_refused(draws: int, hits: int) -> None:
    with pytest.raises(ValueError, match="hits"):
        blind_check([parsed("B")] * draws, "B", hits)


def test_a_failed_call_is_undecided_and_says_why() -> None:
    decision = failed(Failure("content_filter", "refused by the provider", retryable=False))
    assert (decision.verdict, decision.reason) == ("undecided", "call_failed:content_filter")
    assert decision.detail["message"] == "refused by the provider"
