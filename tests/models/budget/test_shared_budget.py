"""A call is let out once, and ends in the budget exactly once."""

from __future__ import annotations

import asyncio

import pytest

from data_juicer_ext.models.budget.run_budget import Spent
from data_juicer_ext.models.budget.shared_budget import Admission, BudgetLimits, LocalBudget


@pytest.fixture
def budget() -> LocalBudget:
    return LocalBudget(BudgetLimits("run", max_calls=1))


def admitted(admission: Admission) -> bool:
    return asyncio.run(admission.admit()) is None


def test_what_is_spent_stays_spent(budget: LocalBudget) -> None:
    with Admission(budget) as admission:
        assert admitted(admission)
        assert budget.budget.spent == Spent(in_flight=1)
        admission.spend(0.5)
    assert budget.budget.spent == Spent(0.5, 1)


def test_what_was_not_sent_is_given_back(budget: LocalBudget) -> None:
    with Admission(budget) as admission:
        assert admitted(admission)
    assert budget.budget.spent == Spent()


@pytest.mark.parametrize("error", [RuntimeError("a defect"), asyncio.CancelledError()])
def test_a_call_that_breaks_off_is_given_back(budget: LocalBudget, error: BaseException) -> None:
    with pytest.raises(type(error)), Admission(budget) as admission:
        assert admitted(admission)
        raise error
    assert budget.budget.spent == Spent()


def test_a_call_that_was_refused_or_never_asked_touches_nothing(budget: LocalBudget) -> None:
    with Admission(budget) as first, Admission(budget) as second, Admission(budget):
        assert admitted(first) and not admitted(second)
        second.spend(1.0)
    assert budget.budget.spent == Spent()
