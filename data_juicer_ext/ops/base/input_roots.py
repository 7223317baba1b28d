"""The folder that relative paths of rows start from, as an operator's parameter names it."""

from data_juicer_ext.models.config.endpoint import ConfigError, expand_environment
from data_juicer_ext.storage.addresses import is_remote, wrong_address
from data_juicer_ext.storage.file_access import unreachable
from data_juicer_ext.storage.papers import root_folder


def root(name: str, given: str) -> str:
    """The absolute path or the address that the parameter `name` stands for.

    Raises ConfigError if a variable is not set, or nothing can be read at the address: else all rows would be refused.
    """
    named = expand_environment(given)
    if problem := wrong_address(named):
        raise ConfigError(f"{name}: {problem}")
    place = root_folder(named)
    if is_remote(place) and (problem := unreachable(place, listing=False)):
        raise ConfigError(f"{name}: {place} can't be read: {problem}")
    return place
