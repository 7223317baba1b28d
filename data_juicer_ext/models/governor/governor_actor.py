"""The governor as a named Ray actor, and how a process finds it.

The driver starts it and owns it, so it ends with the job; Ray starts it anew where it dies. Workers
find it by name. The driver keeps what a successor could not learn from workers: keys and budgets.
Outside of Ray nothing here imports it, and limits and budgets are those of the process.
"""

import asyncio
import atexit
import logging
import os
import secrets
import sys
import warnings
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, TypeVar

from data_juicer_ext.models.budget.shared_budget import BudgetLimits, Claim, GovernedBudget, LocalBudget, RunBudget
from data_juicer_ext.models.config.endpoint import NO_KEY, OFFLINE, EndpointConfig
from data_juicer_ext.models.config.handed_keys import HANDED, Keys
from data_juicer_ext.models.event_loop import run, shared
from data_juicer_ext.models.governor.governor_service import GovernorService, State
from data_juicer_ext.models.governor.leases import Lease, WorkerReport
from data_juicer_ext.models.governor.worker_limits import GovernedLimits, GovernorAwayError
from data_juicer_ext.models.limits.circuit_breaker import Address
from data_juicer_ext.models.limits.endpoint_limits import Limits
from data_juicer_ext.models.types import Failure

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

WATCH_S = 0.5
RETRY_S = 0.25
END_S = 2.0  # for the last question to the governor
BUDGET_WAIT_S = 60.0  # calls wait so long for a governor that is away
_MOST_CALLS = 100_000  # at once to the actor: a report waits there for its answer


class RayGovernor(GovernorService):
    """The service as an actor that knows whether Ray has started it anew."""

    def __init__(self, recovering: bool) -> None:
        import ray

        with warnings.catch_warnings():  # about what Ray itself uses there
            warnings.simplefilter("ignore")
            restarted = ray.get_runtime_context().was_current_actor_reconstructed
        super().__init__(recovering or restarted)


def on_ray() -> bool:
    """Whether this process is part of a Ray job; imports nothing."""
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


def limits_for(config: EndpointConfig, address: Address) -> Limits:
    """The limits for calls to an endpoint: of this process, or on Ray its part of the cluster's."""
    if not on_ray():
        return Limits(config.max_concurrency, config.requests_per_minute, config.tokens_per_minute)
    paced = bool(config.requests_per_minute or config.tokens_per_minute)
    return GovernedLimits(_Desk(config).report, _worker(), paced, address)


def budget_for(limits: BudgetLimits) -> RunBudget:
    """The budget of a run, one per process: its own, or on Ray, if there is a limit, its part of all workers'.

    Not to be called within `loop.shared`.
    """
    if not on_ray() or not (limits.max_cost or limits.max_calls):
        return shared(("budget", limits), lambda: LocalBudget(limits))

    async def claim(claim: Claim) -> tuple[int, Failure | None]:
        return await _asked(lambda actor: actor.claim.remote(limits, claim), BUDGET_WAIT_S)

    return shared(("budget", limits), lambda: GovernedBudget(claim, _worker()))


def share_with_workers(config: EndpointConfig) -> None:
    """Called by the driver before the first task: start the governor, hand it the endpoint's key.

    Does nothing outside of Ray, and may be called for every operator. Returns at once.
    """
    if not on_ray() or config.model == OFFLINE:
        return
    run(shared("governor watch", _Watch).offer(config.api_key_env, config.key()))


class _Desk:
    """Where the reports on one endpoint go; fetches the endpoint's key first, if this process has none."""

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._has_key = False

    async def report(self, report: WorkerReport) -> Lease | None:
        if not self._has_key:
            name = self._config.api_key_env
            if name != NO_KEY and not os.environ.get(name, "").strip():
                HANDED.take(await _once(lambda actor: actor.key.remote(name)))
            self._has_key = True
        lease: Lease | None = await _once(lambda actor: actor.report.remote(self._config, report))
        return lease


class _Watch:
    """The driver's side: keeps keys and the state of the budgets, and gives them to a successor."""

    def __init__(self) -> None:
        self._keys = Keys()
        self._state = State()
        self._watching: asyncio.Task[None] | None = None
        # Ray ends this process, with an error, when it is asked anything after its own end. What is registered now,
        # once Ray is there, is called before that.
        atexit.register(self._end, os.getpid())

    async def offer(self, name: str, key: str) -> None:
        if self._watching is None or self._watching.done():
            await asyncio.to_thread(_create, False)
            self._watching = asyncio.ensure_future(self._watch())
        offered = Keys({name: key})
        if not self._keys.knows(name) or self._keys.get(name) != key:
            self._keys.take(offered)
            _actor().offer_keys.remote(offered)

    def _end(self, process: int) -> None:
        if os.getpid() == process:  # a forked child has no such loop
            run(self._ended())

    async def _ended(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching}, timeout=END_S)

    async def _watch(self) -> None:
        while on_ray():
            try:
                state: State = await _once(lambda actor: actor.watch.remote(self._state))
                if state.incarnation != self._state.incarnation:
                    await _once(lambda actor: actor.offer_keys.remote(self._keys))
                self._state = state
            except GovernorAwayError:
                pass  # it is looked for, and if need be created, again
            await asyncio.sleep(WATCH_S)


def _worker() -> str:
    return _name_of(os.getpid())


@cache
def _name_of(process: int) -> str:
    return f"{process}-{secrets.token_hex(8)}"


def _name() -> str:
    import ray

    return f"dj-ext-governor-{ray.get_runtime_context().get_job_id()}"


_handle: Any = None


def _actor() -> Any:
    """The governor's handle, looked up by name, created where there is none."""
    global _handle
    if _handle is None:
        import ray

        try:
            _handle = ray.get_actor(_name())
        except ValueError:
            # Whoever was here before may have left leases behind.
            _handle = _create(True)
    return _handle


def _create(recovering: bool) -> Any:
    global _handle
    import ray

    # Keys never go into the arguments of a constructor, which Ray keeps and may show.
    _handle = (
        ray.remote(RayGovernor)
        .options(name=_name(), get_if_exists=True, num_cpus=0, max_restarts=-1, max_concurrency=_MOST_CALLS)
        .remote(recovering)
    )
    return _handle


async def _once(call: Callable[[Any], Awaitable[T]]) -> T:
    """The value of one call to the governor. Raises GovernorAwayError if there is none now."""
    global _handle
    if not on_ray():  # any call would start a cluster of its own
        raise GovernorAwayError("Ray was shut down")
    import ray

    try:
        return await call(_handle or await asyncio.to_thread(_actor))
    except ray.exceptions.RayError as error:
        _handle = None  # where it died for good, another one has its name
        _warn(type(error).__name__)
        raise GovernorAwayError(type(error).__name__) from error


@cache
def _warn(kind: str) -> None:
    """Say once per kind that the governor does not answer: work goes on with what is held."""
    _LOG.warning("the governor of the limits does not answer (%s); this worker goes on with its lease", kind)


async def _asked(call: Callable[[Any], Awaitable[T]], patience: float) -> T:
    """As `_once`, and waits `patience` seconds for a governor that is away."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    while True:
        try:
            return await _once(call)
        except GovernorAwayError:
            if loop.time() > until:
                raise
            await asyncio.sleep(RETRY_S)
