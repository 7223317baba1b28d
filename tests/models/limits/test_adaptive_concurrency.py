"""How many calls may be in flight follows what the server bears."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from data_juicer_ext.models.dispatcher import Dispatcher
from data_juicer_ext.models.event_loop import gather_ordered
from data_juicer_ext.models.limits.adaptive_concurrency import AdaptiveLimits, ElasticSlots
from data_juicer_ext.models.limits.endpoint_limits import Limits
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.types import Answer
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, config_for, question


async def eventually(condition: Any) -> None:
    for _ in range(200):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it did not happen")


def test_elastic_slots() -> None:
    async def main() -> None:
        slots = ElasticSlots(4)
        for _ in range(3):
            await slots.acquire()
        slots.resize(2)  # the free one goes, and one more when it comes back
        waiter = asyncio.ensure_future(slots.acquire())
        await asyncio.sleep(0)
        slots.release()
        await asyncio.sleep(0)
        assert not waiter.done()
        slots.release()
        await eventually(waiter.done)
        late = [asyncio.ensure_future(slots.acquire()) for _ in range(3)]
        slots.resize(4)
        await eventually(lambda: sum(task.done() for task in late) == 2)
        slots.release()
        await eventually(lambda: late[2].done())

    asyncio.run(main())


def test_no_slot_is_lost_or_made_by_resizing() -> None:
    rng = random.Random(2)

    async def main() -> None:
        slots, busy, peak = ElasticSlots(8), 0, 0

        async def worker() -> None:
            nonlocal busy, peak
            await slots.acquire(urgent=rng.random() < 0.3)
            busy += 1
            peak = max(peak, busy)
            for _ in range(rng.randint(0, 3)):
                await asyncio.sleep(0)
            busy -= 1
            slots.release()

        workers = [asyncio.ensure_future(worker()) for _ in range(400)]
        while not all(task.done() for task in workers):
            slots.resize(rng.randint(1, 12))
            await asyncio.sleep(0)
        await gather_ordered(workers)
        slots.resize(5)
        late = [asyncio.ensure_future(slots.acquire()) for _ in range(9)]
        await asyncio.sleep(0)
        assert sum(task.done() for task in late) == 5
        for task in late:
            task.cancel()
        assert peak <= 12

    asyncio.run(main())


def limits(most: int = 64) -> AdaptiveLimits:
    return AdaptiveLimits(Limits(most, 0, 0), most)


def test_a_burst_of_refusals_counts_once() -> None:
    adaptive, sent = limits(), time.monotonic()
    for _ in range(64):
        adaptive.note(refused=True, started=sent)
    assert adaptive.width == 44
    for _ in range(64):
        adaptive.note(refused=True, started=time.monotonic())
    assert adaptive.width < 30


def test_it_falls_to_one_and_comes_back_to_all() -> None:
    adaptive = limits()
    for _ in range(64):
        adaptive.note(refused=True, started=time.monotonic())
    assert adaptive.width == 1
    notes = 0
    while adaptive.width < 64:
        adaptive.note(refused=False, started=time.monotonic())
        notes += 1
    assert notes < 1500
    for _ in range(1000):
        adaptive.note(refused=False, started=time.monotonic())
    assert adaptive.width == 64


def test_refusals_that_have_nothing_to_do_with_the_width_cost_little() -> None:
    adaptive, rng, seen = limits(), random.Random(4), []
    for _ in range(20_000):
        adaptive.note(refused=rng.random() < 0.05, started=time.monotonic())
        seen.append(adaptive.width)
    assert sum(seen) / len(seen) > 32


def all_answers(server: FakeServer, calls: int, **params: Any) -> tuple[list[Answer], Dispatcher]:
    async def main() -> tuple[list[Answer], Dispatcher]:
        dispatcher = Dispatcher(config_for(server, **params))
        results = await gather_ordered([dispatcher.answer(PreparedRequest(question(f"q{n}"))) for n in range(calls)])
        await dispatcher.close()
        return [answered(result) for result in results], dispatcher

    return asyncio.run(main())


def test_the_width_that_the_server_bears_is_found(server: FakeServer) -> None:
    refused = 0

    def responder(body: Mapping[str, Any]) -> Reply:
        nonlocal refused
        if server.in_flight > 8:
            refused += 1
            return Reply("too many at once", status=429, headers={"Retry-After-Ms": "20"})
        return Reply("B", delay=0.01)

    server.responder = responder
    answers, dispatcher = all_answers(server, 400, max_concurrency=64, deadline=60)
    assert len(answers) == 400
    assert dispatcher._limits.width <= 16
    assert refused < 250  # at a fixed width of 64 it would be seven for every answer, 2,800


class Bucket:
    """A server's token bucket, said in the headers that OpenAI sends."""

    def __init__(self, size: int, per_second: float) -> None:
        self.size, self.per_second = size, per_second
        self.left, self.at, self.refused = float(size), time.monotonic(), 0

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        now = time.monotonic()
        self.left = min(self.size, self.left + (now - self.at) * self.per_second)
        self.at = now
        if self.left < 1:
            self.refused += 1
            return Reply("slow down", status=429, headers={"Retry-After": str((1 - self.left) / self.per_second)})
        self.left -= 1
        reset = (self.size - self.left) / self.per_second
        headers = {
            "x-ratelimit-limit-requests": str(self.size),
            "x-ratelimit-remaining-requests": str(int(self.left)),
            "x-ratelimit-reset-requests": f"{int(reset * 1000)}ms",
        }
        return Reply("B", headers=headers)


@pytest.mark.parametrize("width", [1, 4, 16])
def test_the_headers_are_heeded_before_the_limit_is_dry(server: FakeServer, width: int) -> None:
    bucket = server.responder = Bucket(size=30, per_second=100)
    answers, _ = all_answers(server, 120, max_concurrency=width, deadline=60)
    assert len(answers) == 120
    assert bucket.refused <= 6  # it would be 40 and more without


def test_a_slot_is_one_of_the_limits_underneath_too() -> None:
    async def main() -> None:
        inner, held = Limits(4, 0, 0), list[bool]()

        @asynccontextmanager
        async def slot(urgent: bool) -> AsyncIterator[None]:
            held.append(urgent)
            yield
            held.clear()

        inner.slot = slot  # type: ignore[method-assign]
        async with AdaptiveLimits(inner, 4).slot(True):
            assert held == [True]
        assert held == []

    asyncio.run(main())
