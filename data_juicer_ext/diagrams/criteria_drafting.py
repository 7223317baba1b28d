"""Type-specific criteria written by a model, for a person to review. Source: SciDiagBench, section 3.3.

A type takes a call for each part, whose criteria come with an importance from 1 to 10, and one call per draw for the
weights of the dimensions, which are averaged over the draws that came. Importances of both parts of a dimension are
on one scale, and brought to a sum of 1 together.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from data_juicer_ext.diagrams.criteria import MOST_CRITERIA, TEXT_CHARACTERS, criterion_id
from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimension_weights import Weights, averaged, rounded
from data_juicer_ext.diagrams.dimensions import AESTHETICS, DIMENSIONS, PARTS, parts_of
from data_juicer_ext.judging.protocols import NoReport

TEMPLATES = {"scidiag/criteria": ("type", "part", "parts"), "scidiag/weights": ("type", "parts")}
"""The templates that drafting renders, with what each is given."""


def _stripped(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else value


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is needed")
    return value


DraftText = Annotated[str, BeforeValidator(_stripped), Field(min_length=1, max_length=TEXT_CHARACTERS)]
Importance = Annotated[float, BeforeValidator(_no_bool), Field(ge=1, le=10)]
Share = Annotated[float, BeforeValidator(_no_bool), Field(ge=0, le=100, allow_inf_nan=False)]


class DraftCriterion(BaseModel):
    """A criterion as a model writes it; `weight` is its importance, 1 to 10."""

    text: DraftText
    weight: Importance


class CriteriaDraft(BaseModel):
    """The criteria of one part."""

    criteria: Annotated[list[DraftCriterion], Field(min_length=1, max_length=MOST_CRITERIA)]


class WeightsDraft(BaseModel):
    """One draw of the dimensions' weights; only their ratios count."""

    Structure: Share
    Content: Share
    Aesthetics: Share

    @model_validator(mode="after")
    def _something(self) -> "WeightsDraft":
        if self.Structure + self.Content + self.Aesthetics <= 0:
            raise ValueError("one weight at least has to be above 0")
        return self


@dataclass(frozen=True)
class DraftingCall:
    """One call: its name in the ledger ("AF/VOL"), template, fields, the answer's form, images, and draw."""

    name: str
    template: str
    fields: dict[str, Any]
    model: type[BaseModel]
    images: tuple[str, ...] = ()
    draw: int = 0


AskDraft = Callable[[DraftingCall], Awaitable["BaseModel | NoReport"]]


@dataclass
class DraftedTypes:
    """Types for a criteria file, as plain data by code; `failures` says which calls left a type without one,
    `missing` which draws of weights did not come and were done without."""

    types: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


async def draft(codes: Sequence[str], draws: int, ask: AskDraft) -> DraftedTypes:
    """Criteria for some types, all calls at once; `draws` is how often the weights are asked for."""
    made = DraftedTypes()
    entries = await asyncio.gather(*(_type(code, draws, ask, made) for code in codes))
    made.types = {code: entry for code, entry in zip(codes, entries, strict=True) if entry is not None}
    return made


def questions(code: str, draws: int) -> tuple[list[DraftingCall], list[DraftingCall]]:
    """The questions about a type: one for each part, and one for each draw of weights."""
    kind, parts = vars(TYPES[code]), [vars(part) for part in PARTS.values()]
    written = [
        DraftingCall(
            f"{code}/{part.key}", "scidiag/criteria", {"type": kind, "part": vars(part), "parts": parts}, CriteriaDraft
        )
        for part in PARTS.values()
    ]
    weighed = [
        DraftingCall(
            f"{code}/weights {draw + 1}", "scidiag/weights", {"type": kind, "parts": parts}, WeightsDraft, (), draw
        )
        for draw in range(draws)
    ]
    return written, weighed


async def _type(code: str, draws: int, ask: AskDraft, made: DraftedTypes) -> dict[str, Any] | None:
    written, weighed = questions(code, draws)
    answers = await asyncio.gather(*(ask(question) for question in (*written, *weighed)))
    parts: dict[str, list[DraftCriterion]] = {}
    shares: list[Weights] = []
    for question, answer in zip((*written, *weighed), answers, strict=True):
        if isinstance(answer, CriteriaDraft):
            parts[question.fields["part"]["key"]] = answer.criteria
        elif isinstance(answer, WeightsDraft):
            shares.append(averaged([answer.model_dump()]))
        else:
            told = f"{question.name}: {answer.message if isinstance(answer, NoReport) else answer}"
            (made.missing if question.model is WeightsDraft else made.failures).append(told)
    if not shares:
        made.failures.append(f"{code}/weights: none of {draws} draws came")
    if not shares or len(parts) < len(PARTS):
        return None
    return {
        "name": TYPES[code].name, "weights": averaged(shares), "draws": shares,
        "dimensions": _dimensions(code, parts),
    }  # fmt: skip


def _dimensions(code: str, parts: dict[str, list[DraftCriterion]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for dimension in DIMENSIONS:
        entries = {part: _entries(code, part, parts[part]) for part in parts_of(dimension)}
        together = [entry for listed in entries.values() for entry in listed]
        total = math.fsum(entry["weight"] for entry in together)
        shares = rounded({entry["id"]: entry["weight"] / total for entry in together})
        for entry in together:
            entry["weight"] = shares[entry["id"]]
        made[dimension] = entries[AESTHETICS] if dimension == AESTHETICS else entries
    return made


def _entries(code: str, part: str, criteria: list[DraftCriterion]) -> list[dict[str, Any]]:
    by_id = {
        criterion_id(code, part, criterion.text): {
            "text": criterion.text,
            "weight": criterion.weight,
            "instructions": [],
        }
        for criterion in criteria
    }
    return [{"id": identity, **entry} for identity, entry in by_id.items()]
