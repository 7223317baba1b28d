"""What the governor of a cluster offers to workers and driver, on one event loop, whatever carries it.

A report is answered as soon as there is something to tell, and after `POLL_S` at the latest, so that
a slot which one worker gives back reaches another at once and not with its next report.
"""

import asyncio
import math
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from data_juicer_ext.models.budget.run_budget import Spent
from data_juicer_ext.models.budget.shared_budget import BudgetLimits, Claim, SharedBudget
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.config.handed_keys import Keys
from data_juicer_ext.models.governor.leases import LEASE_S, Governor, Lease, WorkerReport
from data_juicer_ext.models.types import Failure

POLL_S = 0.25
SHORTEST_WAIT_S = 0.005
KEY_WAIT_S = 10.0  # a worker's question may come before the driver's offer, and waits so long for it


@dataclass
class _Endpoint:
    governor: Governor
    waiting: dict[str, asyncio.Event] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """What a successor cannot learn from the workers. `incarnation` names who knew it."""

    incarnation: str = ""
    spent: Mapping[BudgetLimits, Mapping[str, Spent]] = field(default_factory=dict)


class GovernorService:
    """Leases for every endpoint, keys, and the budget of every run.

    `recovering`: another one died, whose leases are still in use.
    """

    def __init__(self, recovering: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._recovered_at = clock() + LEASE_S if recovering else -math.inf
        self._incarnation = secrets.token_hex(8)
        self._endpoints: dict[EndpointConfig, _Endpoint] = {}
        self._alive: set[str] = set()  # addresses
        self._budgets: dict[BudgetLimits, SharedBudget] = {}
        self._keys = Keys()
        self._keys_came = asyncio.Event()

    async def report(self, config: EndpointConfig, report: WorkerReport) -> Lease | None:
        """The lease that answers a report; None if the same worker has sent a later one."""
        now = self._clock()
        here = self._endpoint(config, now)
        for gone in here.governor.forget_gone(now):
            for budget in self._budgets.values():
                budget.gone(gone)
        fresh = here.governor.note(report, now)
        self._wake(here, report.worker, now)
        if report.alive:
            self._alive.add(config.address)
        lease = await self._lease(here, report, now + POLL_S) if fresh else None
        return lease and replace(lease, alive=config.address in self._alive)

    async def _lease(self, here: _Endpoint, report: WorkerReport, until: float) -> Lease | None:
        governor, name = here.governor, report.worker
        event = here.waiting[name] = asyncio.Event()
        try:
            while not report.leaving and governor.number(name) == report.number:
                now = self._clock()
                if now >= until or governor.news(name, now):
                    break
                event.clear()
                await _set_or_later(event, min(until - now, max(SHORTEST_WAIT_S, governor.next_turn(name, now))))
            if not report.leaving and governor.number(name) != report.number:
                return None
            return governor.lease(name, self._clock())
        finally:
            if here.waiting.get(name) is event:
                del here.waiting[name]

    def _endpoint(self, config: EndpointConfig, now: float) -> _Endpoint:
        if config not in self._endpoints:
            limits = (config.max_concurrency, config.requests_per_minute, config.tokens_per_minute)
            self._endpoints[config] = _Endpoint(Governor(*limits, now, self._recovered_at))
        return self._endpoints[config]

    def _wake(self, here: _Endpoint, reporter: str, now: float) -> None:
        for name, event in here.waiting.items():
            if name == reporter or here.governor.news(name, now):
                event.set()

    async def claim(self, limits: BudgetLimits, claim: Claim) -> tuple[int, Failure | None]:
        """How many calls the worker may send within the budget of the run, and why no more."""
        return self._budget(limits).claim(claim)

    async def spent(self, limits: BudgetLimits) -> Spent:
        """What all workers have spent of a budget, earlier runs included."""
        return self._budget(limits).spent

    def _budget(self, limits: BudgetLimits) -> SharedBudget:
        if limits not in self._budgets:
            self._budgets[limits] = SharedBudget(limits)
        return self._budgets[limits]

    async def offer_keys(self, keys: Keys) -> None:
        """Take keys to hand to workers."""
        self._keys.take(keys)
        self._keys_came.set()

    async def key(self, name: str) -> Keys:
        """The key for an environment variable, once the driver has offered it or told that there is none."""
        until = time.monotonic() + KEY_WAIT_S
        while not self._keys.knows(name) and (left := until - time.monotonic()) > 0:
            self._keys_came.clear()
            await _set_or_later(self._keys_came, left)
        return self._keys.only(name)

    async def watch(self, known: State) -> State:
        """The state to keep for a successor; `known` is what the driver kept so far.

        A state with another incarnation tells the driver to offer its keys again.
        """
        if known.incarnation not in ("", self._incarnation):
            for limits, parts in known.spent.items():
                self._budget(limits).restore(parts)
        return State(self._incarnation, {limits: budget.parts() for limits, budget in self._budgets.items()})


async def _set_or_later(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return
