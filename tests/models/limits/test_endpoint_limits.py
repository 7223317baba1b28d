"""Slots, pace, pause, and the circuit breaker."""

from __future__ import annotations

import asyncio
import time

import pytest

from data_juicer_ext.models.limits import circuit_breaker as breaker
from data_juicer_ext.models.limits.circuit_breaker import AWAY_FAILURES, FAILURES, FIRST_PATIENCE_S, Address, Breaker
from data_juicer_ext.models.limits.endpoint_limits import BURST_S, Limits, Pace, Slots


def test_slots_bound_and_let_retries_go_first() -> None:
    order: list[str] = []

    async def main() -> None:
        slots = Slots(1)
        await slots.acquire()

        async def call(name: str, urgent: bool) -> None:
            await slots.acquire(urgent)
            order.append(name)
            slots.release()

        waiting = [asyncio.ensure_future(call(n, n.startswith("retry"))) for n in ("new1", "new2", "retry1", "retry2")]
        await asyncio.sleep(0)
        assert order == []
        slots.release()
        await asyncio.gather(*waiting)

    asyncio.run(main())
    assert order == ["retry1", "retry2", "new1", "new2"]


def test_a_cancelled_wait_loses_no_slot() -> None:
    async def main() -> None:
        slots = Slots(1)
        await slots.acquire()
        gone_before, gone_at_handover, last = (asyncio.ensure_future(slots.acquire()) for _ in range(3))
        await asyncio.sleep(0)
        gone_before.cancel()
        await asyncio.sleep(0)
        slots.release()  # goes to the second, which is cancelled before it runs again
        gone_at_handover.cancel()
        await asyncio.wait_for(last, 1)
        slots.release()
        await asyncio.wait_for(slots.acquire(), 1)
        assert last.done() and gone_before.cancelled()

    asyncio.run(main())


def test_pace_spreads_calls_over_the_minute() -> None:
    now, sent = 100.0, []
    pace = Pace(600, now)
    for _ in range(1200):
        sent.append(now + pace.reserve(1, now))
    in_first_minute = sum(time < now + 60 for time in sent)
    assert in_first_minute == pytest.approx(600, abs=1)
    assert sent[-1] == pytest.approx(now + 119.9)


def test_pace_after_idling_allows_a_second_worth_at_once() -> None:
    pace = Pace(600, 0.0)
    at_once = [wait for wait in (pace.reserve(1, 1000.0) for _ in range(30)) if wait == 0.0]
    assert len(at_once) == pytest.approx(10 * BURST_S, abs=1)


def test_pace_is_corrected_by_what_was_used() -> None:
    pace = Pace(60, 0.0)
    assert pace.reserve(10, 0.0) == 0.0
    assert pace.reserve(1, 0.0) == 10.0
    pace.correct(-9)
    assert pace.reserve(1, 0.0) == pytest.approx(2.0)


def test_no_limit_never_waits() -> None:
    pace = Pace(0, 0.0)
    assert [pace.reserve(1e9, 0.0) for _ in range(3)] == [0.0] * 3


def test_a_pause_holds_every_call() -> None:
    async def main() -> float:
        limits = Limits(4, 0, 0)
        limits.pause(0.1)
        limits.pause(0.02)  # a shorter one does not end a longer one
        started = time.monotonic()
        await asyncio.gather(*[limits.turn(1) for _ in range(4)])
        return time.monotonic() - started

    assert asyncio.run(main()) >= 0.099


def fail(breaker: Breaker, times: int, start: float, step: float) -> float:
    for number in range(times):
        breaker.note(False, start + number * step, start + (number + 1) * step)
    return start + times * step


def test_breaker_opens_after_failures_over_its_patience() -> None:
    dead = Breaker(600.0, Address())
    now = fail(dead, FAILURES - 1, 0.0, 10.0)
    assert now > FIRST_PATIENCE_S
    assert not dead.refuses(now)
    now = fail(dead, 1, now, 10.0)
    assert not dead.refuses(now)  # the probe
    assert dead.refuses(now + 1.0)


def test_a_short_outage_does_not_open_it() -> None:
    blip = Breaker(600.0, Address())
    now = fail(blip, 64, 0.0, 0.01)
    assert not any(blip.refuses(now + second / 10) for second in range(10))


def test_an_endpoint_that_has_answered_gets_the_whole_deadline() -> None:
    known = Breaker(600.0, Address())
    known.note(True, 0.0, 1.0)
    now = fail(known, 40, 1.0, 10.0)
    assert not known.refuses(now)
    assert not known.refuses(now + 0.1)
    now = fail(known, 25, now, 10.0)
    known.refuses(now)
    assert known.refuses(now + 0.1)


def test_one_probe_a_cool_down_and_a_success_closes_it() -> None:
    dead = Breaker(600.0, Address())
    now = fail(dead, 30, 0.0, 10.0)
    let_through = [second for second in range(100) if not dead.refuses(now + second)]
    assert let_through == [0, 30, 60, 90]
    dead.note(True, now, now + 100)
    assert not any(dead.refuses(now + 100 + second) for second in range(5))
    assert breaker.COOL_DOWN_S == 30.0


def test_an_endpoint_that_has_answered_is_away_after_some_failures_in_a_row() -> None:
    known = Breaker(600.0, Address(alive=True))  # another process has seen it
    now = fail(known, AWAY_FAILURES - 1, 0.0, 1.0)
    assert not known.away(now)
    now = fail(known, 1, now, 1.0)
    assert known.away(now)
    fail(known, FAILURES, now, FIRST_PATIENCE_S / FAILURES)
    now += FIRST_PATIENCE_S
    assert known.away(now) and not known.refuses(now) and not known.never_came(now)
    known.note(True, now, now)
    assert not known.away(now)


def test_one_that_has_never_answered_is_awaited_for_a_shorter_time() -> None:
    unknown = Breaker(600.0, Address())
    now = fail(unknown, AWAY_FAILURES - 1, 0.0, 1.0)
    assert not unknown.away(now) and not unknown.never_came(now)
    now = fail(unknown, 1, now, 1.0)
    assert unknown.away(now) and not unknown.never_came(now)
    assert unknown.away(FIRST_PATIENCE_S - 1.0)
    assert unknown.never_came(FIRST_PATIENCE_S) and not unknown.away(FIRST_PATIENCE_S)


def test_endpoints_at_one_address_know_of_each_other_that_it_answers() -> None:
    address = Address()
    text, vision = Breaker(600.0, address), Breaker(600.0, address)
    fail(vision, FAILURES, 0.0, 10.0)
    assert vision.never_came(200.0)
    text.note(True, 200.0, 201.0)
    assert vision.away(201.0) and not vision.refuses(201.0) and not text.away(201.0)
