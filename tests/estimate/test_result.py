"""An estimate as plain values, and its sums by model."""

from __future__ import annotations

from dataclasses import replace

from data_juicer_ext.estimate.result import ASSUMED, PILOT, UNKNOWN, Estimate, PilotTold, StepEstimate, as_json
from data_juicer_ext.estimate.uncertain_amounts import Range


def amount(likely: float) -> Range:
    return Range(likely / 2, likely, likely * 2)


def step(tag: str, model: str, cost: float | None = 1.0, basis: str = ASSUMED, images: float = 0.0) -> StepEstimate:
    price = None if cost is None else amount(cost)
    return StepEstimate(
        "op", tag, model, basis, amount(1), amount(10), amount(100), amount(40), amount(1), price, images
    )


def estimate(*steps: StepEstimate, pilot: PilotTold | None = None) -> Estimate:
    return Estimate("r.yaml", "p.jsonl", 0, 9, 9, 9, 0, steps, amount(3), amount(2), ("b",), pilot=pilot)


def test_models_are_summed_over_their_steps_without_the_unknown() -> None:
    steps = step("one", "a", images=0.25), step("two", "a", 0.5), step("three", "b", images=1.0), step("rule", "", 0.0)
    found = estimate(*steps, step("four", "a", basis=UNKNOWN)).models()
    assert found == {
        "a": {"calls": 20.0, "prompt_tokens": 200.0, "completion_tokens": 80.0, "image_tokens": 25.0, "cost": 1.5},
        "b": {"calls": 10.0, "prompt_tokens": 100.0, "completion_tokens": 40.0, "image_tokens": 100.0, "cost": 1.0},
    }
    after = estimate(step("unknown", "c", basis=UNKNOWN), step("one", "a")).models()
    assert list(after) == ["a"]


def test_one_step_of_unknown_price_makes_that_of_its_model_unknown() -> None:
    for costs in ([None, 1.0], [1.0, None], [1.0, None, 1.0]):
        assert estimate(*(step(str(cost), "a", cost) for cost in costs)).models()["a"]["cost"] is None


def test_an_estimate_as_plain_values() -> None:
    value = as_json(estimate(step("one", "a")))
    assert value["basis"] == "assumptions" and value["pilot"] is None and value["unpriced"] == ["b"]
    assert value["confidence"] > 0 and value["survivors"] == {"low": 1.5, "likely": 3.0, "high": 6.0}
    assert value["steps"][0]["calls"] == {"low": 5.0, "likely": 10.0, "high": 20.0}
    assert value["models"] == estimate(step("one", "a")).models()
    third = as_json(replace(estimate(), cost=Range(1 / 3, 2 / 3, 1.0)))
    assert third["cost"] == {"low": 0.333333, "likely": 0.666667, "high": 1.0}


def test_a_pilot_is_told() -> None:
    told = PilotTold(5, 4, 1, 0, 12, 3, 0.25, 0, 0, "pilots/x")
    value = as_json(estimate(step("one", "a", basis=PILOT), pilot=told))
    assert value["basis"] == "pilot" and value["pilot"] == vars(told)
