"""Which model a configuration means: the one behind an endpoint, or the embedded offline model."""

from functools import cache

from data_juicer_ext.models.client import Client, RunPlace
from data_juicer_ext.models.config.endpoint import OFFLINE, EndpointConfig
from data_juicer_ext.models.types import Model


@cache
def get_model(config: EndpointConfig, place: RunPlace | None = None) -> Model:
    """The model for `config` in a run folder, the same object for equal ones within a process."""
    if config.model == OFFLINE:
        from data_juicer_ext.offline import OfflineModel

        return OfflineModel()
    return Client(config, place)
