"""Where a model is and how it may be called: the operators' `api_model`, `api_endpoint` and
`model_params`, checked before the first row.

Every mistake is a `ConfigError` that says what was wrong and what is allowed. Keys never stand in
a configuration: it names the environment variable that holds one.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from data_juicer_ext.figures.image_parts import ImageLimits

OFFLINE = "offline"
NO_KEY = "none"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
BACKENDS = ("openai",)

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


class ConfigError(ValueError):
    """A parameter of an operator is wrong; the text says which, why, and what is allowed."""


@dataclass(frozen=True)
class EndpointConfig:
    """One model at one endpoint, with its limits; equal configurations share one client.

    `base_url` has no trailing slash. `requests_per_minute` and `tokens_per_minute`: 0 is no limit.
    `timeout` (seconds) bounds one try, `deadline` (seconds) one request with all its retries, from
    its first try on. `backoff` (seconds) is the first wait between tries, later ones double it, and
    `max_tries` bounds them; being told to wait for a rate limit is no try.
    The image limits are those of `figures.image_parts.ImageLimits`.
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

    @property
    def endpoint(self) -> str:
        """The endpoint's name in messages and records: host, and port where the URL has one."""
        return OFFLINE if self.model == OFFLINE else urlsplit(self.base_url).netloc

    @property
    def url(self) -> str:
        """The URL that requests go to."""
        return self.base_url + self.endpoint_path

    @property
    def image_limits(self) -> ImageLimits:
        return ImageLimits(self.max_image_side, self.max_image_bytes, self.max_image_pixels)

    def key(self) -> str:
        """The key, read from the environment now; "" if there is none."""
        return "" if self.api_key_env == NO_KEY else os.environ.get(self.api_key_env, "").strip()


_RANGES: dict[str, tuple[type[int] | type[float], float, float]] = {
    "max_concurrency": (int, 1, 4096),
    "requests_per_minute": (int, 0, 10_000_000),
    "tokens_per_minute": (int, 0, 10_000_000_000),
    "timeout": (float, 0.01, 86_400),
    "deadline": (float, 0.01, 604_800),
    "backoff": (float, 0, 60),
    "max_tries": (int, 1, 1000),
    "max_image_side": (int, 32, 16_384),
    "max_image_bytes": (int, 1_000, 100_000_000),
    "max_image_pixels": (int, 1_000, 178_000_000),
}
ALLOWED = tuple(f.name for f in fields(EndpointConfig) if f.name not in ("model", "endpoint_path"))


def expand_environment(text: str) -> str:
    """`text` with `${NAME}` and `${NAME:-default}` filled from the environment.

    A default also stands in for an empty variable, as in a shell. Raises ConfigError that names a
    variable without default which is not set.
    """

    def value(match: re.Match[str]) -> str:
        name, default = match.group(1), match.group(2)
        found = os.environ.get(name, "")
        if not found and default is not None:
            return default
        if name not in os.environ:
            raise ConfigError(f"environment variable {name} is not set: set it, or write ${{{name}:-default}}")
        return found

    return _VARIABLE.sub(value, text)


def parse_model_params(
    api_model: str, api_endpoint: str | None = None, model_params: Mapping[str, Any] | None = None
) -> EndpointConfig:
    """The checked configuration of what an operator was given.

    `${NAME}` is expanded in all strings. `base_url` defaults to the variable OPENAI_BASE_URL, then
    to OpenAI's own. `api_endpoint` is the path of the chat interface below it. Raises ConfigError.
    """
    given = {
        str(name): expand_environment(value) if isinstance(value, str) else value
        for name, value in (model_params or {}).items()
    }
    _check_names(given)
    model = expand_environment(str(api_model or "")).strip()
    if not model:
        raise ConfigError("api_model is empty: name a model of the endpoint, or `offline`")
    checked: dict[str, Any] = {name: _number(name, given[name]) for name in _RANGES if name in given}
    if given.get("backend", "openai") not in BACKENDS:
        raise ConfigError(f"model_params.backend: {given['backend']!r} is unknown, allowed: {', '.join(BACKENDS)}")
    if "api_key_env" in given:
        checked["api_key_env"] = _key_name(given["api_key_env"])
    base_url = given.get("base_url") or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
    return EndpointConfig(model=model, base_url=_base_url(base_url), endpoint_path=_path(api_endpoint), **checked)


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
    for name in ("model", "messages", "stream", "api_key"):
        if name in sampling:
            raise ConfigError(f"sampling_params.{name} is not allowed: the operator sets what it needs itself")
    return sampling


def needs_key(config: EndpointConfig) -> bool:
    """Whether the endpoint asks for a key: not offline, and not on this or a private network."""
    if config.model == OFFLINE or config.api_key_env == NO_KEY:
        return False
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


def _number(name: str, value: Any) -> int | float:
    kind, low, high = _RANGES[name]
    words = f"allowed: {'a whole number' if kind is int else 'a number'} from {low:g} to {high:g}"
    try:
        number = None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None or not low <= number <= high or (kind is int and number != int(number)):
        raise ConfigError(f"model_params.{name}: {value!r} will not do, {words}")
    return kind(number)


def _key_name(value: Any) -> str:
    name = str(value or "").strip()
    if name.lower() == NO_KEY:
        return NO_KEY
    if not _NAME.match(name):  # it may be a key, pasted in the wrong place: never repeat it
        raise ConfigError(
            "model_params.api_key_env is not the name of an environment variable (letters, digits, "
            f"underscores), for example OPENAI_API_KEY, or `{NO_KEY}`. The key itself does not belong here"
        )
    return name


def _base_url(value: Any) -> str:
    url = str(value).strip().rstrip("/")
    try:
        parts = urlsplit(url)
        _ = parts.port  # reading it checks it
    except ValueError:
        raise ConfigError(f"base_url is no http or https URL, for example {DEFAULT_BASE_URL}") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "base_url holds a user, password, query or fragment: allowed is http(s)://host[:port]/path, "
            "keys go into the environment variable that api_key_env names"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"base_url: {url!r} is no http or https URL, for example {DEFAULT_BASE_URL}")
    if url.endswith("/chat/completions"):
        raise ConfigError(f"base_url: {url!r} holds the endpoint's path, leave /chat/completions out")
    return url


def _path(api_endpoint: str | None) -> str:
    path = "/" + expand_environment(api_endpoint or "").strip().strip("/")
    if path == "/":
        return "/chat/completions"
    if "://" in path:
        raise ConfigError("api_endpoint is a path such as /chat/completions; a URL goes into model_params.base_url")
    if not path.endswith("/chat/completions"):
        raise ConfigError(f"api_endpoint: {path!r} is unknown, allowed: /chat/completions or a path that ends so")
    return path
