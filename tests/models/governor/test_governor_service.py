"""What the governor keeps beside leases: keys, and one budget of a run over all workers."""

from __future__ import annotations

import asyncio
import pickle
import random

import pytest

from data_juicer_ext.models.budget.run_budget import Spent
from data_juicer_ext.models.budget.shared_budget import BudgetLimits, Claim, GovernedBudget, LocalBudget, SharedBudget
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.config.handed_keys import Keys
from data_juicer_ext.models.governor.governor_service import GovernorService, State
from data_juicer_ext.models.governor.leases import LEASE_S, WorkerReport
from data_juicer_ext.models.types import Failure

KEY = "sk-canary-0123456789"


def test_keys_show_their_names_only_and_reach_another_process() -> None:
    keys = Keys({"A_KEY": KEY, "EMPTY": ""})
    assert repr(keys) == str(keys) == "Keys(A_KEY=***)"
    assert pickle.loads(pickle.dumps(keys)).get("A_KEY") == KEY
    assert keys.get("EMPTY") == keys.get("OTHER") == "" and not keys.only("OTHER")


def test_a_successor_gets_keys_and_budgets_from_the_driver() -> None:
    limits = BudgetLimits("run", max_calls=10)

    async def main() -> None:
        first = GovernorService()
        early = asyncio.ensure_future(first.key("A_KEY"))  # a worker may be here before the driver's offer
        await asyncio.sleep(0.01)
        await first.offer_keys(Keys({"NO_KEY": ""}))
        await asyncio.sleep(0.01)
        assert not early.done()
        await first.offer_keys(Keys({"A_KEY": KEY}))
        assert (await early).get("A_KEY") == (await first.key("A_KEY")).get("A_KEY") == KEY
        assert not await first.key("NO_KEY")  # the driver has told that there is none
        assert await first.claim(limits, Claim("w", 1, Spent(), 6)) == (6, None)
        kept = await first.watch(await first.watch(State()))

        second = GovernorService(recovering=True)
        asked = asyncio.ensure_future(second.key("A_KEY"))  # waits for the driver
        assert await second.claim(limits, Claim("v", 1, Spent(calls=1, in_flight=1), 0)) == (0, None)
        new = await second.watch(kept)
        assert new.incarnation != kept.incarnation
        await second.offer_keys(Keys({"A_KEY": KEY}))
        assert (await asked).get("A_KEY") == KEY
        assert await second.spent(limits) == Spent(calls=1, in_flight=7)
        assert (await second.watch(new)).incarnation == new.incarnation
        assert (await second.claim(limits, Claim("v", 2, Spent(calls=2), 9)))[0] == 2

    asyncio.run(main())


def test_calls_of_a_dead_worker_count_as_made() -> None:
    limits, now = BudgetLimits("run", max_calls=10), [0.0]

    async def main() -> None:
        service = GovernorService(clock=lambda: now[0])
        config = EndpointConfig("m")
        await service.report(config, WorkerReport("dead", 1, 0, 5))
        await service.claim(limits, Claim("dead", 1, Spent(), 4))
        now[0] = LEASE_S + 1
        await service.report(config, WorkerReport("alive", 1, 0, 5))
        assert await service.spent(limits) == Spent(calls=4)

    asyncio.run(main())


def test_messages_that_are_lost_or_come_twice_change_nothing() -> None:
    shared = SharedBudget(BudgetLimits("run", max_cost=1.0, spent_cost=0.25, spent_calls=3))
    assert shared.claim(Claim("w", 1, Spent(), 2)) == (2, None)
    twice = Claim("w", 2, Spent(cost=0.5, calls=1, in_flight=1), 0)
    assert shared.claim(twice) == shared.claim(twice) == (0, None)
    assert shared.spent == Spent(cost=0.75, calls=4, in_flight=1)
    granted, refused = shared.claim(Claim("w", 3, Spent(cost=1.0, calls=2, unpriced_calls=1), 3))
    assert granted == 0 and refused is not None and refused.kind == "budget"
    assert "1.25 are spent" in refused.message


def test_a_wrong_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="max_cost"):
        SharedBudget(BudgetLimits("run", max_cost=-1.0))


@pytest.mark.parametrize("limits", [BudgetLimits("run", max_calls=37), BudgetLimits("run", max_cost=0.5)])
def test_workers_together_keep_to_the_budget(limits: BudgetLimits) -> None:
    dice = random.Random(3)

    async def main() -> tuple[int, int]:
        service = GovernorService()
        sent = released = in_flight = late = 0

        async def ask(claim: Claim) -> tuple[int, Failure | None]:
            await asyncio.sleep(dice.random() * 0.003)
            return await service.claim(limits, claim)

        async def call(budget: GovernedBudget) -> None:
            nonlocal sent, released, in_flight, late
            if await budget.admit() is not None:
                return
            if dice.random() < 0.2:
                released += 1
                budget.release()
                return
            sent += 1
            in_flight += 1
            late += sent > 50
            await asyncio.sleep(dice.random() * 0.002)
            in_flight -= 1
            budget.spend(0.01)

        budgets = [GovernedBudget(ask, name) for name in "abc"]
        for _ in range(12):
            await asyncio.gather(*[call(budget) for budget in budgets for _ in range(4)])
        await asyncio.sleep(0.05)
        spent = await service.spent(limits)
        assert spent.calls == sent and spent.in_flight == 0 and released
        return sent, late

    sent, late = asyncio.run(main())
    if limits.max_calls:
        assert sent == 37
    else:
        assert sent >= 50 and late <= 11  # what was in flight when the fiftieth went out


def test_a_cancelled_call_gives_its_admission_back() -> None:
    async def main() -> None:
        shared = SharedBudget(BudgetLimits("run", max_calls=1))

        async def ask(claim: Claim) -> tuple[int, Failure | None]:
            await asyncio.sleep(0.001)
            return shared.claim(claim)

        budget = GovernedBudget(ask, "w")
        gone = asyncio.ensure_future(budget.admit())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0.05)
        assert shared.spent == Spent()
        assert await budget.admit() is None

    asyncio.run(main())


def test_without_an_answer_nothing_is_spent() -> None:
    async def silent(claim: Claim) -> tuple[int, Failure | None]:
        raise ConnectionError

    async def main() -> Failure | None:
        return await GovernedBudget(silent, "w").admit()

    refused = asyncio.run(main())
    assert refused is not None and refused.retryable


def test_a_local_budget_is_the_process_own() -> None:
    async def main() -> None:
        budget = LocalBudget(BudgetLimits("run", max_calls=2))
        assert await budget.admit() is None
        budget.spend(None)
        assert await budget.admit() is None
        budget.release()
        assert budget.budget.spent == Spent(calls=1, unpriced_calls=1)

    asyncio.run(main())
