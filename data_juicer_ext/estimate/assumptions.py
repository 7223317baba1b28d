"""What is taken for granted where nothing was measured: a small YAML file that users can override."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.estimate.uncertain_amounts import Range
from data_juicer_ext.storage.yaml_mapping import read_mapping

SHIPPED = Path(__file__).with_name("assumptions.yaml")
_ONE = ("claims_per_figure", "thinking_tokens", "repairs", "frugal_draws")
_MANY = ("keep", "completion_tokens")
_SHARES = ("keep", "repairs", "frugal_draws")
_MOST = 1e6


class AssumptionError(DjExtError, ValueError):
    """A file of assumptions is wrong; the text says where and what is allowed."""


@dataclass(frozen=True)
class Assumptions:
    """All of them; shares are from 0 to 1. `sources` are the files they came from."""

    claims_per_figure: Range
    keep: Mapping[str, Range]
    completion_tokens: Mapping[str, Range]
    thinking_tokens: Range
    thinking_models: tuple[str, ...]
    repairs: Range
    frugal_draws: Range
    characters: Mapping[str, int]
    sources: tuple[str, ...]

    def kept_by(self, operator: str, tag: str, own: Range | None = None) -> Range:
        """The share of its rows that a listing keeps; `own` is what its operator says where the files name neither."""
        kind = "filter" if operator.endswith("_filter") else "mapper"
        return next((self.keep[name] for name in (tag, operator) if name in self.keep), own or self.keep[kind])

    def completion_of(self, operator: str, own: Range | None = None) -> Range:
        """The tokens of one answer, without thinking; `own` is what the operator says where the files don't name it."""
        return self.completion_tokens.get(operator, own or self.completion_tokens["others"])

    def rows_made(self, name: str) -> Range:
        """The rows that are made of one, by the name of that assumption."""
        found: Range = {"claims_per_figure": self.claims_per_figure}[name]
        return found

    def thinks(self, model: str) -> bool:
        """Whether a model is taken for a reasoning model."""
        name = model.lower().rpartition("/")[2]
        return any(re.match(re.escape(start) + r"(?![a-z0-9])", name) for start in self.thinking_models)


def load_assumptions(path: Path | None = None) -> Assumptions:
    """The shipped assumptions, overridden by those in the file at `path`. Raises AssumptionError."""
    merged = _read(SHIPPED)
    sources = [str(SHIPPED)]
    if path is not None:
        for name, value in _read(path).items():
            if name not in merged:
                raise AssumptionError(f"{path}: {name} is unknown{_hint(name, merged)}, allowed: {', '.join(merged)}")
            both = isinstance(value, Mapping) and isinstance(merged[name], Mapping)
            merged[name] = {**merged[name], **value} if both else value
        sources.append(str(path))
    return _checked(merged, sources)


def _read(path: Path) -> dict[str, Any]:
    return {str(name): given for name, given in read_mapping(path, AssumptionError).items()}


def _hint(name: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _checked(given: Mapping[str, Any], sources: list[str]) -> Assumptions:
    where = sources[-1]
    ranges: dict[str, Any] = {name: _range(where, name, given[name], name in _SHARES) for name in _ONE}
    for name in _MANY:
        if not isinstance(given[name], Mapping):
            raise AssumptionError(f"{where}: {name} is {given[name]!r}, not a mapping of operators to their ranges")
        ranges[name] = {
            str(key): _range(where, f"{name}: {key}", value, name in _SHARES) for key, value in given[name].items()
        }
    names = given["thinking_models"]
    if not isinstance(names, list) or not all(isinstance(item, str) and item for item in names):
        raise AssumptionError(f"{where}: thinking_models is {names!r}, not a list of names")
    return Assumptions(
        **ranges, thinking_models=tuple(item.lower() for item in names),
        characters=_characters(where, given["characters"]), sources=tuple(sources),
    )  # fmt: skip


def _range(where: str, name: str, value: Any, share: bool) -> Range:
    most = 1.0 if share else _MOST
    numbers = [n for n in value if isinstance(n, int | float) and not isinstance(n, bool)] if _is_list(value) else []
    if len(numbers) != 3 or len(value) != 3 or not 0 <= numbers[0] <= numbers[1] <= numbers[2] <= most:
        raise AssumptionError(
            f"{where}: {name} is {value!r}; write [low, likely, high], rising numbers from 0 to {most:g}"
        )
    return Range(*map(float, numbers))


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _characters(where: str, value: Any) -> dict[str, int]:
    known = ("claim", "question", "option")
    good = isinstance(value, Mapping) and set(value) == set(known)
    if not good or not all(type(value[name]) is int and 1 <= value[name] <= 10_000 for name in known):
        raise AssumptionError(
            f"{where}: characters is {value!r}; write whole numbers from 1 to 10,000 for {', '.join(known)}"
        )
    return {name: value[name] for name in known}
