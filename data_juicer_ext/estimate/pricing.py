"""What predicted tokens cost, by the same prices as a run's ledger."""

from __future__ import annotations

from data_juicer_ext.estimate.steps import Step
from data_juicer_ext.models.client import cost_of
from data_juicer_ext.models.types import Answer, Usage

_MILLION = 1_000_000


def unit_prices(step: Step) -> tuple[float, float] | None:
    """US dollars of one prompt and one completion token at a step; None where the price is unknown.

    Nothing comes from the provider's cache. Raises PriceError for a wrong price file.
    """
    if step.endpoint is None:
        return 0.0, 0.0
    sides = [
        cost_of(Answer("", step.endpoint.model, usage=usage), step.endpoint)
        for usage in (Usage(prompt_tokens=_MILLION), Usage(completion_tokens=_MILLION))
    ]
    prompt, completion = sides
    return None if prompt is None or completion is None else (prompt / _MILLION, completion / _MILLION)
