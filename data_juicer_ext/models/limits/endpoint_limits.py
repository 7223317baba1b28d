"""The limits of one endpoint within a process: calls in flight, requests and tokens per minute, pauses.

All of it runs on one event loop, so nothing here needs a lock.
"""

import asyncio
import copy
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# A pace lets this many seconds' worth of calls go at once; more would show as a burst above the
# limit in the provider's own window.
BURST_S = 1.0


class Slots:
    """A bound on calls in flight; calls that are tried again go before new ones.

    Without that order a retry would queue behind thousands of calls of its batch, and the batch
    would end in a wait for it.
    """

    def __init__(self, number: int) -> None:
        self._free = number
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self, urgent: bool = False) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._urgent if urgent else self._waiting).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was handed over just before
                self.release()
            raise

    def release(self) -> None:
        for queue in (self._urgent, self._waiting):
            while queue:
                turn = queue.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._free += 1


class Pace:
    """One amount per minute, spread evenly (generic cell rate algorithm); 0 a minute is no limit."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._each = 60.0 / per_minute if per_minute else 0.0
        self._used_up_to = now

    def reserve(self, amount: float, now: float) -> float:
        """Take `amount` and give the seconds to wait before it may be used."""
        start = max(self._used_up_to, now - BURST_S)
        self._used_up_to = start + amount * self._each
        return max(0.0, start - now)

    def copy(self) -> "Pace":
        """A pace to try out what would have to wait."""
        return copy.copy(self)

    def wait(self, now: float) -> float:
        """Seconds until an amount that is reserved then may be used at once."""
        return max(0.0, self._used_up_to - now)

    def correct(self, difference: float) -> None:
        """Take `difference` more than was reserved (less, if it is negative)."""
        self._used_up_to += difference * self._each


class Limits:
    """What every call to an endpoint passes before it goes out."""

    def __init__(self, max_concurrency: int, requests_per_minute: int, tokens_per_minute: int) -> None:
        now = time.monotonic()
        self._slots = Slots(max_concurrency)
        self._requests = Pace(requests_per_minute, now)
        self._tokens = Pace(tokens_per_minute, now)
        self._paused_until = 0.0

    @asynccontextmanager
    async def slot(self, urgent: bool) -> AsyncIterator[None]:
        """Hold one of the slots."""
        await self._slots.acquire(urgent)
        try:
            yield
        finally:
            self._slots.release()

    def pause(self, seconds: float) -> None:
        """Let no call of this endpoint go out for `seconds`."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def paused_for(self) -> float:
        """Seconds until calls may go out again."""
        return max(0.0, self._paused_until - time.monotonic())

    async def turn(self, tokens: int) -> None:
        """Wait until a call of about `tokens` tokens may go out."""
        now = time.monotonic()
        wait = max(self._requests.reserve(1, now), self._tokens.reserve(tokens, now))
        while wait > 0 or (wait := self.paused_for()) > 0:
            await asyncio.sleep(wait)
            wait = 0.0

    def count_tokens(self, reserved: int, used: int) -> None:
        """Correct the pace by what a call really took."""
        self._tokens.correct(used - reserved)
