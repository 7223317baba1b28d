"""Shares the limits of one endpoint among workers: slots by lease, turns by count, pauses for all.

Workers report what they hold and what they need, and get a lease in reply. The rules that keep the
whole below its limit, whatever is late, lost or dead:

- A worker has one report under way at a time, numbers them, and takes no reply to an older one. So
  what a report says it holds is all that it holds.
- A slot belongs to a worker until it reports that it holds less: a lease that shrinks frees nothing
  by itself. Leases move only where somebody is short.
- A worker that is not heard of for `LEASE_S` loses its lease; on its side the lease ends sooner, as it counts from when
  it sent the report that was answered. What it still has in flight then is not counted.
- Requests and tokens per minute are paced here, in one place, and given out as a count of turns that
  only ever grows. So a lost reply loses nothing and no rate has to be handed from worker to worker.
- A governor that replaces one that died knows no leases: it gives no slots for `LEASE_S`, in which the
  workers go on with what they hold and report it.

No clock and no transport here: `now` is one monotonic clock in seconds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from data_juicer_ext.models.limits.endpoint_limits import Pace


def fair_slots(limit: int, demands: Sequence[int], turn: int = 0) -> list[int]:
    """The max-min fair share of each demand in `limit` slots; the shares add up to `limit` at most.

    Where there are more demands than slots, each share is 0 or 1, and another `turn` favours others:
    within ceil(demands / limit) successive turns each has had a slot.
    """
    shares = [0] * len(demands)
    hungry = sorted((place for place, demand in enumerate(demands) if demand > 0), key=lambda place: demands[place])
    left, first = limit, 0
    while first < len(hungry) and demands[hungry[first]] <= left // (len(hungry) - first):
        shares[hungry[first]] = demands[hungry[first]]
        left -= demands[hungry[first]]
        first += 1
    rest = sorted(hungry[first:])
    if not rest:
        return shares
    level, more = divmod(left, len(rest))
    start = 0 if level else turn * more % len(rest)
    for place, who in enumerate(rest[start:] + rest[:start]):
        shares[who] = level + (place < more)
    return shares


PAUSE_TOLERANCE_S = 0.05  # workers repeat their pauses, each time with another delay on the way
LEASE_S = 5.0  # how long a lease holds without a report
ROTATION_S = 1.0  # how long a worker keeps a slot that others wait for in vain


@dataclass(frozen=True)
class WorkerReport:
    """What one worker says about one endpoint.

    `held`: slots that it may use until it takes a new lease. `demand`: calls in flight and waiting for
    a slot. `turns`: all turns that it ever got. `waiting`: the tokens of the calls that wait for a
    turn, first come first. `correction`: tokens that all its calls took beyond what was reserved.
    `pause`: seconds for which the endpoint told this worker to wait. `alive`: its address has answered.
    """

    worker: str
    number: int
    held: int = 0
    demand: int = 0
    turns: int = 0
    waiting: tuple[int, ...] = ()
    correction: int = 0
    pause: float = 0.0
    alive: bool = False

    @property
    def leaving(self) -> bool:
        """Whether the worker holds nothing and wants nothing."""
        return not (self.held or self.demand or self.waiting)


@dataclass(frozen=True)
class Lease:
    """What a worker may do: use `slots`, have had `turns` in all, send nothing for `pause` seconds.

    `scarce`: there are more calls than slots, so that it helps to report soon what is not needed.
    `alive`: a worker has had an answer from the endpoint's address.
    """

    slots: int
    turns: int
    pause: float = 0.0
    scarce: bool = False
    alive: bool = False


@dataclass
class _Worker:
    turns: int
    correction: int
    served: float
    number: int = 0
    seen: float = 0.0
    held: int = 0
    demand: int = 0
    told: int = 0
    told_pause: float = 0.0
    told_scarce: bool = False
    waiting: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Plan:
    """Where the slots should go. `spare`: what each may have beyond its fair share.

    `short`: somebody has less than its fair share, and what is free does not make up for it.
    """

    fair: dict[str, int]
    free: int
    short: bool
    spare: int
    scarce: bool


class Governor:
    """The limits of one endpoint over all workers. 0 requests or tokens per minute is no limit.

    Until `recovered_at` workers may hold leases that this governor does not know of yet: it gives none.
    """

    def __init__(
        self,
        max_concurrency: int,
        requests_per_minute: int,
        tokens_per_minute: int,
        now: float,
        recovered_at: float = -math.inf,
    ) -> None:
        self._limit = max_concurrency
        self._requests = Pace(requests_per_minute, now)
        self._tokens = Pace(tokens_per_minute, now)
        self._recovered_at = recovered_at
        self._paused_until = now
        self._workers: dict[str, _Worker] = {}
        self._planned: tuple[int, _Plan] | None = None

    @property
    def granted(self) -> int:
        """The slots that workers hold."""
        return sum(worker.held for worker in self._workers.values())

    def number(self, name: str) -> int:
        """The number of the last report of a worker, 0 if it is not known."""
        return self._workers[name].number if name in self._workers else 0

    def pause(self, now: float) -> float:
        """Seconds for which nobody may send."""
        return max(0.0, self._paused_until - now)

    def note(self, report: WorkerReport, now: float) -> bool:
        """Take in a report; False if a later one of the same worker has come before it."""
        self.forget_gone(now)
        worker = self._workers.get(report.worker) or _Worker(report.turns, report.correction, now)
        if report.number <= worker.number:
            return False
        worker.number, worker.seen = report.number, now
        worker.held = worker.told = report.held
        worker.demand = report.demand
        worker.waiting = list(report.waiting[max(0, worker.turns - report.turns) :])
        self._tokens.correct(report.correction - worker.correction)
        worker.correction = report.correction
        self._paused_until = max(self._paused_until, now + report.pause)
        self._workers[report.worker] = worker
        if report.leaving:
            del self._workers[report.worker]
        self._planned = None
        return True

    def lease(self, name: str, now: float) -> Lease:
        """The lease of a worker, which counts as granted from now on."""
        worker = self._workers.get(name)
        if worker is None:
            return Lease(0, 0, self.pause(now))
        slots = worker.told = self._slots(name, now)
        worker.told_pause = self._paused_until
        worker.told_scarce = self._scarce(now)
        if slots > worker.held:
            worker.held = slots
            self._planned = None
        for _ in range(self._turns(worker, now)):
            self._requests.reserve(1, now)
            self._tokens.reserve(worker.waiting.pop(0), now)
            worker.turns += 1
            worker.served = now
        return Lease(slots, worker.turns, self.pause(now), worker.told_scarce)

    def news(self, name: str, now: float) -> bool:
        """Whether `lease` would tell the worker anything that it does not know."""
        worker = self._workers.get(name)
        return (
            worker is None
            or self._paused_until > max(now, worker.told_pause + PAUSE_TOLERANCE_S)
            or self._slots(name, now) != worker.told
            or self._scarce(now) != worker.told_scarce
            or self._turns(worker, now) > 0
        )

    def next_turn(self, name: str, now: float) -> float:
        """Seconds until the worker may get a turn; infinite if it waits for none."""
        worker = self._workers.get(name)
        if worker is None or not worker.waiting:
            return math.inf
        return max(self._requests.wait(now), self._tokens.wait(now), self.pause(now))

    def forget_gone(self, now: float) -> list[str]:
        """End the leases of workers that are not heard of any more; their names."""
        gone = [name for name, worker in self._workers.items() if now - worker.seen > LEASE_S]
        for name in gone:
            del self._workers[name]
            self._planned = None
        return gone

    def _slots(self, name: str, now: float) -> int:
        held = self._workers[name].held
        if now < self._recovered_at:
            return held
        plan = self._plan(now)
        if plan.fair[name] <= held:
            return plan.fair[name] if plan.short else held
        # Beyond what it asks for, a worker gets its part of what nobody needs: its next calls then wait for no reply.
        return held + max(0, min(plan.free, plan.fair[name] + plan.spare - held))

    def _scarce(self, now: float) -> bool:
        # What is given back before all is known cannot be given to anybody: then better keep it.
        return now >= self._recovered_at and self._plan(now).scarce

    def _plan(self, now: float) -> _Plan:
        turn = int(now / ROTATION_S)
        if self._planned is None or self._planned[0] != turn:
            self._planned = (turn, self._make_plan(turn))
        return self._planned[1]

    def _make_plan(self, turn: int) -> _Plan:
        names = list(self._workers)
        demands = [worker.demand for worker in self._workers.values()]
        fair = dict(zip(names, fair_slots(self._limit, demands, turn), strict=True))
        free = self._limit - self.granted
        lack = sum(max(0, fair[name] - self._workers[name].held) for name in names)
        needed = sum(max(fair[name], self._workers[name].held) for name in names)
        spare = max(0, self._limit - needed) // max(1, len(names))
        return _Plan(fair, free, lack > free, spare, sum(demands) > self._limit)

    def _turns(self, worker: _Worker, now: float) -> int:
        """How many of the worker's waiting calls may go now, with its part of the turns.

        Whoever got one longest ago comes first, where there is not one for each.
        """
        if not worker.waiting or now < self._paused_until:
            return 0
        others = [other for other in self._workers.values() if other is not worker and other.waiting]
        earlier = sum(other.served < worker.served for other in others)
        ready = self._ready([*worker.waiting, *worker.waiting[-1:] * earlier], now)
        return 0 if ready <= earlier else min(len(worker.waiting), max(1, ready // (1 + len(others))))

    def _ready(self, waiting: list[int], now: float) -> int:
        requests, tokens = self._requests.copy(), self._tokens.copy()
        for number, amount in enumerate(waiting):
            if max(requests.reserve(1, now), tokens.reserve(amount, now)) > 0:
                return number
        return len(waiting)
