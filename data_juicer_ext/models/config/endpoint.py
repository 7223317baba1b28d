"""Where a model is and how it may be called: the operators' `api_model`, `api_endpoint` and
`model_params`, checked before the first row.

Every mistake is a `ConfigError` that says what was wrong and what is allowed. Keys never stand in
a configuration: it names the environment variable that holds one.
"""

import difflib
import importlib.util
import ipaddress
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlsplit

from data_juicer_ext.figures.image_preparation import ImageLimits
from data_juicer_ext.models.config.handed_keys import HANDED
from data_juicer_ext.models.config.image_profiles import DEFAULT_PROFILE, PROFILES
from data_juicer_ext.models.config.parameter_checks import (
    DEFAULT_BASE_URL,
    NO_KEY,
    RANGES,
    ConfigError,
    base_url,
    choice,
    expand_environment,
    key_name,
    number,
    path,
)

__all__ = [
    "DEFAULT_BASE_URL", "NO_KEY", "OFFLINE", "ConfigError", "EndpointConfig", "expand_environment", "needs_key",
    "parse_model_params", "parse_sampling_params", "require_key",
]  # fmt: skip

OFFLINE = "offline"
BACKENDS = ("openai", "litellm")
MODES = ("direct", "batch")

_KEY_LIKE = re.compile(r"api[-_]?key|authorization|token$|secret|password|^extra_(?:headers|query)$", re.I)


@dataclass(frozen=True)
class EndpointConfig:
    """One model at one endpoint, with its limits; equal configurations share one client.

    `base_url` has no trailing slash; with `backend` litellm it may be "", as litellm knows where its providers are.
    `mode` is `direct` or `batch` (the provider's batch interface). `requests_per_minute` and `tokens_per_minute`: 0 is
    no limit. `timeout` (seconds) bounds one try, `deadline` (seconds) one request with all its retries, from its first
    try on. `backoff` (seconds) is the first wait between tries, later ones double it, and `max_tries` bounds them;
    being told to wait for a rate limit is no try, nor is finding nobody there as long as the endpoint may yet come
    (`Breaker.away`). `hedge` is the quantile of the observed latencies after which a slow call is sent a second time
    (0: never). `image_profile` names the provider whose image limits hold (`image_profiles.PROFILES`), as far as they
    are not given themselves; these are the fields of `figures.image_preparation.ImageLimits`.
    """

    model: str
    base_url: str = DEFAULT_BASE_URL
    api_key_env: str = "OPENAI_API_KEY"
    endpoint_path: str = "/chat/completions"
    max_concurrency: int = 64
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    timeout: float = 120.0
    deadline: float = 600.0
    backoff: float = 0.5
    max_tries: int = 8
    backend: str = "openai"
    max_image_side: int = ImageLimits.max_side
    max_image_bytes: int = ImageLimits.max_bytes
    max_image_pixels: int = ImageLimits.max_pixels
    hedge: float = 0.0
    image_profile: str = DEFAULT_PROFILE
    min_text_height: int = ImageLimits.min_text_height
    mode: str = MODES[0]

    @property
    def endpoint(self) -> str:
        """The endpoint's name in messages and records: host, and port where the URL has one.

        Where litellm chooses the address it is `litellm:` and the provider as the model names it.
        """
        if self.model == OFFLINE:
            return OFFLINE
        return urlsplit(self.base_url).netloc or f"litellm:{self.model.partition('/')[0]}"

    @property
    def address(self) -> str:
        """What tells where it is: models with the same one answer, and are away, together."""
        return self.base_url or self.endpoint

    @property
    def url(self) -> str:
        """The URL that requests go to."""
        return self.base_url + self.endpoint_path

    @property
    def image_limits(self) -> ImageLimits:
        return replace(
            PROFILES[self.image_profile], max_side=self.max_image_side, max_bytes=self.max_image_bytes,
            max_pixels=self.max_image_pixels, min_text_height=self.min_text_height,
        )  # fmt: skip

    def key(self) -> str:
        """The key, read from the environment now, or handed over in memory; "" if there is none."""
        if self.api_key_env == NO_KEY:
            return ""
        return os.environ.get(self.api_key_env, "").strip() or HANDED.get(self.api_key_env)


ALLOWED = tuple(f.name for f in fields(EndpointConfig) if f.name not in ("model", "endpoint_path"))


