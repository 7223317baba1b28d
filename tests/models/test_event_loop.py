"""The process's loop: order, isolation, interruption, forks and other loops."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection

import pytest

from data_juicer_ext.models import event_loop
from data_juicer_ext.models.event_loop import Microbatch
from tests.locks import waits_for


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_run_gives_the_value_and_raises_the_exception() -> None:
    assert event_loop.run(double(4)) == 8

    async def wrong() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        event_loop.run(wrong())


def test_one_loop_for_all_threads() -> None:
    async def which() -> int:
        return id(asyncio.get_running_loop())

    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(event_loop.run(which()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {event_loop.run(which())}


def test_run_inside_the_loop_is_refused_instead_of_hanging() -> None:
    async def inside() -> int:
        return event_loop.run(double(1))

    with pytest.raises(RuntimeError, match="await the coroutine"):
        event_loop.run(inside())


def test_gather_keeps_the_order() -> None:
    async def after(number: int) -> int:
        await asyncio.sleep(0.001 * (10 - number))
        return number

    assert event_loop.run(event_loop.gather_ordered([after(n) for n in range(10)])) == list(range(10))


def test_gather_cancels_the_others_when_one_raises() -> None:
    ended: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def wrong() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        event_loop.run(event_loop.gather_ordered([forever(), wrong(), forever()]))
    assert ended == ["cancelled"] * 2


def test_drive_keeps_the_order_and_isolates_errors() -> None:
    rng = random.Random(3)
    delays = [rng.uniform(0, 0.02) for _ in range(200)]

    async def worker(number: int) -> str:
        await asyncio.sleep(delays[number])
        if number % 7 == 0:
            raise RuntimeError(f"bad {number}")
        return f"good {number}"

    results = event_loop.drive(range(200), worker, lambda number, error: f"{number}: {error}")
    assert results == [f"{n}: bad {n}" if n % 7 == 0 else f"good {n}" for n in range(200)]


def test_drive_bounds_what_is_in_progress() -> None:
    now = peak = 0

    async def worker(_: int) -> None:
        nonlocal now, peak
        now += 1
        peak = max(peak, now)
        await asyncio.sleep(0.001)
        now -= 1

    def never(_: int, error: Exception) -> None:
        raise error

    event_loop.drive(range(50), worker, never, width=8)
    assert peak == 8
    assert event_loop.drive([], worker, never) == []


def test_an_interrupt_cancels_what_runs() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    ended: list[str] = []

    async def forever(_: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    def never(_: int, error: Exception) -> None:
        raise error

    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        event_loop.drive(range(3), forever, never)
    assert ended == ["cancelled"] * 3
    assert event_loop.run(double(1)) == 2


def test_another_event_loop_awaits_the_process_loop() -> None:
    async def which() -> int:
        return id(asyncio.get_running_loop())

    async def other() -> int:
        return await event_loop.on_loop(which())

    assert asyncio.run(other()) == event_loop.run(which())
    assert event_loop.run(other()) == event_loop.run(which())


def test_shared_is_made_once() -> None:
    first = event_loop.shared("test_shared", object)
    assert event_loop.shared("test_shared", object) is first


def _in_child(pipe: Connection) -> None:
    pipe.send((event_loop.run(double(21)), event_loop.shared("test_fork", os.getpid)))
    pipe.close()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    assert event_loop.shared("test_fork", os.getpid) == os.getpid()
    assert event_loop.run(double(1)) == 2
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(there,))
    child.start()
    assert here.poll(10), "the child hangs on its parent's loop"
    assert here.recv() == (42, child.pid)
    child.join(10)
    assert event_loop.shared("test_fork", lambda: 0) == os.getpid()


class Calls:
    """Doubles numbers, a call at a time when it is let; odd calls may fail."""

    def __init__(self) -> None:
        self.made: list[list[int]] = []
        self.go = asyncio.Event()
        self.problem: Exception | None = None

    async def __call__(self, numbers: list[int]) -> Sequence[int]:
        self.made.append(numbers)
        await self.go.wait()
        if self.problem is not None:
            raise self.problem
        return [2 * number for number in numbers]


async def started(together: Microbatch[int, int], *numbers: int) -> list[asyncio.Future[int]]:
    tasks: list[asyncio.Future[int]] = [asyncio.ensure_future(together.ask(number)) for number in numbers]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def test_what_comes_while_a_call_is_out_goes_with_the_next() -> None:
    async def main() -> None:
        calls = Calls()
        together = Microbatch(calls, most=3)
        first = await started(together, 1)
        later = await started(together, 2, 3, 4, 5)
        assert calls.made == [[1]]
        calls.go.set()
        assert await asyncio.gather(*first, *later) == [2, 4, 6, 8, 10]
        assert calls.made == [[1], [2, 3, 4], [5]]
        assert await together.ask(6) == 12

    asyncio.run(main())


def test_a_failure_is_that_of_its_items_alone() -> None:
    async def main() -> None:
        calls = Calls()
        together = Microbatch(calls, most=2)
        calls.problem = OSError("no")
        calls.go.set()
        results = await asyncio.gather(*(together.ask(number) for number in range(3)), return_exceptions=True)
        assert [str(result) for result in results] == ["no"] * 3
        calls.problem = None
        assert await together.ask(1) == 2

    asyncio.run(main())


@pytest.mark.parametrize("fails", [False, True])
def test_who_is_cancelled_takes_nobody_along(fails: bool) -> None:
    async def main() -> None:
        calls = Calls()
        together = Microbatch(calls, most=9)
        [out] = await started(together, 1)
        waiting = await started(together, 2, 3)
        out.cancel()
        waiting[0].cancel()
        calls.problem = OSError("no") if fails else None
        calls.go.set()
        result = await asyncio.gather(waiting[1], return_exceptions=True)
        assert str(result[0]) == ("no" if fails else "6")
        assert calls.made == [[1], [2, 3]]  # they went out all the same

    asyncio.run(main())


def test_threads_wait_for_one_another_to_make_the_loop_and_what_it_shares() -> None:
    assert waits_for(event_loop._lock, event_loop._get)
    assert waits_for(event_loop._get().shared_lock, lambda: event_loop.shared("a lock's test", object))
