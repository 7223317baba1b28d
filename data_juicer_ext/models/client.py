"""The models that operators talk to: `get_model` gives the one for a configuration."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from data_juicer_ext.models.endpoint import OFFLINE, EndpointConfig
from data_juicer_ext.models.loop import on_loop, shared
from data_juicer_ext.models.types import Failure, Model, Request, Result

if TYPE_CHECKING:
    from data_juicer_ext.models.dispatch import Dispatcher


class Client:
    """A model behind an OpenAI-compatible endpoint.

    Holds no state but its configuration, so it may be pickled, forked and used from any event loop:
    connections and limits belong to the process's own loop, one set an endpoint configuration.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self.config = config
        self.name = config.model

    async def ask(self, request: Request) -> Result:
        """Answer one request; retries, waits for limits, and returns a `Failure` instead of raising."""
        return await on_loop(self._ask(request))

    async def _ask(self, request: Request) -> Result:
        try:
            return await self._dispatcher().answer(request)
        except Exception as error:
            return Failure("internal", f"{type(error).__name__} in the client", retryable=False)

    def _dispatcher(self) -> Dispatcher:
        # Imported here: the HTTP and SDK libraries take most of a second, the offline model needs none.
        from data_juicer_ext.models.dispatch import Dispatcher

        return shared(("dispatcher", self.config), lambda: Dispatcher(self.config))


@cache
def get_model(config: EndpointConfig) -> Model:
    """The model for `config`, the same object for equal configurations within a process."""
    if config.model == OFFLINE:
        from data_juicer_ext.models.offline import OfflineModel

        return OfflineModel()
    return Client(config)
