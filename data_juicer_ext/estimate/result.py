"""An estimate: what each step takes in and gives, what that costs, and what was taken for granted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.estimate.uncertain_amounts import CONFIDENCE, Range

PILOT, ASSUMED, UNKNOWN = "pilot", "assumed", "unknown"
_SUMMED = ("calls", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class StepEstimate:
    """One step over the whole dataset.

    `basis` says where its amounts come from: `pilot`, `assumed` (but for the prompts, which are
    measured), or `unknown` for a step of which nothing can be said. `image_share` is the part of the
    prompt tokens that images are. `cost` is in US dollars, None where the model's price is unknown.
    """

    operator: str
    tag: str
    model: str
    basis: str
    rows_in: Range
    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    rows_out: Range
    cost: Range | None
    image_share: float = 0.0


@dataclass(frozen=True)
class PilotTold:
    """What the pilot itself was: rows drawn, decided, undecided and left by its budget; calls, answers out of
    the store, US dollars and calls of unknown price; decisions that no drawn row led to; its run folder."""

    drawn: int
    decided: int
    undecided: int
    unreached: int
    calls: int
    hits: int
    cost: float
    unpriced: int
    untied: int
    folder: str


@dataclass(frozen=True)
class Estimate:
    """What a recipe will take and give over a dataset.

    `read` of the `dataset_rows` rows were read; the free steps made `rows` of them for which calls are made, and `free`
    that cost nothing. `survivors` are the rows that the last step lets through, None where no call is made at all.
    `cost` is in US dollars, without the models in `unpriced`. `assumed` says in words what was taken for granted.
    """

    recipe: str
    dataset: str
    seed: int
    dataset_rows: int
    read: int
    rows: int
    free: int
    steps: tuple[StepEstimate, ...]
    survivors: Range | None
    cost: Range
    unpriced: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    pilot: PilotTold | None = None
    prices: tuple[str, ...] = field(default=())

    def models(self) -> dict[str, dict[str, Any]]:
        """Calls, tokens and US dollars (None: price unknown) by model, likeliest values; unknown steps left out."""
        found: dict[str, dict[str, Any]] = {}
        for step in self.steps:
            if not step.model or step.basis == UNKNOWN:
                continue
            sums = found.setdefault(step.model, dict.fromkeys((*_SUMMED, "image_tokens"), 0.0))
            for name in _SUMMED:
                sums[name] += getattr(step, name).likely
            sums["image_tokens"] += step.prompt_tokens.likely * step.image_share
            before = sums.get("cost", 0.0)
            sums["cost"] = None if step.cost is None or before is None else before + step.cost.likely
        return found


def as_json(estimate: Estimate) -> dict[str, Any]:
    """The estimate as plain values; every range an object with low, likely and high."""
    value: dict[str, Any] = {"confidence": CONFIDENCE, "basis": "pilot" if estimate.pilot else "assumptions"}
    value |= _plain(vars(estimate))
    value["steps"] = [_plain(vars(step)) for step in estimate.steps]
    value["models"] = estimate.models()
    value["pilot"] = _plain(vars(estimate.pilot)) if estimate.pilot else None
    return value


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _rounded(value) if isinstance(value, Range) else list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }


def _rounded(value: Range) -> dict[str, float]:
    return {name: round(number, 6) for name, number in vars(value).items()}
