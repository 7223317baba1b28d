"""The same request in flight is sent once; an answer is stored before it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.models.shared_calls import InFlight, stored_or_asked
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.types import Answer, Failure, Result, Usage
from tests.models.storing import ABOUT, answer_of, key_of

ANSWER = answer_of(1)
FAILURE = Failure("server", "status 500", retryable=True, tries=3, usage=Usage(7, 8))


class Asked:
    """A call that is counted and ends when it is told to."""

    def __init__(self, result: Result | Exception = ANSWER) -> None:
        self.calls = 0
        self.cancelled = False
        self.go = asyncio.Event()
        self._result = result

    async def __call__(self) -> Result:
        self.calls += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)  # tidying up takes a moment
            self.cancelled = True
            raise
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


async def started(*calls: Awaitable[Any]) -> list[asyncio.Future[Any]]:
    tasks = [asyncio.ensure_future(call) for call in calls]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        await asyncio.wait_for(main(), 10)

    asyncio.run(within())


def test_joined_calls_are_sent_once_and_charged_once() -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked()
        tasks = await started(*(flight.once("k", asked) for _ in range(5)))
        assert len(flight) == 1
        asked.go.set()
        first, *others = await asyncio.gather(*tasks)
        assert asked.calls == 1 and len(flight) == 0
        assert first == ANSWER
        assert others == [replace(ANSWER, from_store=True)] * 4

    run(main)


def test_other_keys_and_later_calls_are_sent() -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked()
        asked.go.set()
        await asyncio.gather(flight.once("a", asked), flight.once("b", asked))
        await flight.once("a", asked)
        assert asked.calls == 3

    run(main)


def test_failures_are_shared_and_charged_once() -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked(FAILURE)
        tasks = await started(flight.once("k", asked), flight.once("k", asked))
        asked.go.set()
        assert await asyncio.gather(*tasks) == [FAILURE, replace(FAILURE, tries=0, usage=Usage())]
        assert await flight.once("k", asked) == FAILURE
        assert asked.calls == 2

    run(main)


def test_exceptions_are_shared() -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked(KeyError("x"))
        tasks = await started(flight.once("k", asked), flight.once("k", asked))
        asked.go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [KeyError, KeyError]

    run(main)


@pytest.mark.parametrize("cancelled", [0, 1])
def test_a_cancelled_waiter_leaves_the_others_alone(cancelled: int) -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked()
        tasks = await started(flight.once("k", asked), flight.once("k", asked))
        tasks[cancelled].cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[cancelled]
        assert not asked.cancelled
        asked.go.set()
        result = await tasks[1 - cancelled]
        assert isinstance(result, Answer) and result.text == "answer 1"
        assert asked.calls == 1

    run(main)


def test_with_the_last_waiter_the_call_is_cancelled_and_has_ended() -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked()
        tasks = await started(flight.once("k", asked), flight.once("k", asked))
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert asked.cancelled and len(flight) == 0
        assert all(task.cancelled() for task in tasks)

    run(main)


def test_nobody_joins_a_call_that_is_being_cancelled() -> None:
    async def main() -> None:
        flight, asked, anew = InFlight(), Asked(), Asked()
        [task] = await started(flight.once("k", asked))
        task.cancel()
        await asyncio.sleep(0)
        anew.go.set()
        assert await flight.once("k", anew) == ANSWER
        assert anew.calls == 1

    run(main)


class Responses(SqliteStore):
    """A store as calls need it."""

    async def get_async(self, key: str) -> Answer | None:
        return self.get(key)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Responses]:
    made = Responses(tmp_path / "responses.sqlite")
    yield made
    made.close()


def test_a_stored_answer_is_not_asked_for(store: Responses) -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked()
        asked.go.set()
        first = await stored_or_asked(store, flight, key_of(1), ABOUT, asked)
        assert first == ANSWER
        assert store.get(key_of(1)) == replace(ANSWER, from_store=True)
        assert await stored_or_asked(store, flight, key_of(1), ABOUT, asked) == store.get(key_of(1))
        assert asked.calls == 1

    run(main)


def test_a_look_up_that_takes_longer_than_a_call_does_not_ask_again(
    store: Responses, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        flight, asked, looked_up = InFlight(), Asked(), asyncio.Event()
        [first] = await started(stored_or_asked(store, flight, key_of(1), ABOUT, asked))
        look_up = store.get_async

        async def slow(key: str) -> Answer | None:
            found = await look_up(key)
            await looked_up.wait()
            return found

        monkeypatch.setattr(store, "get_async", slow)
        [second] = await started(stored_or_asked(store, flight, key_of(1), ABOUT, asked))
        asked.go.set()
        assert await first == ANSWER
        looked_up.set()
        assert await second == replace(ANSWER, from_store=True)
        assert asked.calls == 1

    run(main)


def test_an_answer_is_stored_before_anybody_has_it(store: Responses, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        flight, asked, writing = InFlight(), Asked(), asyncio.Event()
        put = store.put_async

        async def slow_put(*given: Any) -> None:
            await writing.wait()
            await put(*given)

        monkeypatch.setattr(store, "put_async", slow_put)
        asked.go.set()
        tasks = await started(*(stored_or_asked(store, flight, key_of(1), ABOUT, asked) for _ in range(2)))
        assert not any(task.done() for task in tasks)
        writing.set()
        await asyncio.gather(*tasks)
        assert asked.calls == 1 and store.stats().answers == 1

    run(main)


def test_failures_are_never_stored(store: Responses) -> None:
    async def main() -> None:
        flight, asked = InFlight(), Asked(FAILURE)
        asked.go.set()
        for _ in range(2):
            assert await stored_or_asked(store, flight, key_of(1), ABOUT, asked) == FAILURE
        assert asked.calls == 2 and store.stats().answers == 0

    run(main)


def test_an_answer_that_cannot_be_stored_is_a_failure_that_was_paid_for(
    store: Responses, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_room(*given: Any) -> None:
        raise StoreError("make room on the disk")

    monkeypatch.setattr(store, "put_async", no_room)

    async def main() -> None:
        asked = Asked()
        asked.go.set()
        result = await stored_or_asked(store, InFlight(), key_of(1), ABOUT, asked)
        assert isinstance(result, Failure) and result.retryable
        assert "make room" in result.message and result.usage == ANSWER.usage

    run(main)
