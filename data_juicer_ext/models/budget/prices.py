"""What calls cost: prices per million tokens from a small YAML file that users can override.

A price that is not in the table is unknown, and said to be so; nothing is guessed from a similar name.
"""

import difflib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.types import Usage
from data_juicer_ext.storage.yaml_mapping import read_mapping

PRICES_VARIABLE = "DJ_EXT_PRICES"
SHIPPED = Path(__file__).with_name("prices.yaml")
CURRENCY = "USD"
_UNIT = f"{CURRENCY} per million tokens"
_MILLION = 1_000_000
_MAX_PRICE = 100_000.0  # per million tokens; more is a price per token times too much
# -2025-04-16, -20250416, -0613, @20250514, -latest: what providers add to the name of the same model.
_SNAPSHOT = re.compile(r"(?:[-@](?:20\d\d-?[01]\d-?[0-3]\d|[01]\d[0-3]\d)|-latest)\Z")


class PriceError(DjExtError, ValueError):
    """A price file is wrong; the text says where and what is allowed."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens. `cached_input` is for prompt tokens from the provider's cache."""

    input: float
    output: float
    cached_input: float
    note: str = ""

    def cost(self, usage: Usage) -> float:
        """The US dollars for `usage`.

        Cached tokens are part of the prompt's, reasoning tokens part of the completion's.
        """
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        fresh = usage.prompt_tokens - cached
        total = fresh * self.input + cached * self.cached_input + usage.completion_tokens * self.output
        return total / _MILLION


@dataclass(frozen=True)
class PriceTable:
    """The known prices by model. `sources` are the files they came from, later ones first in rank."""

    models: Mapping[str, Price] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    def find(self, model: str) -> Price | None:
        """The price of `model`, or of the model that it is a dated snapshot of; None if unknown."""
        name = model.strip().lower()
        return self.models[name] if name in self.models else self.models.get(_SNAPSHOT.sub("", name))


def price_of(model_answered: str, usage: Usage, table: PriceTable) -> float | None:
    """The US dollars of one call, None if the model's price is unknown.

    `model_answered` is the name as the provider answered it. Where `usage` is estimated, so is this.
    """
    price = table.find(model_answered)
    return None if price is None else price.cost(usage)


def load_prices(path: str = "") -> PriceTable:
    """The shipped prices, overridden by those in the file at `path`, by default at $DJ_EXT_PRICES.

    Raises PriceError for a file that is missing or wrong.
    """
    own = path or os.environ.get(PRICES_VARIABLE, "")
    models = dict(_read(SHIPPED))
    sources = [str(SHIPPED)]
    if own:
        models.update(_read(Path(own)))
        sources.append(own)
    return PriceTable(models, tuple(sources))


def _read(path: Path) -> dict[str, Price]:
    value = read_mapping(path, lambda said: PriceError(f"prices: {said}"))
    _check_names(path, "the file", value, ("currency", "models"))
    if value.get("currency", CURRENCY) != CURRENCY:
        raise PriceError(f"prices: {path}: currency {value['currency']!r} is not supported, only {CURRENCY}")
    models = value.get("models") or {}
    if not isinstance(models, Mapping):
        raise PriceError(f"prices: {path}: models must map names to prices, got {type(models).__name__}")
    return {str(name).strip().lower(): _price(path, str(name), given) for name, given in models.items()}


def _price(path: Path, model: str, given: Any) -> Price:
    _check_names(path, model, given, tuple(f.name for f in fields(Price)))
    amounts = {name: _amount(path, model, name, given[name]) for name in ("input", "output") if name in given}
    if len(amounts) < 2:
        raise PriceError(f"prices: {path}: {model} needs both input and output, in {_UNIT}")
    cached = given.get("cached_input")
    cached_amount = amounts["input"] if cached is None else _amount(path, model, "cached_input", cached)
    return Price(**amounts, cached_input=cached_amount, note=str(given.get("note") or ""))


def _check_names(path: Path, what: str, given: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(given, Mapping):
        raise PriceError(f"prices: {path}: {what} must be a mapping with {', '.join(allowed)}, got {given!r}")
    for name in given:
        if name not in allowed:
            close = difflib.get_close_matches(str(name), allowed, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            known = ", ".join(allowed)
            raise PriceError(f"prices: {path}: {what}: {name} is unknown{hint}, allowed: {known}")


def _amount(path: Path, model: str, name: str, value: Any) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not 0 <= number <= _MAX_PRICE:
        raise PriceError(
            f"prices: {path}: {model}: {name} is {value!r}, allowed are numbers from 0 to {_MAX_PRICE:g} ({_UNIT})"
        )
    return float(number)
