"""Many small questions asked as one call, on one event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Together(Generic[T, R]):
    """Hands items to `call`, up to `most` at once: what comes while one call is out goes with the next.

    `call` gives a result for each item, in order; what it raises, each of its items raises. An item
    goes out even if who has asked is cancelled.
    """

    def __init__(self, call: Callable[[list[T]], Awaitable[Sequence[R]]], most: int) -> None:
        self._call, self._most = call, most
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def ask(self, item: T) -> R:
        """The result for one item."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())
        return await future

    async def _send(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            items, futures = [item for item, _ in some], [future for _, future in some]
            try:
                results = await self._call(items)
            except Exception as error:
                for future in futures:
                    if not future.done():  # else its waiter was cancelled
                        future.set_exception(error)
                continue
            for future, result in zip(futures, results, strict=True):
                if not future.done():
                    future.set_result(result)
