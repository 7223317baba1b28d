"""What predicted tokens cost, by the same prices as a run's ledger."""

from data_juicer_ext.estimate.recipe_steps import RecipeStep
from data_juicer_ext.models.client import cost_of
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Answer, Usage

_MILLION = 1_000_000


def unit_prices(step: RecipeStep) -> tuple[float, float] | None:
    """US dollars of one prompt and one completion token at a step; None where the price is unknown.

    Models that are all asked the same share the calls, so theirs is the mean. Nothing comes from the provider's
    cache. Raises PriceError for a wrong price file.
    """
    if not step.endpoints:
        return 0.0, 0.0
    prices = [_prices(endpoint) for endpoint in step.endpoints]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        return None
    return sum(prompt for prompt, _ in known) / len(known), sum(completion for _, completion in known) / len(known)


def _prices(endpoint: EndpointConfig) -> tuple[float, float] | None:
    prompt, completion = (
        cost_of(Answer("", endpoint.model, usage=usage), endpoint)
        for usage in (Usage(prompt_tokens=_MILLION), Usage(completion_tokens=_MILLION))
    )
    return None if prompt is None or completion is None else (prompt / _MILLION, completion / _MILLION)
