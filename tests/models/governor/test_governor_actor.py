"""The governor on a real Ray: two workers under one limit, keys in memory, budgets, and its death."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.models.budget.shared_budget import BudgetLimits, LocalBudget
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.governor import governor_actor
from data_juicer_ext.models.limits.circuit_breaker import Address
from data_juicer_ext.models.limits.endpoint_limits import Limits
from tests.cluster.hammering import hammer, hammering
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import config_for

pytestmark = pytest.mark.ray

INHERITED = "sk-canary-inherited-0123456789abcdef"
HANDED_OVER = "sk-canary-handed-over-fedcba9876543210"


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A Ray of two CPUs whose workers inherit one key; `ray.folder` is where it writes."""
    module = pytest.importorskip("ray")
    folder = Path(tempfile.mkdtemp(prefix="r", dir=tempfile.gettempdir()))  # short: sockets lie in it
    os.environ["OPENAI_API_KEY"] = INHERITED
    try:
        module.init(num_cpus=2, include_dashboard=False, _temp_dir=str(folder), log_to_driver=False)
        module.folder = folder
        yield module
    finally:
        del os.environ["OPENAI_API_KEY"]
        module.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def hammer_twice(ray: Any, config: EndpointConfig, batch: int, seconds: float) -> dict[int, int]:
    """The answers of two workers that call at the same time, by their process."""
    done = hammer(ray, config, batch, seconds)
    assert [one.problems for one in done] == [{}, {}]
    return {one.process: one.answered for one in done}


def test_two_workers_share_64_slots_and_keep_them_full(ray: Any) -> None:
    with FakeServer(lambda body: Reply("B", delay=0.2), record=False) as server:
        config = config_for(server, max_concurrency=64, deadline=60)
        hammer_twice(ray, config, 64, 0.1)  # imports, connections
        server.clear()
        answered = hammer_twice(ray, config, 256, 6.0)
        peak, seconds = server.in_flight_peak, server.last_sent - server.first_arrival
        assert peak <= 64
        assert len(answered) == 2 and min(answered.values()) > 0.3 * sum(answered.values())
        print(f"peak {peak}, {sum(answered.values()) / seconds:.0f} of 320 calls per second, {answered}")


def test_two_workers_keep_600_requests_a_minute(ray: Any) -> None:
    arrivals = []

    def answer(body: dict[str, Any]) -> Reply:
        arrivals.append(time.monotonic())
        return Reply("B", delay=0.05)

    with FakeServer(answer, record=False) as server:
        config = config_for(server, max_concurrency=16, requests_per_minute=600, deadline=60)
        answered = hammer_twice(ray, config, 32, 10.0)
    steady = [moment - arrivals[0] for moment in arrivals]
    within = sum(moment <= 10.0 for moment in steady)
    print(f"{within} calls in 10 s, {answered}")
    assert 75 < within <= 105
    assert min(answered.values()) > 0.3 * sum(answered.values())


def test_the_governor_dies_and_its_successor_has_keys_and_limits(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANOTHER_API_KEY", HANDED_OVER)
    with FakeServer(lambda body: Reply("B", delay=0.05)) as server:
        config = config_for(server, max_concurrency=8, api_key_env="ANOTHER_API_KEY", deadline=60)
        governor_actor.share_with_workers(config)
        task = hammering(ray)
        jobs = [task.remote(config, 256, 4.0) for _ in range(2)]
        while server.count < 100:
            time.sleep(0.01)
        ray.kill(ray.get_actor(governor_actor._name()), no_restart=False)
        before = server.count
        time.sleep(1.0)
        assert server.count > before + 2 * 8  # the leases hold on: without them no more comes than what holds a slot
        assert [problems for *_, problems in ray.get(jobs)] == [{}, {}]
        assert server.in_flight_peak <= 8
        actor = ray.get_actor(governor_actor._name())
        assert ray.get(actor.key.remote("ANOTHER_API_KEY")).get("ANOTHER_API_KEY") == HANDED_OVER


def test_a_budget_holds_over_workers(ray: Any) -> None:
    limits = BudgetLimits("a-run", max_cost=1.0, max_calls=150)

    @ray.remote(num_cpus=1)
    def spend(limits: BudgetLimits, cost: float) -> int:
        import asyncio

        from data_juicer_ext.models.event_loop import run
        from data_juicer_ext.models.governor import governor_actor

        async def call() -> int:
            budget = governor_actor.budget_for(limits)
            if await budget.admit() is not None:
                return 0
            await asyncio.sleep(0.01)
            budget.spend(cost)
            return 1

        async def calls() -> int:
            return sum([await asyncio.ensure_future(call()) for _ in range(100)])

        return run(calls())

    assert sum(ray.get([spend.remote(limits, 0.0) for _ in range(2)])) == 150
    dear = BudgetLimits("another-run", max_cost=1.0)
    sent = sum(ray.get([spend.remote(dear, 0.02) for _ in range(2)]))
    assert 50 <= sent <= 51  # each worker has one call in flight


def test_a_key_reaches_workers_in_memory_and_no_file(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(lambda body: "B") as server:
        for name, key in (("OPENAI_API_KEY", INHERITED), ("ANOTHER_API_KEY", HANDED_OVER)):
            monkeypatch.setenv(name, key)  # the second one is set too late for the workers to inherit it
            hammer_twice(ray, config_for(server, api_key_env=name), 4, 0.1)
            assert {one.headers["authorization"] for one in server.requests} == {f"Bearer {key}"}
            server.clear()
    # All that this Ray has written so far, from the death of a governor too.
    files = [path for path in ray.folder.rglob("*") if path.is_file()]
    assert any("worker" in path.name for path in files)
    for path in files:
        text = path.read_bytes()
        assert INHERITED.encode() not in text and HANDED_OVER.encode() not in text, path


def test_without_ray_all_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(governor_actor, "on_ray", lambda: False)
    assert type(governor_actor.limits_for(EndpointConfig("m"), Address())) is Limits
    assert isinstance(governor_actor.budget_for(BudgetLimits("here")), LocalBudget)
    governor_actor.share_with_workers(EndpointConfig("m"))