def parse_model_params(
    api_model: str, api_endpoint: str | None = None, model_params: Mapping[str, Any] | None = None
) -> EndpointConfig:
    """The checked configuration of what an operator was given.

    `${NAME}` is expanded in all strings. `base_url` defaults to the variable OPENAI_BASE_URL, then
    to OpenAI's own. `api_endpoint` is the path of the chat interface below it. Raises ConfigError.
    """
    if model_params is not None and not isinstance(model_params, Mapping):
        raise ConfigError(f"model_params: expected a mapping, got {type(model_params).__name__}")
    given = {
        str(name): expand_environment(value) if isinstance(value, str) else value
        for name, value in (model_params or {}).items()
    }
    _check_names(given)
    model = expand_environment(str(api_model or "")).strip()
    if not model:
        raise ConfigError("api_model is empty: name a model of the endpoint, or `offline`")
    checked: dict[str, Any] = _image_numbers(choice(given, "image_profile", DEFAULT_PROFILE, tuple(PROFILES)))
    checked.update({name: number(name, given[name]) for name in RANGES if name in given})
    checked["backend"] = choice(given, "backend", BACKENDS[0], BACKENDS)
    checked["mode"] = choice(given, "mode", MODES[0], MODES)
    checked["base_url"] = _address(given, checked["backend"])
    if checked["backend"] == "litellm":
        _check_litellm(checked["mode"])
        checked["api_key_env"] = NO_KEY  # litellm has a variable of its own for every provider
    if "api_key_env" in given:
        checked["api_key_env"] = key_name(given["api_key_env"])
    return EndpointConfig(model=model, endpoint_path=path(api_endpoint), **checked)


def parse_sampling_params(sampling_params: Mapping[str, Any] | None) -> dict[str, Any]:
    """What an operator's `sampling_params` add to each request; {} for None.

    `extra_body` is merged in, as the OpenAI SDK does. Raises ConfigError for what would break the
    request (`model`, `messages`, `stream`) or is no mapping; everything else is the provider's.
    """
    if sampling_params is None:
        return {}
    if not isinstance(sampling_params, Mapping):
        raise ConfigError(f"sampling_params: expected a mapping, got {type(sampling_params).__name__}")
    sampling = {str(name): value for name, value in sampling_params.items() if name != "extra_body"}
    extra = sampling_params.get("extra_body") or {}
    if not isinstance(extra, Mapping):
        raise ConfigError(f"sampling_params.extra_body: expected a mapping, got {type(extra).__name__}")
    sampling.update({str(name): value for name, value in extra.items()})
    for name in sampling:
        if name in ("model", "messages", "stream"):
            raise ConfigError(f"sampling_params.{name} is not allowed: the operator sets what it needs itself")
        if _KEY_LIKE.search(name):  # sampling parameters stand in the ledger and in every kept row
            raise ConfigError(
                f"sampling_params.{name} is not allowed: sampling parameters are written to the ledger and the "
                "export, keys with them; put the key into an environment variable (model_params.api_key_env)"
            )
    return sampling


def needs_key(config: EndpointConfig) -> bool:
    """Whether the endpoint asks for a key: not offline, and not on this or a private network."""
    if config.model == OFFLINE or config.api_key_env == NO_KEY:
        return False
    if not config.base_url:
        return True  # litellm's provider, and a variable was named for it
    host = urlsplit(config.base_url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".local"))
    return not (address.is_loopback or address.is_private or address.is_link_local)


def require_key(config: EndpointConfig) -> None:
    """Raises ConfigError when the endpoint needs a key and its variable holds none."""
    if needs_key(config) and not config.key():
        raise ConfigError(
            f"model {config.model!r} at {config.endpoint} needs a key, and the environment variable "
            f"{config.api_key_env} is not set: set it, or name another variable in model_params.api_key_env "
            f"(`{NO_KEY}` for an endpoint that takes no key). To run without any endpoint: api_model: {OFFLINE}"
        )


def _check_names(given: Mapping[str, Any]) -> None:
    if "api_key" in given:
        raise ConfigError(
            "model_params.api_key is refused: recipes are copied into logs and work folders, keys with them. "
            "Put the key into an environment variable and name that in model_params.api_key_env"
        )
    for name in given:
        if name not in ALLOWED:
            close = difflib.get_close_matches(name, ALLOWED, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ConfigError(f"model_params.{name} is unknown{hint}, allowed: {', '.join(ALLOWED)}")


def _image_numbers(profile: str) -> dict[str, Any]:
    limits = PROFILES[profile]
    return {
        "image_profile": profile, "max_image_side": limits.max_side, "max_image_bytes": limits.max_bytes,
        "max_image_pixels": limits.max_pixels,
    }  # fmt: skip


def _address(given: Mapping[str, Any], backend: str) -> str:
    """The base URL that was given, else the environment's, else OpenAI's; litellm needs none."""
    if backend == "litellm":
        return base_url(given["base_url"]) if given.get("base_url") else ""
    return base_url(given.get("base_url") or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL)


def _check_litellm(mode: str) -> None:
    if mode == "batch":
        raise ConfigError("model_params.mode: batch needs model_params.backend: openai")
    if "litellm" not in sys.modules and importlib.util.find_spec("litellm") is None:
        raise ConfigError(
            "model_params.backend: litellm is not installed: pip install 'data-juicer-ext[litellm]', or use "
            "backend: openai with the provider's OpenAI-compatible base_url"
        )
