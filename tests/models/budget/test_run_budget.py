"""The budget: nothing goes out beyond it, and what was in flight is counted."""

from __future__ import annotations

import random
import threading

import pytest

from data_juicer_ext.models.budget.run_budget import Budget, Spent
from tests.locks import waits_for


def test_without_limits_everything_goes_out() -> None:
    budget = Budget()
    for _ in range(1000):
        assert budget.admit() is None
        budget.spend(1000.0)
    assert budget.spent == Spent(cost=1_000_000.0, calls=1000)


def test_cost_is_exceeded_by_at_most_what_was_in_flight() -> None:
    budget = Budget(max_cost=1.0)
    assert [budget.admit() for _ in range(8)] == [None] * 8
    for _ in range(7):
        budget.spend(0.5)
    refused = budget.admit()
    assert refused is not None and refused.kind == "budget" and refused.retryable
    assert "max_cost (1.00 US dollars) is reached, 3.50 are spent" in refused.message
    assert budget.spent == Spent(cost=3.5, calls=7, in_flight=1)


def test_the_number_of_calls_is_never_exceeded() -> None:
    budget = Budget(max_calls=3)
    assert [budget.admit() for _ in range(3)] == [None] * 3
    refused = budget.admit()
    assert refused is not None and "max_calls (3) is reached" in refused.message
    budget.release()
    assert budget.admit() is None
    for _ in range(3):
        budget.spend(None)
    assert budget.admit() is not None


def test_what_earlier_runs_spent_counts() -> None:
    assert Budget(max_cost=2.0, spent_cost=1.99).admit() is None
    assert Budget(max_cost=2.0, spent_cost=2.0).admit() is not None
    assert Budget(max_calls=5, spent_calls=5).admit() is not None


def test_unknown_prices_are_counted_as_such() -> None:
    budget = Budget(max_cost=1.0)
    for cost in (None, 0.25, None, 0.0):
        assert budget.admit() is None
        budget.spend(cost)
    assert budget.spent == Spent(cost=0.25, calls=4, unpriced_calls=2)


@pytest.mark.parametrize(
    "wrong", [{"max_cost": -1.0}, {"max_cost": float("nan")}, {"max_cost": float("inf")}, {"max_calls": -1},
              {"spent_cost": -0.1}, {"spent_calls": -2}],
)  # fmt: skip
def test_numbers_out_of_range_are_explained(wrong: dict[str, float]) -> None:
    [name] = wrong
    with pytest.raises(ValueError, match=name):
        Budget(**wrong)  # type: ignore[arg-type]


def test_threads_together_keep_the_limit() -> None:
    budget, sent = Budget(max_calls=500), [0] * 8

    def work(place: int) -> None:
        order = random.Random(place)
        while budget.admit() is None:
            if order.random() < 0.2:
                budget.release()
            else:
                sent[place] += 1
                budget.spend(0.01)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.spent.in_flight == 0
    assert sum(sent) == budget.spent.calls <= 500
    while budget.admit() is None:
        budget.spend(0.01)
    assert budget.spent.calls == 500
    assert budget.spent.cost == pytest.approx(5.0)


@pytest.mark.parametrize("call", ["admit", "spend", "release", "spent"])
def test_threads_wait_for_one_another(call: str) -> None:
    budget = Budget(max_calls=9)
    budget.admit()
    calls = {
        "admit": budget.admit, "spend": lambda: budget.spend(0.1), "release": budget.release,
        "spent": lambda: budget.spent,
    }  # fmt: skip
    assert waits_for(budget._lock, calls[call])
