"""The shared limits of an endpoint: leases, turns and pauses, over any order of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.models.governor.leases import LEASE_S, Governor, Lease, WorkerReport, fair_slots


@given(st.integers(1, 100), st.lists(st.integers(0, 200), max_size=20), st.integers(0, 50))
def test_shares_are_max_min_fair(limit: int, demands: list[int], turn: int) -> None:
    shares = fair_slots(limit, demands, turn)
    assert sum(shares) == min(limit, sum(demands))
    assert all(share <= demand for share, demand in zip(shares, demands, strict=True))
    short = [share for share, demand in zip(shares, demands, strict=True) if share < demand]
    assert not short or max(shares) <= min(short) + 1


@given(st.integers(1, 10), st.integers(1, 40), st.integers(0, 100))
def test_every_demand_has_its_turn(limit: int, workers: int, turn: int) -> None:
    turns = -(-workers // limit)
    served = [fair_slots(limit, [3] * workers, turn + n) for n in range(turns)]
    assert all(any(shares[worker] for shares in served) for worker in range(workers))


@dataclass
class Model:
    """A worker as the protocol sees it: a lease, calls in flight and waiting, one report under way."""

    name: str
    cap: int = 0
    in_use: int = 0
    waiting: int = 0
    number: int = 0
    turns: int = 0
    used_turns: int = 0
    valid_until: float = 0.0
    sent: float = 0.0
    under_way: WorkerReport | None = None
    reply: Lease | None = None

    @property
    def may_use(self) -> int:
        return max(self.cap, self.in_use)

    def report(self, now: float) -> None:
        self.number += 1
        self.sent, self.reply = now, None
        demand = self.in_use + self.waiting
        tokens = (1,) * self.waiting
        self.under_way = WorkerReport(self.name, self.number, self.may_use, demand, self.turns, tokens)

    def take_reply(self) -> None:
        if self.reply is not None:
            self.cap, self.turns = self.reply.slots, max(self.turns, self.reply.turns)
            self.valid_until = self.sent + LEASE_S
            self.reply = self.under_way = None


@dataclass
class World:
    """Workers, a governor and the messages between them, which are delayed, lost and overtaken."""

    limit: int
    workers: list[Model]
    now: float = 1000.0
    late: list[WorkerReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.governor = Governor(self.limit, 0, 0, self.now)

    def note(self, worker: Model) -> None:
        if worker.under_way is not None:
            self.governor.note(worker.under_way, self.now)

    def answer(self, worker: Model) -> None:
        report = worker.under_way
        if report is not None and worker.reply is None and self.governor.number(worker.name) == report.number:
            worker.reply = self.governor.lease(worker.name, self.now)

    def step(self, action: str, worker: Model) -> None:
        if action == "wants":
            worker.waiting += 3
        elif action == "starts" and worker.waiting and worker.in_use < worker.cap:
            worker.in_use, worker.waiting = worker.in_use + 1, worker.waiting - 1
        elif action == "ends" and worker.in_use:
            worker.in_use -= 1
        elif action == "reports":  # gives up an earlier one, which may come late
            if worker.under_way is not None:
                self.late.append(worker.under_way)
            worker.report(self.now)
        elif action == "arrives":
            self.note(worker)
        elif action == "answered":
            self.answer(worker)
        elif action == "arrives late" and self.late:
            self.governor.note(self.late.pop(0), self.now)
        elif action == "replied":
            worker.take_reply()
        elif action == "dies":
            worker.__init__(f"{worker.name}'")  # type: ignore[misc]
        elif action == "governor dies":
            self.governor = Governor(self.limit, 0, 0, self.now, self.now + LEASE_S)
            for one in self.workers:
                one.under_way = one.reply = None
        self.tick(0.05)

    def tick(self, seconds: float) -> None:
        self.now += seconds
        for worker in self.workers:
            if self.now > worker.valid_until:
                worker.cap = 0

    def round(self) -> None:
        for worker in self.workers:
            started = max(0, min(worker.waiting, worker.cap - worker.in_use))
            worker.in_use, worker.waiting = worker.in_use + started, worker.waiting - started
            worker.report(self.now)
            self.note(worker)
            self.answer(worker)
            worker.take_reply()
        self.tick(0.25)


ACTIONS = ["wants", "starts", "ends", "reports", "arrives", "arrives late", "answered", "replied"]
steps = st.lists(
    st.tuples(st.sampled_from(ACTIONS * 9 + ["dies", "governor dies"]), st.integers(0, 3)), min_size=80, max_size=160
)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 12), steps)
def test_never_more_than_the_limit_whatever_happens(limit: int, events: list[tuple[str, int]]) -> None:
    world = World(limit, [Model(str(number)) for number in range(4)])
    for action, number in events:
        world.step(action, world.workers[number])
        # A worker that is cut off starts nothing; what it has in flight then is not counted.
        assert sum(one.cap for one in world.workers) <= limit
        assert sum(one.may_use for one in world.workers if world.now <= one.valid_until) <= limit


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), steps, st.lists(st.integers(0, 30), min_size=4, max_size=4))
def test_all_slots_are_used_and_nobody_starves(limit: int, events: list[tuple[str, int]], wanted: list[int]) -> None:
    world = World(limit, [Model(str(number)) for number in range(4)])
    for action, number in events:
        world.step(action, world.workers[number])
    for worker in world.workers:
        worker.in_use, worker.waiting = 0, 0
    had: set[str] = set()
    used = []
    for number in range(60):
        for worker, demand in zip(world.workers, wanted, strict=True):
            worker.waiting, worker.in_use = demand, 0  # all calls of the last round have ended
        world.round()
        if number * 0.25 > LEASE_S + 1:
            used.append(sum(one.cap for one in world.workers) / max(1, min(limit, sum(wanted))))
            had.update(one.name for one in world.workers if one.cap)
    assert {one.name for one, demand in zip(world.workers, wanted, strict=True) if demand} <= had
    # Slots that go round among too many workers are unused for the one round in which they move.
    rotates = limit < sum(demand > 0 for demand in wanted)
    assert sum(used) / len(used) >= (0.5 if rotates else 1.0) or not any(wanted)


def test_a_lease_frees_nothing_until_it_is_confirmed() -> None:
    governor = Governor(8, 0, 0, 0.0)
    governor.note(WorkerReport("a", 1, 0, 20), 0.0)
    assert governor.lease("a", 0.0).slots == 8
    governor.note(WorkerReport("b", 1, 0, 20), 0.1)
    assert governor.lease("b", 0.1) == Lease(0, 0, scarce=True)
    assert governor.news("a", 0.1)
    assert governor.lease("a", 0.1).slots == 4
    governor.note(WorkerReport("a", 2, 8, 20), 0.2)  # eight calls are still in flight
    assert not governor.news("b", 0.2)
    governor.note(WorkerReport("a", 3, 5, 20), 0.3)
    assert governor.lease("b", 0.3).slots == 3


def test_a_report_that_was_overtaken_changes_nothing() -> None:
    governor = Governor(8, 0, 0, 0.0)
    assert governor.note(WorkerReport("a", 2, 0, 8), 0.0)
    assert governor.lease("a", 0.0).slots == 8
    assert not governor.note(WorkerReport("a", 1, 0, 0), 0.1)
    governor.note(WorkerReport("b", 1, 0, 8), 0.2)
    assert governor.lease("b", 0.2).slots == 0


def test_two_that_wait_are_not_given_the_same_slots() -> None:
    governor = Governor(8, 0, 0, 0.0)
    governor.note(WorkerReport("a", 1, 6, 20), 0.0)
    for name in "bc":
        governor.note(WorkerReport(name, 1, 0, 5), 0.0)
    assert [governor.lease(name, 0.0).slots for name in "abc"] == [3, 2, 0]
    assert governor.granted == 8
    governor.note(WorkerReport("a", 2, 3, 20), 0.1)
    assert [governor.lease(name, 0.1).slots for name in "cba"] == [2, 3, 3]


def test_nothing_is_asked_back_while_it_could_not_be_given_on() -> None:
    governor = Governor(8, 0, 0, 0.0, recovered_at=LEASE_S)
    governor.note(WorkerReport("a", 5, 6, 1), 0.1)
    governor.note(WorkerReport("b", 5, 2, 20), 0.1)
    assert governor.lease("a", 0.1) == Lease(6, 0, scarce=False)
    assert not governor.news("a", LEASE_S - 0.1)
    assert governor.lease("a", LEASE_S).slots == 1


def test_who_wants_nothing_gives_way_and_who_is_alone_has_all() -> None:
    governor = Governor(8, 0, 0, 0.0)
    governor.note(WorkerReport("a", 1, 0, 1), 0.0)
    assert governor.lease("a", 0.0).slots == 8
    governor.note(WorkerReport("b", 1, 0, 20), 0.1)
    assert governor.lease("a", 0.1).slots == 1
    governor.note(WorkerReport("a", 2, 1, 1), 0.2)
    assert governor.lease("b", 0.2).slots == 7


def test_a_dead_worker_loses_its_lease() -> None:
    governor = Governor(8, 0, 0, 0.0)
    governor.note(WorkerReport("dead", 1, 0, 8), 0.0)
    governor.lease("dead", 0.0)
    governor.note(WorkerReport("b", 1, 0, 8), LEASE_S - 0.1)
    assert governor.lease("b", LEASE_S - 0.1).slots == 0
    governor.note(WorkerReport("b", 2, 0, 8), LEASE_S + 0.1)
    assert governor.lease("b", LEASE_S + 0.1).slots == 8


def test_a_successor_waits_for_the_leases_of_its_predecessor() -> None:
    governor = Governor(8, 0, 0, 0.0, recovered_at=LEASE_S)
    governor.note(WorkerReport("new", 1, 0, 8), 0.1)
    assert governor.lease("new", 0.1).slots == 0
    governor.note(WorkerReport("old", 77, 6, 8, turns=5), 0.2)
    assert governor.lease("old", 0.2) == Lease(6, 5, scarce=False)  # what it gave back would reach nobody
    governor.note(WorkerReport("new", 2, 0, 8), LEASE_S)
    assert governor.lease("new", LEASE_S).slots == 2


def always(now: float) -> int:
    return 30


def turns(
    governor: Governor, wants: dict[str, Callable[[float], int]], seconds: float, tokens: int = 1
) -> dict[str, list[float]]:
    """Workers that report every 50 ms and lose every seventh reply; when each got its turns."""
    known, sent, number = dict.fromkeys(wants, 0), {name: [] for name in wants}, 0
    for tick in range(int(seconds / 0.05)):
        now = tick * 0.05
        for name, want in wants.items():
            number += 1
            waiting = (tokens,) * want(now)
            governor.note(WorkerReport(name, number, 0, 1, known[name], waiting), now)
            lease = governor.lease(name, now)
            if number % 7:
                sent[name] += [now] * (lease.turns - known[name])
                known[name] = lease.turns
    return sent


def test_the_rate_holds_over_all_workers_and_is_shared() -> None:
    sent = turns(Governor(64, 600, 0, 0.0), {"a": always, "b": always, "c": always}, 60.0)
    every = sorted(time for times in sent.values() for time in times)
    assert len(every) == pytest.approx(600, abs=3)
    for start in range(59):
        assert sum(start <= time < start + 1 for time in every) <= 13  # 10, and replies that came late
    assert all(len(times) == pytest.approx(200, rel=0.1) for times in sent.values())


def test_the_rate_holds_when_work_moves_from_worker_to_worker() -> None:
    def odd(now: float) -> int:
        return 30 if int(now / 0.7) % 2 else 0

    def even(now: float) -> int:
        return 0 if int(now / 0.7) % 2 else 30

    sent = turns(Governor(64, 600, 0, 0.0), {"a": odd, "b": even}, 60.0)
    assert len(sent["a"]) + len(sent["b"]) == pytest.approx(600, rel=0.03)


def test_a_slow_rate_is_not_exceeded_by_many_workers() -> None:
    sent = turns(Governor(64, 6, 0, 0.0), {str(number): always for number in range(8)}, 120.0)
    assert sum(map(len, sent.values())) in (12, 13)
    assert all(sent.values())


def test_a_worker_with_one_call_gets_its_turn_beside_greedy_and_dead_ones() -> None:
    governor = Governor(64, 6000, 0, 0.0)
    for number in range(5):
        governor.note(WorkerReport(f"dead{number}", 1, 0, 1, waiting=(1,)), 0.0)
    sent = turns(governor, {"greedy": always, "modest": lambda now: 1}, 2.0)
    assert len(sent["modest"]) >= 15


def test_tokens_are_paced_and_corrected() -> None:
    governor = Governor(64, 0, 6000, 0.0)  # 100 a second
    sent = turns(governor, {"a": always, "b": always}, 20.0, tokens=50)
    assert sum(map(len, sent.values())) == pytest.approx(40, abs=2)
    governor.note(WorkerReport("a", 10_000, 0, 1, 99, (50,), correction=500), 20.0)
    assert governor.next_turn("a", 20.0) == pytest.approx(5.0, abs=0.6)


def test_a_pause_is_for_all_and_not_stretched_by_being_told_again() -> None:
    governor = Governor(8, 0, 0, 0.0)
    governor.note(WorkerReport("a", 1, 0, 1), 0.0)
    governor.note(WorkerReport("b", 1, 0, 1), 0.0)
    governor.lease("a", 0.0), governor.lease("b", 0.0)
    assert not governor.news("b", 0.0)
    governor.note(WorkerReport("a", 2, 4, 1, pause=2.0), 1.0)
    assert governor.news("b", 1.0)
    assert governor.lease("b", 1.0).pause == 2.0
    governor.note(WorkerReport("a", 3, 4, 1, pause=1.0), 2.01)  # on the way for a while
    governor.note(WorkerReport("b", 2, 4, 1), 2.0)
    assert not governor.news("b", 2.02)
    assert governor.pause(2.5) == pytest.approx(0.5, abs=0.011)
