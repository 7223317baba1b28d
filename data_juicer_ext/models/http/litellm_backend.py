"""Providers whose interface is not OpenAI's, through the `litellm` package (an optional extra).

litellm translates request, response and errors; its exceptions are subclasses of the OpenAI SDK's, so
the same retry rules serve. Retries, limits and the response store stay ours: litellm's own are off.
"""

import importlib
import os
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.transport import OnHead

# How litellm marks the headers that came from the provider.
_PROVIDER_PREFIX = "llm_provider-"


class LiteLLMSender:
    """Takes chat requests to the provider that the model's name says ("anthropic/...", "gemini/...")."""

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._litellm = load()

    async def post(self, body: Mapping[str, Any], timeout: float, on_head: OnHead | None = None) -> dict[str, Any]:
        """The answer to `body` in the form of OpenAI's, within `timeout` seconds; raises as the SDK does."""
        response = await self._litellm.acompletion(
            **body, **self._where(), timeout=timeout, num_retries=0, max_retries=0, stream=False
        )
        if on_head is not None:
            on_head(_provider_headers(response))
        answer: dict[str, Any] = response.model_dump()
        return answer

    def _where(self) -> dict[str, str]:
        given = {"api_base": self._config.base_url, "api_key": self._config.key()}
        return {name: value for name, value in given.items() if value}

    async def close(self) -> None:
        """litellm keeps its own connections for the process."""


def load() -> Any:
    """The `litellm` module, kept from calling home and from printing."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else its import downloads a price list
    litellm: Any = importlib.import_module("litellm")
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _provider_headers(response: Any) -> dict[str, str]:
    hidden = getattr(response, "_hidden_params", None) or {}
    headers = hidden.get("additional_headers") or {}
    return {str(name).removeprefix(_PROVIDER_PREFIX): str(value) for name, value in headers.items()}
