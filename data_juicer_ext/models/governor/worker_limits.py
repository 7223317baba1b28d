"""The worker's side of the governor: limits that look like `Limits` and keep to a lease.

Calls meet no governor: slots are taken from the lease. Beside them a task reports what is held and
needed while there are calls, and falls silent, holding nothing, when there are none.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.governor.leases import LEASE_S, Lease, WorkerReport
from data_juicer_ext.models.limits.adaptive_concurrency import ElasticSlots
from data_juicer_ext.models.limits.circuit_breaker import Address
from data_juicer_ext.models.limits.endpoint_limits import Limits

GAP_S = 0.02  # the shortest time between two reports
IDLE_S = 0.5  # a worker without calls keeps its lease so long: the next batch is often near
ANSWER_S = 1.0  # a report that is not answered by then counts as lost
RETRY_S = 0.25
WAITING_TOLD = 256  # calls waiting for a turn that one report names

AskGovernor: TypeAlias = Callable[[WorkerReport], Awaitable["Lease | None"]]


class GovernorAwayError(DjExtError):
    """The governor is known to be dead or not there yet: nobody else gets slots meanwhile."""


class LeasedSlots(ElasticSlots):
    """Slots of a lease, none at first."""

    def __init__(self) -> None:
        super().__init__(0)

    @property
    def held(self) -> int:
        """The slots that may be or are in use: those of the lease, or more while calls above it end."""
        return self.number + self._excess


class GovernedLimits(Limits):
    """The limits of an endpoint that workers share. `ask` takes a report to the governor.

    `ask` raises GovernorAwayError while there is none. Then the last lease holds on; when it is just not
    answered, the lease ends after `LEASE_S` and no new call goes out. `address` is told, and tells, whether
    the endpoint has answered. Lives on one event loop.
    """

    def __init__(self, ask: AskGovernor, worker: str, paced: bool, address: Address) -> None:
        super().__init__(0, 0, 0)
        self._leased = LeasedSlots()
        self._ask = ask
        self._address = address
        self._worker = worker
        self._paced = paced
        self._demand = 0
        self._wanted_at = 0.0
        self._valid_until = 0.0
        self._own_pause_until = 0.0
        self._turns_had = self._turns_free = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._correction = 0
        self._scarce = False
        self._number = 0
        self._told = WorkerReport(worker, 0)
        self._news = asyncio.Event()
        self._reporting: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def slot(self, urgent: bool) -> AsyncIterator[None]:
        """Hold one of the slots of the lease."""
        self._demand += 1
        self._changed()
        try:
            await self._leased.acquire(urgent)
            try:
                yield
            finally:
                self._end_old_lease()
                self._leased.release()
        finally:
            self._demand -= 1
            self._changed()

    def pause(self, seconds: float) -> None:
        """Let no call of this endpoint go out for `seconds`, from any worker."""
        super().pause(seconds)
        self._own_pause_until = max(self._own_pause_until, time.monotonic() + seconds)
        self._changed(tell=True)

    async def turn(self, tokens: int) -> None:
        """Wait until a call of about `tokens` tokens may go out."""
        if self._paced:
            await self._turn(tokens)
        while (wait := self.paused_for()) > 0:
            await asyncio.sleep(wait)

    async def _turn(self, tokens: int) -> None:
        if self._turns_free > 0:
            self._turns_free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((tokens, turn))
        self._changed()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just before
                self._give_turns(1)
            raise

    def count_tokens(self, reserved: int, used: int) -> None:
        """Correct the pace by what a call really took."""
        self._correction += used - reserved

    def _give_turns(self, number: int) -> None:
        while number and self._waiting:
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                number -= 1
        self._turns_free += number

    def _changed(self, tell: bool = False) -> None:
        """See to it that the governor hears of what matters to it, soon."""
        self._end_old_lease()
        if self._reporting is None or self._reporting.done():
            if self._demand:
                self._reporting = asyncio.ensure_future(self._keep_reporting())
            return
        told, held = self._told, self._leased.held
        unknown_need = self._demand > told.demand and told.demand <= self._leased.number
        given_back = held < told.held
        not_needed = self._scarce and self._demand < min(held, told.demand)
        first_to_wait = bool(self._waiting) and not told.waiting
        if tell or unknown_need or given_back or not_needed or first_to_wait:
            self._news.set()

    def _end_old_lease(self) -> None:
        if self._leased.number and time.monotonic() > self._valid_until:
            self._leased.resize(0)

    async def _keep_reporting(self) -> None:
        self._wanted_at = time.monotonic()
        while True:
            sent = time.monotonic()
            if self._demand:
                self._wanted_at = sent
            elif sent - self._wanted_at > IDLE_S:
                self._leased.resize(0)
                self._turns_free = 0
            report = self._told = self._report(sent)
            try:
                lease = await self._answer(report)
            except GovernorAwayError:
                self._scarce = False  # what is given back now reaches nobody
                self._valid_until = max(self._valid_until, time.monotonic() + LEASE_S)
                lease = None
                await asyncio.sleep(RETRY_S)
            told = lease is not None or sent - self._wanted_at > IDLE_S + LEASE_S
            if report.leaving and told and not self._demand:
                return
            if lease is not None:
                self._adopt(lease, sent)
            self._end_old_lease()
            await asyncio.sleep(max(0.0, GAP_S - (time.monotonic() - sent)))

    def _report(self, now: float) -> WorkerReport:
        self._number += 1
        self._news.clear()
        if self._scarce and self._demand < self._leased.number:  # given back at once, without being told to
            self._leased.resize(self._demand)
        while self._waiting and self._waiting[0][1].done():
            self._waiting.popleft()
        waiting = [tokens for tokens, turn in list(self._waiting)[:WAITING_TOLD] if not turn.done()]
        return WorkerReport(
            self._worker, self._number, self._leased.held, self._demand, self._turns_had, tuple(waiting),
            self._correction, max(0.0, self._own_pause_until - now), self._address.alive,
        )  # fmt: skip

    async def _answer(self, report: WorkerReport) -> Lease | None:
        """The lease for a report; None when something else has to be told, or it takes too long."""
        asked = asyncio.ensure_future(self._ask(report))
        news = asyncio.ensure_future(self._news.wait())
        try:
            await asyncio.wait({asked, news}, timeout=ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else None
        finally:
            # A reply that comes now must not be taken: the next report does not know of it.
            asked.cancel()
            news.cancel()

    def _adopt(self, lease: Lease, sent: float) -> None:
        self._valid_until = sent + LEASE_S
        self._scarce = lease.scarce
        self._address.alive |= lease.alive
        self._leased.resize(lease.slots)
        self._give_turns(max(0, lease.turns - self._turns_had))
        self._turns_had = max(self._turns_had, lease.turns)
        if lease.pause:
            super().pause(lease.pause)
