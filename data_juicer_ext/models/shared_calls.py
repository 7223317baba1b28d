"""The same request in flight twice is sent once, and an answer is stored before anybody uses it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.run_store import RunStore
from data_juicer_ext.models.types import Answer, Failure, Result, Usage


@dataclass
class _SharedCall:
    task: asyncio.Future[Result]
    waiters: int = 0


class InFlight:
    """The calls under way on one event loop, by the key of their request."""

    def __init__(self) -> None:
        self._calls: dict[str, _SharedCall] = {}

    def __len__(self) -> int:
        return len(self._calls)

    async def once(self, key: str, make: Callable[[], Awaitable[Result]]) -> Result:
        """The result of `make()`, or of the call under the same key that is already on its way.

        Whoever joins a call gets its result marked as free of charge (an answer `from_store`, a
        failure without tries and usage), so that no token is counted twice. Failures and exceptions
        are shared too. A waiter that is cancelled leaves the others alone; with the last one the
        call itself is cancelled, and has ended when this returns.
        """
        call = self._calls.get(key)
        joined = call is not None
        if call is None:
            call = self._start(key, make)
        call.waiters += 1
        try:
            result = await asyncio.shield(call.task)
        except asyncio.CancelledError:
            if call.waiters == 1 and not call.task.done():
                self._forget(key, call)  # nobody may join a call that is being cancelled
                call.task.cancel()
                await asyncio.wait([call.task])
            raise
        finally:
            call.waiters -= 1
        return _free_of_charge(result) if joined else result

    def _start(self, key: str, make: Callable[[], Awaitable[Result]]) -> _SharedCall:
        call = self._calls[key] = _SharedCall(asyncio.ensure_future(make()))
        call.task.add_done_callback(lambda task: self._ended(key, call, task))
        return call

    def _ended(self, key: str, call: _SharedCall, task: asyncio.Future[Result]) -> None:
        self._forget(key, call)
        if not task.cancelled():
            task.exception()  # seen: it may be that nobody waits for it any more

    def _forget(self, key: str, call: _SharedCall) -> None:
        if self._calls.get(key) is call:
            del self._calls[key]


async def stored_or_asked(
    store: RunStore, in_flight: InFlight, key: str, about: Mapping[str, Any], ask: Callable[[], Awaitable[Result]]
) -> Result:
    """The stored answer under `key`, or the one of `ask()`, which is on disk when this returns.

    Failures are never stored. An answer that cannot be stored becomes a failure of kind `store` that
    carries its usage: a run that went on would pay for answers that the next run has to pay for
    again. Raises StoreError if the store cannot be read.
    """
    # The look-up is part of the call: else one that began before an answer was stored would end after the call
    # that brought it, and ask again.
    return await in_flight.once(key, partial(_find_or_ask, store, key, about, ask))


async def _find_or_ask(
    store: RunStore, key: str, about: Mapping[str, Any], ask: Callable[[], Awaitable[Result]]
) -> Result:
    found = await store.get_async(key)
    if found is not None:
        return found
    result = await ask()
    return result if isinstance(result, Failure) else await _store(store, key, about, result)


async def _store(store: RunStore, key: str, about: Mapping[str, Any], answer: Answer) -> Result:
    try:
        await store.put_async(key, answer, about)
    except StoreError as error:
        text = f"the answer came and could not be stored: {error}"
        return Failure("store", text, True, answer.seconds, answer.tries, answer.usage)
    return answer


def _free_of_charge(result: Result) -> Result:
    if isinstance(result, Answer):
        return replace(result, from_store=True)
    return replace(result, tries=0, usage=Usage())
