"""The workers' side of the governor, against its service, all on one event loop."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.governor.governor_service import GovernorService
from data_juicer_ext.models.governor.leases import Lease, WorkerReport
from data_juicer_ext.models.governor.worker_limits import AskGovernor, GovernedLimits, GovernorAwayError
from data_juicer_ext.models.limits.circuit_breaker import Address

CONFIG = EndpointConfig("m", max_concurrency=8)
Transport = Callable[[GovernorService, EndpointConfig, WorkerReport], Awaitable[Lease | None]]


async def direct(service: GovernorService, config: EndpointConfig, report: WorkerReport) -> Lease | None:
    return await service.report(config, report)


class Bench:
    """Workers that call through their limits; counts the calls in flight over all of them."""

    def __init__(self, config: EndpointConfig, transport: Transport = direct) -> None:
        self.service = GovernorService()
        self.config = config
        self.transport = transport
        self.in_flight = self.peak = 0
        self.sent: list[float] = []
        self.by_worker: dict[str, int] = {}

    def worker(self, name: str, address: Address | None = None, config: EndpointConfig | None = None) -> GovernedLimits:
        config = config or self.config
        ask: AskGovernor = lambda report: self.transport(self.service, config, report)  # noqa: E731
        paced = bool(config.requests_per_minute or config.tokens_per_minute)
        return GovernedLimits(ask, name, paced, address or Address())

    async def call(self, limits: GovernedLimits, name: str, seconds: float) -> None:
        async with limits.slot(False):
            await limits.turn(10)
            self.sent.append(time.monotonic())
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            self.by_worker[name] = self.by_worker.get(name, 0) + 1
            await asyncio.sleep(seconds)
            self.in_flight -= 1

    async def calls(self, limits: GovernedLimits, name: str, number: int, seconds: float) -> None:
        await asyncio.gather(*[self.call(limits, name, seconds) for _ in range(number)])


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; fails after some seconds."""
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to hold")


def test_workers_share_the_slots_and_keep_all_busy() -> None:
    async def main() -> None:
        bench = Bench(CONFIG)
        first, second = bench.worker("1"), bench.worker("2")
        alone = asyncio.ensure_future(bench.calls(first, "1", 80, 0.02))
        await until(lambda: bench.in_flight == 8)  # all, as long as nobody else wants them
        await bench.calls(second, "2", 40, 0.02)
        await alone
        assert bench.peak == 8

    asyncio.run(main())


def test_slots_change_hands_at_once_and_not_with_the_next_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.models.governor.worker_limits.ANSWER_S", 60.0)
    monkeypatch.setattr("data_juicer_ext.models.governor.governor_service.POLL_S", 60.0)

    async def main() -> None:
        bench = Bench(CONFIG)
        first, second = bench.worker("1"), bench.worker("2")
        jobs = [asyncio.ensure_future(bench.calls(first, "1", 8, 0.05))]
        await until(lambda: bench.in_flight == 8)
        jobs += [asyncio.ensure_future(bench.calls(second, "2", 20, 60.0))]
        await until(lambda: bench.by_worker.get("2", 0) == 8)  # as the calls of the first end
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        assert bench.peak == 8

    asyncio.run(main())


def test_what_a_small_batch_leaves_goes_to_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.models.governor.worker_limits.ANSWER_S", 60.0)
    monkeypatch.setattr("data_juicer_ext.models.governor.governor_service.POLL_S", 60.0)

    async def main() -> None:
        bench = Bench(CONFIG)
        large, small = bench.worker("large"), bench.worker("small")
        jobs = [asyncio.ensure_future(bench.calls(large, "large", 1000, 0.01))]
        jobs += [asyncio.ensure_future(bench.calls(small, "small", 1, 60.0))]
        jobs += [asyncio.ensure_future(bench.calls(small, "small", 40, 0.01))]
        await until(lambda: bench.by_worker.get("small", 0) == 41)
        await until(lambda: large._leased.number == 7)
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        assert bench.by_worker["small"] == 41 and bench.peak == 8

    asyncio.run(main())


