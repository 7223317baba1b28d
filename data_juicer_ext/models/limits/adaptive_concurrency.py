"""Limits that follow what the endpoint bears: fewer calls in flight after refusals, more after answers.

Additive increase, multiplicative decrease, as TCP finds the width of a pipe that nobody tells it. A
single refusal says little where many share an account, so the share of them in a round decides; a
round is as many results as calls may be in flight.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from data_juicer_ext.models.limits.endpoint_limits import Limits, Slots
from data_juicer_ext.models.limits.rate_limit_headers import Allowance

TOLERATED = 0.1  # share of refusals in a round that the width bears
DECREASE = 0.7
INCREASE = 1 / 16  # of the width a round, at least one


class ElasticSlots(Slots):
    """Slots whose number changes. Calls in flight stay when it falls: their slots are not given on."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self._excess = 0

    def resize(self, number: int) -> None:
        while self.number < number:
            self.number += 1
            self.release()
        while self.number > number:
            self.number -= 1
            if self._free > 0:
                self._free -= 1
            else:
                self._excess += 1

    def release(self) -> None:
        if self._excess:
            self._excess -= 1
        else:
            super().release()


class AdaptiveLimits:
    """The limits of `inner`, with at most `most` calls in flight and fewer where the endpoint refuses.

    What a provider's headers say is left of requests and tokens is spread over the time until more
    comes. Lives on one event loop.
    """

    def __init__(self, inner: Limits, most: int) -> None:
        self._inner = inner
        self._most = most
        self._slots = ElasticSlots(most)
        self._requests = Allowance("requests")
        self._tokens = Allowance("tokens")
        self._answered = self._refused = 0
        self._narrowed_at = 0.0

    @property
    def width(self) -> int:
        """How many calls may be in flight now."""
        return self._slots.number

    @asynccontextmanager
    async def slot(self, urgent: bool) -> AsyncIterator[None]:
        """Hold one of the slots."""
        await self._slots.acquire(urgent)
        try:
            async with self._inner.slot(urgent):
                yield
        finally:
            self._slots.release()

    async def turn(self, tokens: int) -> None:
        """Wait until a call of about `tokens` tokens may go out."""
        now = time.monotonic()
        wait = max(self._requests.take(1, now), self._tokens.take(tokens, now))
        try:
            if wait > 0:
                await asyncio.sleep(wait)
            await self._inner.turn(tokens)
        finally:
            now = time.monotonic()
            self._requests.paid(1, now)
            self._tokens.paid(tokens, now)

    def told(self, headers: Mapping[str, str]) -> None:
        """Heed the headers of a response."""
        now = time.monotonic()
        self._requests.told(headers, now)
        self._tokens.told(headers, now)

    def note(self, refused: bool, started: float) -> None:
        """Count a call that began at `started` (monotonic): answered, or refused by a rate limit."""
        if refused and started >= self._narrowed_at:  # others were sent at a width that is given up already
            self._refused += 1
        elif not refused:
            self._answered += 1
        if self._refused > TOLERATED * self.width:
            self._narrow()
        elif self._refused + self._answered >= self.width:
            self._widen()

    def _narrow(self) -> None:
        self._slots.resize(max(1, int(self.width * DECREASE)))
        self._answered = self._refused = 0
        self._narrowed_at = time.monotonic()

    def _widen(self) -> None:
        self._slots.resize(min(self._most, self.width + max(1, int(self.width * INCREASE))))
        self._answered = self._refused = 0
