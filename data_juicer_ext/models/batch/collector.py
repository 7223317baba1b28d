"""Gathers single requests into calls of a provider's batch interface."""

import asyncio
import time
from collections.abc import Mapping
from typing import Protocol

from data_juicer_ext.models.types import Request, Result

# The rows of an operator's batch ask within moments of each other; a pause this long ends a batch.
QUIET_S = 1.0


class BatchAsker(Protocol):
    """As much of a `BatchClient` as is used here."""

    async def answer_many(self, requests: Mapping[str, Request]) -> Mapping[str, Result]:
        """The result of each request, under its key."""
        ...


class BatchCollector:
    """Holds requests until no new one has come for `quiet` seconds, then sends them as one.

    Lives on one event loop. Keys are unique among the requests that wait.
    """

    def __init__(self, asker: BatchAsker, quiet: float = QUIET_S) -> None:
        self._asker, self._quiet = asker, quiet
        self._waiting: dict[str, tuple[Request, asyncio.Future[Result]]] = {}
        self._last = 0.0
        self._sender: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def ask(self, key: str, request: Request) -> Result:
        """The result of one request, once its batch has ended. Raises what the batch interface raises."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting[key] = (request, future)
        self._last = time.monotonic()
        if self._sender is None:
            self._sender = asyncio.ensure_future(self._send_when_quiet())
        return await future

    async def _send_when_quiet(self) -> None:
        while (left := self._last + self._quiet - time.monotonic()) > 0:
            await asyncio.sleep(left)
        batch, self._waiting, self._sender = self._waiting, {}, None
        task = asyncio.ensure_future(self._send(batch))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _send(self, batch: Mapping[str, tuple[Request, asyncio.Future[Result]]]) -> None:
        wanted = {key: request for key, (request, future) in batch.items() if not future.cancelled()}
        error: Exception | None = None
        results: Mapping[str, Result] = {}
        try:
            results = await self._asker.answer_many(wanted)
        except Exception as raised:  # it belongs to those who wait, not to this task
            error = raised
        for key, (_, future) in batch.items():
            if future.done():
                continue
            if key in results:
                future.set_result(results[key])
            else:
                future.set_exception(error or KeyError(f"no result for {key}"))
