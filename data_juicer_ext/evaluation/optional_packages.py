"""The packages of the extra `eval`, imported when they are needed."""

import importlib
from typing import Any

from data_juicer_ext.errors import DjExtError


class MissingExtraError(DjExtError, ValueError):
    """A package of the extra is not installed."""


def statsmodels(module: str) -> Any:
    """A module of statsmodels, such as "stats.inter_rater". Raises MissingExtraError with what to install."""
    try:
        return importlib.import_module(f"statsmodels.{module}")
    except ImportError as error:
        raise MissingExtraError("statsmodels is not installed: pip install 'data-juicer-ext[eval]'") from error