def test_slots_are_given_back_and_taken_up_batch_after_batch() -> None:
    async def main() -> None:
        bench = Bench(CONFIG)
        names = ["1", "2", "3"]
        workers = [bench.worker(name) for name in names]

        async def batches(place: int) -> None:
            for number in (3, 30, 1, 12):
                await bench.calls(workers[place], names[place], number, 0.005)
                await asyncio.sleep(0.01 * place)

        await asyncio.wait_for(asyncio.gather(*map(batches, range(3))), 20)
        assert bench.peak <= 8
        assert bench.by_worker == dict.fromkeys(names, 46)

    asyncio.run(main())


def test_an_idle_worker_holds_nothing_and_falls_silent() -> None:
    async def main() -> None:
        bench = Bench(CONFIG)
        limits = bench.worker("1")
        await bench.calls(limits, "1", 20, 0.001)
        governor = bench.service._endpoints[CONFIG].governor
        await until(lambda: governor.number("1") == 0)
        assert governor.granted == 0
        await asyncio.wait_for(bench.calls(limits, "1", 20, 0.001), 2)

    asyncio.run(main())


def test_lost_and_late_messages_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.models.governor.worker_limits.RETRY_S", 0.01)
    dice = random.Random(5)

    async def lossy(service: GovernorService, config: EndpointConfig, report: WorkerReport) -> Lease | None:
        await asyncio.sleep(dice.random() * 0.01)
        if dice.random() < 0.2:
            raise GovernorAwayError("lost on the way there")
        lease = await service.report(config, report)
        await asyncio.sleep(dice.random() * 0.01)
        if dice.random() < 0.2:
            raise GovernorAwayError("lost on the way back")
        return lease

    async def main() -> None:
        bench = Bench(EndpointConfig("m", max_concurrency=5, requests_per_minute=6000), lossy)
        jobs = [bench.calls(bench.worker(name), name, 30, 0.01) for name in "123"]
        await asyncio.wait_for(asyncio.gather(*jobs), 30)
        assert bench.peak <= 5
        assert sum(bench.by_worker.values()) == 90

    asyncio.run(main())


def test_work_goes_on_while_the_governor_is_away_and_its_successor_knows() -> None:
    async def main() -> None:
        away = False

        async def mortal(service: GovernorService, config: EndpointConfig, report: WorkerReport) -> Lease | None:
            asked = service
            if away:
                raise GovernorAwayError
            lease = await service.report(config, report)
            if bench.service is not asked:
                raise GovernorAwayError
            return lease

        bench = Bench(CONFIG, mortal)
        job = asyncio.ensure_future(bench.calls(bench.worker("1"), "1", 8 * 40, 0.02))
        await until(lambda: bench.in_flight == 8)
        away = True
        await asyncio.sleep(0.1)
        before = len(bench.sent)
        await until(lambda: len(bench.sent) > before + 8)
        away, bench.service = False, GovernorService(recovering=True)
        other = asyncio.ensure_future(bench.calls(bench.worker("2"), "2", 1, 0.001))
        await until(lambda: CONFIG in bench.service._endpoints)
        await until(lambda: bench.service._endpoints[CONFIG].governor.granted == 8)
        assert not other.done()  # the successor cannot know yet whether there are leases that it has not seen
        other.cancel()
        await job
        assert bench.peak == 8

    asyncio.run(main())


def test_a_lease_outlasts_batches_while_the_governor_is_away() -> None:
    async def main() -> None:
        away = False

        async def mortal(service: GovernorService, config: EndpointConfig, report: WorkerReport) -> Lease | None:
            if away:
                raise GovernorAwayError
            return await service.report(config, report)

        bench = Bench(CONFIG, mortal)
        first = bench.worker("1")
        jobs = [asyncio.ensure_future(bench.calls(bench.worker("2"), "2", 10_000, 0.01))]
        jobs += [asyncio.ensure_future(bench.calls(first, "1", 10_000, 0.01))]
        await until(lambda: first._leased.held == 4 and first._scarce)
        away = True
        await until(lambda: not first._scarce)
        jobs.pop().cancel()
        await until(lambda: first._demand == 0)
        for _ in range(3):
            await bench.calls(first, "1", 9, 0.01)
        assert first._leased.number == 4
        jobs.pop().cancel()

    asyncio.run(main())


