"""An estimate as a table on the screen."""

from collections.abc import Iterator, Mapping
from typing import Any

from data_juicer_ext.estimate.result import UNKNOWN, Estimate, PilotTold, StepEstimate
from data_juicer_ext.estimate.uncertain_amounts import Range
from data_juicer_ext.text_table import aligned

_HEADS = ("step", "rows in", "calls", "prompt tokens", "answer tokens", "US dollars", "rows out", "model")


def shown(estimate: Estimate) -> str:
    """The estimate in words: what was counted, one line per step and per model, and what was taken for granted."""
    return "\n".join(_lines(estimate))


def _lines(told: Estimate) -> Iterator[str]:
    read = "" if told.read == told.dataset_rows else f", of which {told.read} were read (drawn by seed {told.seed})"
    yield f"{told.dataset}: {told.dataset_rows} rows{read}"
    if not told.steps:
        yield "No call to a model is made for any of them: a run costs nothing."
        return
    free = f"; {told.free} more are dropped there without a call" if told.free else ""
    yield f"{told.rows} rows of {'those' if read else 'these'} reach {told.steps[0].tag} and are paid for{free}"
    yield ""
    yield from aligned([_HEADS, *map(_cells, told.steps)], "<>>>>>><")
    yield ""
    yield from _models(told)
    yield ""
    yield f"kept at the end: {_range(told.survivors)}" if told.survivors else ""
    yield f"cost: {_cost(told)}"
    if told.pilot is not None:
        yield from _pilot(told.pilot)
    yield ""
    yield "Ranges in brackets hold 80%. Taken for granted:"
    yield from (f"- {sentence}" for sentence in told.assumed)


def _cells(step: StepEstimate) -> tuple[str, ...]:
    arriving, leaving = _range(step.rows_in), _range(step.rows_out)
    if step.basis == UNKNOWN:
        return step.tag, arriving, *["unknown"] * 4, leaving, step.model
    if not step.model:
        return step.tag, arriving, *[""] * 4, leaving, ""
    tokens = _number(step.prompt_tokens.likely), _number(step.completion_tokens.likely)
    return step.tag, arriving, _range(step.calls), *tokens, _money(step.cost), leaving, step.model


def _models(told: Estimate) -> Iterator[str]:
    for model, sums in told.models().items():
        cost = "price unknown" if sums["cost"] is None else f"{_dollars(sums['cost'])} US dollars"
        yield (
            f"{model}: {_number(sums['calls'])} calls, {_number(sums['prompt_tokens'])} prompt tokens"
            f"{_images(sums)}, {_number(sums['completion_tokens'])} answer tokens, {cost}"
        )


def _images(sums: Mapping[str, Any]) -> str:
    return f" ({sums['image_tokens'] / sums['prompt_tokens']:.0%} of them images)" if sums["image_tokens"] else ""


def _cost(told: Estimate) -> str:
    known = "" if all(step.cost is None for step in told.steps if step.model) else f"{_money(told.cost)} US dollars"
    if not told.unpriced:
        return known
    missing = f"the price of {', '.join(told.unpriced)} is unknown (give it in a file that DJ_EXT_PRICES names)"
    return f"{known}, and {missing}" if known else missing


def _pilot(pilot: PilotTold) -> Iterator[str]:
    unpriced = f", {pilot.unpriced} calls of unknown price" if pilot.unpriced else ""
    yield (
        f"pilot: {pilot.decided} of {pilot.drawn} rows decided, {pilot.calls} calls ({pilot.hits} answered from the "
        f"store), {_dollars(pilot.cost)} US dollars{unpriced}; the run does not pay for these again ({pilot.folder})"
    )


def _range(amount: Range) -> str:
    if amount.known:
        return _number(amount.likely)
    return f"{_number(amount.likely)} ({_number(amount.low)}-{_number(amount.high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _money(amount: Range | None) -> str:
    if amount is None:
        return "unknown"
    if amount.known:
        return _dollars(amount.likely)
    return f"{_dollars(amount.likely)} ({_dollars(amount.low)}-{_dollars(amount.high)})"


def _dollars(value: float) -> str:
    return f"{value:,.2f}" if value >= 1 or value == 0 else f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}"
