"""The model behind an OpenAI-compatible endpoint, with the response store and budget of a run folder.

What a request goes through, in this order: the response store (an answer that was paid for is never
asked for again), the calls under way (the same request is sent once), the budget, and then the
endpoint's dispatcher with its limits, tries and circuit breaker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError
from data_juicer_ext.models.batch.collector import BatchCollector
from data_juicer_ext.models.budget.prices import PriceTable, load_prices, price_of
from data_juicer_ext.models.budget.shared_budget import Admission, BudgetLimits
from data_juicer_ext.models.config.endpoint import OFFLINE, EndpointConfig
from data_juicer_ext.models.event_loop import on_loop, shared
from data_juicer_ext.models.governor.governor_actor import budget_for
from data_juicer_ext.models.prepared_request import PreparedRequest, prepare_request
from data_juicer_ext.models.request_key import request_key
from data_juicer_ext.models.shared_calls import InFlight, stored_or_asked
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.run_store import RunStore
from data_juicer_ext.models.types import Answer, Failure, Request, Result
from data_juicer_ext.storage.addresses import as_path

if TYPE_CHECKING:
    from data_juicer_ext.models.dispatcher import Dispatcher


# What the providers' batch interfaces cost of the direct one's price.
BATCH_PRICE = 0.5


@dataclass(frozen=True)
class RunPlace(BudgetLimits):
    """Where the calls of a run keep what outlives it, and what they may spend in all."""

    on_ray: bool = False


class Client:
    """A model behind an OpenAI-compatible endpoint.

    Holds no state but its configuration, so it may be pickled, forked and used from any event loop:
    connections, limits and the store's files belong to the process, one set an endpoint or folder.
    Without a place nothing is stored and nothing is limited.
    """

    def __init__(self, config: EndpointConfig, place: RunPlace | None = None) -> None:
        self.config, self.place = config, place
        self.name = config.model

    async def ask(self, request: Request) -> Result:
        """Answer one request; retries, waits for limits, and returns a `Failure` instead of raising."""
        return await on_loop(self._ask(request))

    def refresh(self) -> None:
        """See what other processes have stored since; called before a batch. Raises StoreError."""
        if self.place is not None:
            _store(self.place).refresh()

    async def _ask(self, request: Request) -> Result:
        try:
            prepared = await prepare_request(request, self.config.image_limits)
            if self.place is None:
                return await self._dispatcher().answer(prepared)
            return await self._in_run(prepared, self.place)
        except UnreachableImageError as error:
            return Failure("storage", str(error), retryable=True)
        except ImageError as error:
            return Failure("bad_image", str(error), retryable=False)
        except StoreError as error:
            return Failure("store", str(error), retryable=True)
        except Exception as error:
            return Failure("internal", f"{type(error).__name__} in the client", retryable=False)

    async def _in_run(self, prepared: PreparedRequest, place: RunPlace) -> Result:
        key = request_key(self.config, prepared)
        ask = partial(self._within_budget, key, prepared, place)
        in_flight = shared(("in_flight", place.run_dir), InFlight)
        result = await stored_or_asked(_store(place), in_flight, key, self._about(prepared.request), ask)
        flags = prepared.image_flags
        return replace(result, image_flags=flags) if flags and isinstance(result, Answer) else result

    async def _within_budget(self, key: str, prepared: PreparedRequest, place: RunPlace) -> Result:
        with Admission(budget_for(place)) as admission:
            if self.config.mode == "direct":
                result = await self._dispatcher().answer(prepared, admission)
            else:
                collector = shared(("batches", self.config, place.run_dir), lambda: _collector(self.config, place))
                result = await admission.admit() or await collector.ask(key, prepared.request)
            if result.tries > 0:
                admission.spend(cost_of(result, self.config))
        return result

    def _about(self, request: Request) -> dict[str, Any]:
        return {"task": request.task, "prompt_version": request.prompt_version, "endpoint": self.config.endpoint,
                "model": self.config.model, "sampling": dict(request.sampling)}  # fmt: skip

    def _dispatcher(self) -> Dispatcher:
        # Imported here: the HTTP and SDK libraries take most of a second, the offline model needs none.
        from data_juicer_ext.models.dispatcher import Dispatcher
        from data_juicer_ext.models.limits.circuit_breaker import Address

        address = shared(("address", self.config.address), Address)
        return shared(("dispatcher", self.config), lambda: Dispatcher(self.config, address))


def cost_of(result: Result, config: EndpointConfig) -> float | None:
    """The US dollars that a call took, None where the model's price is unknown. A stored answer's is
    what it took when it was asked for."""
    if config.model == OFFLINE:
        return 0.0
    usage = result.usage
    if not (usage.prompt_tokens or usage.completion_tokens):
        return 0.0
    answered = result.model if isinstance(result, Answer) else ""
    price = price_of(answered, usage, _prices())
    if price is None:
        price = price_of(config.model, usage, _prices())
    return price if price is None or config.mode == "direct" else price * BATCH_PRICE


@cache
def _prices() -> PriceTable:
    return load_prices()


def _store(place: RunPlace) -> RunStore:
    return shared(("store", place.run_dir, place.on_ray), lambda: RunStore(place.run_dir, place.on_ray))


def _collector(config: EndpointConfig, place: RunPlace) -> BatchCollector:
    from data_juicer_ext.models.batch.batch_client import BatchClient

    return BatchCollector(BatchClient(config, as_path(place.run_dir) / "batches"))
