"""The estimate without a pilot: prompts as they were measured, all else by what is assumed.

Every assumption is moved to the ends of its range, one at a time; what that changes adds up as errors
do that are independent of each other (root of the sum of squares).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from data_juicer_ext.estimate.assumptions import Assumptions
from data_juicer_ext.estimate.cost_of_calls import unit_prices
from data_juicer_ext.estimate.from_pilot import PilotForecast
from data_juicer_ext.estimate.intervals import Numbers
from data_juicer_ext.estimate.paid_rows import Frame
from data_juicer_ext.estimate.recipe_steps import RecipeStep
from data_juicer_ext.estimate.result import ASSUMED, UNKNOWN, StepEstimate
from data_juicer_ext.estimate.uncertain_amounts import Range

_AMOUNTS = ("rows_in", "calls", "prompt_tokens", "completion_tokens", "rows_out", "cost")
_ROWS, _TOKENS = "rows that were not read", "tokens of those"


def from_assumptions(frame: Frame, steps: Sequence[RecipeStep], assumed: Assumptions) -> PilotForecast:
    """What `steps` will take and give over the dataset of `frame`."""
    ranges = _ranges(frame, steps, assumed)
    prices = [unit_prices(step) for step in steps]
    likely = {name: given.likely for name, given in ranges.items()}
    middle = _amounts(frame, steps, likely, prices)
    below, above = np.zeros_like(middle), np.zeros_like(middle)
    for name, given in ranges.items():
        for end in (given.low, given.high):
            moved = _amounts(frame, steps, {**likely, name: end}, prices) - middle
            below += np.minimum(moved, 0.0) ** 2
            above += np.maximum(moved, 0.0) ** 2
    low, high = np.maximum(middle - np.sqrt(below), 0.0), middle + np.sqrt(above)
    made = [_estimate(frame, number, step, prices, low, middle, high) for number, step in enumerate(steps)]
    cost = Range(float(low[-1, -1]), float(middle[-1, -1]), float(high[-1, -1]))
    return PilotForecast(tuple(made), made[-1].rows_out, cost)


def rows_from_one(step: RecipeStep, assumed: Assumptions) -> Range:
    """How many rows go on from one row of a step; for a filter the share that it keeps."""
    if step.several is not None:
        return assumed.rows_made(step.several[0])
    return assumed.kept_by(step.operator, step.tag, step.rows_expected)


def _ranges(frame: Frame, steps: Sequence[RecipeStep], assumed: Assumptions) -> dict[str, Range]:
    found = {
        "repairs": assumed.repairs, "frugal": assumed.frugal_draws, _ROWS: Range.exact(1.0).widened(frame.rows_apart),
        _TOKENS: Range.exact(1.0).widened(frame.tokens_apart),
    }  # fmt: skip
    for step in steps:
        found[f"keep {step.tag}"] = rows_from_one(step, assumed)
        if step.model:
            found[f"completion {step.tag}"] = assumed.completion_of(step.operator, step.answer_tokens)
            if assumed.thinks(step.model):
                found[f"thinking {step.model}"] = assumed.thinking_tokens
    return found


def _amounts(
    frame: Frame, steps: Sequence[RecipeStep], values: Mapping[str, float], prices: Sequence[tuple[float, float] | None]
) -> Numbers:
    """The six amounts of each step, a row each, and the sums of all steps in a last row."""
    rows = len(frame.rows) * frame.scale * values[_ROWS]
    a_row = np.zeros((2, len(steps)))
    if len(frame.rows):
        a_row = np.stack([frame.sent.calls.mean(axis=0), frame.sent.tokens.mean(axis=0)])
    table = list[tuple[float, ...]]()
    for number, step in enumerate(steps):
        again = (1 + values["repairs"]) * (values["frugal"] if step.frugal else 1.0)
        calls, prompt = (float(amount) * rows * again for amount in a_row[:, number])
        prompt *= values[_TOKENS]
        thinking = values.get(f"thinking {step.model}", 0.0)
        completion = calls * (values.get(f"completion {step.tag}", 0.0) + thinking)
        price = prices[number] or (0.0, 0.0)
        leaving = rows * values[f"keep {step.tag}"]
        table.append((rows, calls, prompt, completion, leaving, prompt * price[0] + completion * price[1]))
        rows = leaving
    whole = np.array(table, dtype=np.float64)
    return np.vstack([whole, whole.sum(axis=0)])


def _estimate(
    frame: Frame,
    number: int,
    step: RecipeStep,
    prices: Sequence[tuple[float, float] | None],
    low: Numbers,
    middle: Numbers,
    high: Numbers,
) -> StepEstimate:
    ranges = {
        name: Range(float(low[number, place]), float(middle[number, place]), float(high[number, place]))
        for place, name in enumerate(_AMOUNTS)
    }
    silent = step.tag in frame.sent.silent
    tokens = float(frame.sent.tokens[:, number].sum())
    share = float(frame.sent.images[:, number].sum()) / tokens if tokens else 0.0
    cost = ranges.pop("cost")
    return StepEstimate(
        step.operator, step.tag, step.model, UNKNOWN if silent else ASSUMED, **ranges,
        cost=None if silent or prices[number] is None else cost, image_share=share,
    )  # fmt: skip
