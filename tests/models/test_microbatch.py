"""Many questions in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from data_juicer_ext.models.event_loop import Microbatch


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
