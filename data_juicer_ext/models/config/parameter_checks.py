"""Checks and conversions of the single values that an operator's `model_params` may hold.

Every mistake is a `ConfigError` that says what was wrong and what is allowed.
"""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from data_juicer_ext.errors import DjExtError

NO_KEY = "none"
DEFAULT_BASE_URL = "https://api.openai.com/v1"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")

RANGES: dict[str, tuple[type[int] | type[float], float, float]] = {
    "max_concurrency": (int, 1, 4096),
    "requests_per_minute": (int, 0, 10_000_000),
    "tokens_per_minute": (int, 0, 10_000_000_000),
    "timeout": (float, 0.01, 86_400),
    "deadline": (float, 0.01, 604_800),
    "backoff": (float, 0, 60),
    "max_tries": (int, 1, 1000),
    "hedge": (float, 0, 0.999),
    "max_image_side": (int, 32, 16_384),
    "max_image_bytes": (int, 1_000, 100_000_000),
    "max_image_pixels": (int, 1_000, 178_000_000),
    "min_text_height": (int, 0, 100),
}


class ConfigError(DjExtError, ValueError):
    """A parameter of an operator is wrong; the text says which, why, and what is allowed."""


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


def choice(given: Mapping[str, Any], name: str, default: str, allowed: tuple[str, ...]) -> str:
    """One of the words `allowed`, as given under `name`."""
    value = given.get(name, default)
    if value not in allowed:
        raise ConfigError(f"model_params.{name}: {value!r} is unknown, allowed: {', '.join(allowed)}")
    return str(value)


def number(name: str, value: Any) -> int | float:
    """The number that `model_params` holds under `name`, within its range in `RANGES`."""
    kind, low, high = RANGES[name]
    words = f"allowed: {'a whole number' if kind is int else 'a number'} from {low:g} to {high:g}"
    try:
        found = None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = None
    if found is None or not low <= found <= high or (kind is int and found != int(found)):
        raise ConfigError(f"model_params.{name}: {value!r} will not do, {words}")
    return kind(found)


def key_name(value: Any) -> str:
    """The name of an environment variable that holds a key, or `NO_KEY`."""
    name = str(value or "").strip()
    if name.lower() == NO_KEY:
        return NO_KEY
    if not _NAME.match(name):  # it may be a key, pasted in the wrong place: never repeat it
        raise ConfigError(
            "model_params.api_key_env is not the name of an environment variable (letters, digits, "
            f"underscores), for example OPENAI_API_KEY, or `{NO_KEY}`. The key itself does not belong here"
        )
    return name


def base_url(value: Any) -> str:
    """An address that requests may go to, without a trailing slash and without secrets."""
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


def path(api_endpoint: str | None) -> str:
    """The path of the chat interface below the base URL."""
    found = "/" + expand_environment(api_endpoint or "").strip().strip("/")
    if found == "/":
        return "/chat/completions"
    if "://" in found:
        raise ConfigError("api_endpoint is a path such as /chat/completions; a URL goes into model_params.base_url")
    if not found.endswith("/chat/completions"):
        raise ConfigError(f"api_endpoint: {found!r} is unknown, allowed: /chat/completions or a path that ends so")
    return found
