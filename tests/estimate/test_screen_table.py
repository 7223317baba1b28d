from __future__ import annotations

import json
from dataclasses import replace

from data_juicer_ext.estimate.result import ASSUMED, UNKNOWN, Estimate, PilotTold, StepEstimate, as_json
from data_juicer_ext.estimate.screen_table import shown
from data_juicer_ext.estimate.uncertain_amounts import Range


def step(tag: str, model: str, **own: object) -> StepEstimate:
    given = {
        "operator": f"{tag}_filter", "basis": ASSUMED, "rows_in": Range.exact(1200), "calls": Range(1000, 1200, 1500),
        "prompt_tokens": Range.exact(500_000), "completion_tokens": Range.exact(60_000),
        "rows_out": Range(40, 55.4, 70), "cost": Range(1.0, 1.5, 2.25), "image_share": 0.0,
    }  # fmt: skip
    return StepEstimate(tag=tag, model=model, **{**given, **own})  # type: ignore[arg-type]


TOLD = Estimate(
    "r.yaml", "papers.jsonl", 3, 5000, 300, 1200, 7, (step("claims", "small"), step("vote", "large", image_share=0.5)),
    Range(40, 55.4, 70), Range(2.1, 3.0, 4.2), (), ("the moon is round",),
)  # fmt: skip
PILOT = PilotTold(30, 28, 2, 0, 400, 12, 0.0123, 0, 0, "run/pilots/x")


def test_the_table_has_a_line_a_step_and_ranges_in_brackets() -> None:
    lines = shown(TOLD).splitlines()
    assert "papers.jsonl: 5000 rows, of which 300 were read (drawn by seed 3)" in lines
    [claims] = [line for line in lines if line.startswith("claims")]
    assert claims.split()[1:] == [
        "1,200", "1,200", "(1,000-1,500)", "500,000", "60,000", "1.50", "(1.00-2.25)", "55", "(40-70)", "small",
    ]  # fmt: skip
    assert "kept at the end: 55 (40-70)" in lines and "cost: 3.00 (2.10-4.20) US dollars" in lines
    assert "- the moon is round" in lines
    assert any(line.startswith("large: 1,200 calls, 500,000 prompt tokens (50% of them images)") for line in lines)


def test_an_unknown_price_is_said() -> None:
    steps = (replace(TOLD.steps[0], cost=None), TOLD.steps[1])
    said = shown(replace(TOLD, steps=steps, unpriced=("small",)))
    assert "small: 1,200 calls" in said and "price unknown" in said
    assert "US dollars, and the price of small is unknown" in said
    said = shown(replace(TOLD, steps=steps[:1], unpriced=("small",)))
    assert "cost: the price of small is unknown" in said


def test_an_unknown_step_has_no_numbers() -> None:
    said = shown(replace(TOLD, steps=(TOLD.steps[0], step("odd", "large", basis=UNKNOWN, cost=None))))
    [odd] = [line for line in said.splitlines() if line.startswith("odd")]
    assert odd.count("unknown") == 4 and not any(line.startswith("large:") for line in said.splitlines())


def test_a_pilot_says_what_it_was() -> None:
    said = shown(replace(TOLD, pilot=PILOT))
    assert "pilot: 28 of 30 rows decided, 400 calls (12 answered from the store), 0.012 US dollars" in said
    assert "run/pilots/x" in said


def test_no_model_no_cost() -> None:
    said = shown(replace(TOLD, steps=(), survivors=None))
    assert "a run costs nothing" in said and "kept" not in said


def test_json_holds_all_of_it() -> None:
    value = json.loads(json.dumps(as_json(replace(TOLD, pilot=PILOT))))
    assert value["basis"] == "pilot" and value["confidence"] == 0.8
    assert value["survivors"] == {"low": 40, "likely": 55.4, "high": 70}
    assert value["steps"][0]["calls"] == {"low": 1000, "likely": 1200, "high": 1500}
    assert value["models"]["small"] == {"calls": 1200, "prompt_tokens": 500_000, "completion_tokens": 60_000,
                                        "image_tokens": 0, "cost": 1.5}  # fmt: skip
    assert value["pilot"]["decided"] == 28 and as_json(TOLD)["pilot"] is None
