"""How much each dimension counts for a diagram of a type."""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimensions import DIMENSIONS
from data_juicer_ext.errors import UsageError

SLACK = 0.005  # by which written weights may miss a sum of 1: they are rounded
DIGITS = 4

Weights = dict[str, float]


@cache
def _shipped() -> dict[str, Weights]:
    text = Path(__file__).with_name("weights.yaml").read_text(encoding="utf-8")
    return {code: checked(given, f"weights.yaml: {code}") for code, given in yaml.safe_load(text).items()}


def type_weights(code: str) -> Weights:
    """The shipped weights of a type by dimension; they sum to 1."""
    return dict(_shipped()[code])


def checked(given: Any, where: str) -> Weights:
    """The weights of one type as `given`, brought to a sum of 1. Raises UsageError that begins with `where`."""
    if not isinstance(given, Mapping) or set(given) != set(DIMENSIONS):
        raise UsageError(f"{where}: a weight is needed for each of {', '.join(DIMENSIONS)}, and for nothing else")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise UsageError(f"{where}: {name} is {value!r}, not a number from 0 to 1")
    total = math.fsum(given.values())
    if abs(total - 1) > SLACK:
        raise UsageError(f"{where}: the weights sum to {total:g}, not to 1")
    return {name: given[name] / total for name in DIMENSIONS}


def own_weights(given: Mapping[str, Any] | None) -> dict[str, Weights]:
    """Weights of one's own by type, checked. Raises UsageError."""
    unknown = [str(code) for code in given or () if code not in TYPES]
    if unknown:
        raise UsageError(f"weights: {', '.join(unknown)} is no diagram type (types: {', '.join(TYPES)})")
    return {code: checked(weights, f"weights: {code}") for code, weights in (given or {}).items()}


def averaged(draws: Iterable[Mapping[str, float]]) -> Weights:
    """The mean of the draws of a type's weights, each first brought to a sum of 1, rounded so that it sums to 1.

    Raises UsageError without a draw, or for one whose weights are all 0.
    """
    shares = []
    for draw in draws:
        total = math.fsum(draw[name] for name in DIMENSIONS)
        if total <= 0:
            raise UsageError("a draw of weights holds nothing but 0")
        shares.append({name: draw[name] / total for name in DIMENSIONS})
    if not shares:
        raise UsageError("no draw of weights came")
    return rounded({name: math.fsum(share[name] for share in shares) / len(shares) for name in DIMENSIONS})


def rounded(shares: Mapping[str, float]) -> Weights:
    """Shares that sum to 1, rounded to four digits and still summing to 1: the largest takes what is left over."""
    cut = {name: round(value, DIGITS) for name, value in shares.items()}
    largest = max(cut, key=lambda name: cut[name])
    others = math.fsum(value for name, value in cut.items() if name != largest)
    return {**cut, largest: round(1 - others, DIGITS)}
