"""When an endpoint is taken for dead, and when it is alive again."""

from __future__ import annotations

import pytest

from data_juicer_ext.models.limits.circuit_breaker import AWAY_FAILURES, FAILURES, Address, Breaker


def failing(times: int, *, alive: bool, deadline: float = 300.0, started: float = 100.0) -> Breaker:
    """A breaker after so many failures in a row, the first of which began at `started`."""
    breaker = Breaker(deadline, Address(alive))
    for number in range(times):
        breaker.note(answered=False, started=started + number, now=started + number + 1)
    return breaker


@pytest.mark.parametrize(
    ("alive", "deadline", "patience"), [(True, 300.0, 300.0), (False, 300.0, 60.0), (False, 20.0, 20.0)]
)
def test_calls_are_refused_after_enough_failures_over_enough_time(
    alive: bool, deadline: float, patience: float
) -> None:
    breaker = failing(FAILURES, alive=alive, deadline=deadline)
    assert not breaker.refuses(100.0 + patience - 0.1)
    assert not breaker.refuses(100.0 + patience), "the first one after that is a probe"
    assert breaker.refuses(100.0 + patience)
    assert not failing(FAILURES - 1, alive=alive, deadline=deadline).refuses(10_000.0)


@pytest.mark.parametrize(("deadline", "cool_down"), [(1000.0, 30.0), (100.0, 10.0)])
def test_a_dead_endpoint_gets_one_try_in_each_cool_down(deadline: float, cool_down: float) -> None:
    breaker = failing(FAILURES, alive=True, deadline=deadline)
    now = 100.0 + deadline
    assert not breaker.refuses(now)
    assert breaker.refuses(now) and breaker.refuses(now + cool_down - 0.1)
    assert not breaker.refuses(now + cool_down)
    assert breaker.refuses(now + cool_down + 0.1)


def test_an_answer_makes_it_alive_again() -> None:
    breaker = failing(FAILURES, alive=False)
    breaker.note(answered=True, started=400.0, now=401.0)
    breaker.note(answered=False, started=500.0, now=501.0)
    assert not breaker.refuses(10_000.0) and not breaker.away(10_000.0)
    for _ in range(FAILURES - 1):
        breaker.note(answered=False, started=501.0, now=502.0)
    assert not breaker.refuses(799.0), "the time counts from the first failure after the answer"
    assert not breaker.refuses(800.0) and breaker.refuses(800.0)


def test_endpoints_at_one_address_know_that_it_answers() -> None:
    address = Address()
    one, other = Breaker(300.0, address), Breaker(300.0, address)
    for _ in range(AWAY_FAILURES):
        other.note(answered=False, started=0.0, now=1.0)
    assert other.never_came(60.0) and not other.away(60.0)
    one.note(answered=True, started=0.0, now=1.0)
    assert address.alive and not other.never_came(60.0) and other.away(60.0)


@pytest.mark.parametrize(
    ("failures", "now", "away", "never_came"),
    [
        (AWAY_FAILURES, 159.9, True, False),
        (AWAY_FAILURES, 160.0, False, True),
        (AWAY_FAILURES - 1, 160.0, False, False),
    ],
)
def test_away_is_told_from_never_there(failures: int, now: float, away: bool, never_came: bool) -> None:
    breaker = failing(failures, alive=False)
    assert (breaker.away(now), breaker.never_came(now)) == (away, never_came)
