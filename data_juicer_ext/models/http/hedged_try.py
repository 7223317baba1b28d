"""One try of a call: a copy of it, or more where it is slow, and the first usable outcome.

A cancelled try still gives what has already arrived: an answer that was paid for is then stored
by whoever waits for it, and the next run need not pay again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.http.retry import decide

TryOutcome: TypeAlias = Completion | Exception

HEAD_GRACE_S = 0.05  # a response may have reached this machine and not yet this process
BODY_GRACE_S = 1.0  # a response whose head has come is likely whole within this time
# Where one call in a hundred hangs, one in ten thousand does so twice: a batch of some thousands has one.
MOST_COPIES = 3


@dataclass
class Copy:
    """One copy of a call: `sent_at` is set once it is on its way, `arrived` once its response's head is here.

    `sent_at` is a time of the monotonic clock in seconds.
    """

    sent_at: float | None = None
    arrived: bool = False


Send: TypeAlias = Callable[[Copy], Awaitable[TryOutcome]]
Patience: TypeAlias = Callable[[float], float]


class Race:
    """Runs the copies of one try. `cancelled`: the try was cancelled, and an answer was here already."""

    def __init__(self) -> None:
        self.cancelled = False
        self._copies: dict[asyncio.Future[TryOutcome], Copy] = {}

    async def run(self, first: Send, another: Send | None = None, look: Patience = lambda elapsed: 0.0) -> TryOutcome:
        """The first usable outcome, or the first copy's where none is usable.

        `look(elapsed)` is asked while no copy has come back, with the seconds since the latest was sent: it gives the
        seconds until it wants to be asked again, or 0 to start `another`, up to `MOST_COPIES` in all. The slower copies
        are cancelled and have ended when this returns. `first` and `another` raise nothing but CancelledError.
        """
        try:
            self._start(first)
            while another is not None and len(self._copies) < MOST_COPIES and await self._is_slow(look):
                self._start(another)
            return await self._first_usable()
        except asyncio.CancelledError:
            outcome = await self._what_arrived()
            if outcome is None:
                raise
            self.cancelled = True
            return outcome
        finally:
            await self._end()

    @property
    def abandoned(self) -> int:
        """How many copies were on their way and did not come back before another had won."""
        return sum(copy.sent_at is not None for task, copy in self._copies.items() if task.cancelled())

    async def _is_slow(self, look: Patience) -> bool:
        """Wait until a copy is back (False), or `look` has no more patience with the latest."""
        latest = list(self._copies.values())[-1]
        while not self._done():
            wait = look(0.0 if latest.sent_at is None else time.monotonic() - latest.sent_at)
            if wait <= 0:
                return True
            await asyncio.wait(self._copies, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
        return False

    def _done(self) -> bool:
        return any(task.done() for task in self._copies)

    def _start(self, send: Send) -> None:
        copy = Copy()
        self._copies[asyncio.ensure_future(send(copy))] = copy

    async def _first_usable(self) -> TryOutcome:
        pending = set(self._copies)
        while pending:
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            outcome = self._usable()
            if outcome is not None:
                return outcome
            # A copy that still waits for a slot may be waiting for the one that we hold.
            pending = {task for task in pending if self._copies[task].sent_at is not None}
        return next(iter(self._copies)).result()

    def _usable(self) -> TryOutcome | None:
        for task in self._copies:
            if task.done() and not task.cancelled() and decide(task.result()) is None:
                return task.result()
        return None

    async def _what_arrived(self) -> TryOutcome | None:
        await asyncio.wait(self._copies, timeout=HEAD_GRACE_S, return_when=asyncio.FIRST_COMPLETED)
        coming = [task for task, copy in self._copies.items() if copy.arrived and not task.done()]
        if self._usable() is None and coming:
            await asyncio.wait(coming, timeout=BODY_GRACE_S, return_when=asyncio.FIRST_COMPLETED)
        return self._usable()

    async def _end(self) -> None:
        late = [task for task in self._copies if not task.done()]
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)