def test_a_governor_that_does_not_answer_ends_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_juicer_ext.models.governor.worker_limits.LEASE_S", 0.3)
    monkeypatch.setattr("data_juicer_ext.models.governor.worker_limits.ANSWER_S", 0.05)
    monkeypatch.setattr("data_juicer_ext.models.governor.governor_service.POLL_S", 0.01)

    async def main() -> None:
        silent = False

        async def falls_silent(service: GovernorService, config: EndpointConfig, report: WorkerReport) -> Lease | None:
            if silent:
                await asyncio.sleep(60)
            return await service.report(config, report)

        bench = Bench(CONFIG, falls_silent)
        job = asyncio.ensure_future(bench.calls(bench.worker("1"), "1", 4000, 0.01))
        await until(lambda: bench.in_flight == 8)
        silent = True
        await until(lambda: bench.in_flight == 0)
        silent = False
        await until(lambda: bench.in_flight == 8)
        assert bench.peak == 8
        job.cancel()

    asyncio.run(main())


def test_the_rate_is_kept_by_two_workers_together() -> None:
    async def main() -> None:
        bench = Bench(EndpointConfig("m", max_concurrency=64, requests_per_minute=3000))
        jobs = [asyncio.ensure_future(bench.calls(bench.worker(name), name, 200, 0.01)) for name in "12"]
        await asyncio.sleep(2.0)
        for job in jobs:
            job.cancel()
        in_time = [moment for moment in bench.sent if moment <= bench.sent[0] + 1.5]
        assert len(in_time) == pytest.approx(75, rel=0.05)
        assert bench.by_worker["1"] == pytest.approx(bench.by_worker["2"], rel=0.15)

    asyncio.run(main())


def test_a_turn_that_comes_with_a_cancellation_goes_to_the_next() -> None:
    async def main() -> None:
        limits = Bench(EndpointConfig("m", requests_per_minute=1)).worker("1")
        gone, other = (asyncio.ensure_future(limits.turn(1)) for _ in range(2))
        await asyncio.sleep(0)
        limits._adopt(Lease(8, turns=1), time.monotonic())
        gone.cancel()
        await asyncio.wait_for(other, 1)
        assert gone.cancelled()

    asyncio.run(main())


def test_a_cancelled_wait_for_a_turn_loses_no_turn() -> None:
    async def main() -> None:
        bench = Bench(EndpointConfig("m", max_concurrency=64, requests_per_minute=1200))
        limits = bench.worker("1")
        gone = [asyncio.ensure_future(bench.call(limits, "1", 0.001)) for _ in range(30)]
        await asyncio.sleep(0.1)
        for one in gone:
            one.cancel()
        before = len(bench.sent)
        await asyncio.wait_for(bench.calls(limits, "1", 5, 0.001), 2)
        assert len(bench.sent) == before + 5

    asyncio.run(main())


def test_a_pause_of_one_worker_holds_the_others() -> None:
    async def main() -> None:
        bench = Bench(CONFIG)
        first, second = bench.worker("1"), bench.worker("2")
        jobs = [asyncio.ensure_future(bench.calls(one, "x", 1000, 0.005)) for one in (first, second)]
        await until(lambda: bench.in_flight == 8)
        first.pause(0.5)
        await until(lambda: second.paused_for() > 0)
        await until(lambda: bench.in_flight == 0)
        before = len(bench.sent)
        while second.paused_for() > 0.01:
            assert len(bench.sent) == before
            await asyncio.sleep(0.005)
        await until(lambda: len(bench.sent) > before)
        for job in jobs:
            job.cancel()

    asyncio.run(main())


def test_a_worker_learns_that_the_address_has_answered_another_one() -> None:
    async def main() -> None:
        bench = Bench(CONFIG)
        known, asked, elsewhere = Address(), Address(), Address()
        first, second = bench.worker("first", known), bench.worker("second", asked, replace(CONFIG, model="other"))
        third = bench.worker("third", elsewhere, replace(CONFIG, base_url="http://elsewhere/v1"))
        await bench.calls(first, "first", 1, 0.01)
        known.alive = True
        await bench.calls(first, "first", 2, 0.01)
        assert not asked.alive
        await bench.calls(second, "second", 1, 0.01)
        await bench.calls(third, "third", 1, 0.01)
        assert asked.alive and not elsewhere.alive

    asyncio.run(main())
