"""Criteria files: what a diagram of each type is scored on, as YAML that a person reviews and later runs reuse.

    about: {...}                        # who wrote it; not read
    development: {papers: [...]}        # papers whose preferences it was aligned with: never judged with it
    types:
      AF:
        weights: {Structure: 0.5, Content: 0.35, Aesthetics: 0.15}   # left out: the shipped ones
        draws: [{...}, ...]             # the draws that the weights are the mean of; not read
        dimensions:
          Structure:
            VOL: [{id: AF-VOL-flow, text: ..., weight: 3, instructions: []}, ...]
            LA: [...]
          Content: {VER: [...], CA: [...]}
          Aesthetics: [...]

Weights of criteria may be any positive numbers: reading brings them to a sum of 1 within each dimension, over
its parts. An id is the criterion's for good: scores and ratings name it. Source: SciDiagBench, section 3.3.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimension_weights import Weights, checked, type_weights
from data_juicer_ext.diagrams.dimensions import AESTHETICS, CONTENT, DIMENSIONS, STRUCTURE, parts_of
from data_juicer_ext.errors import DjExtError, UsageError
from data_juicer_ext.prompts import shipped_folder
from data_juicer_ext.storage.yaml_mapping import read_mapping

MOST_CRITERIA = 12  # of one part
TEXT_CHARACTERS = 1_000
_FILE_BYTES = 5_000_000
_PROBLEMS_TOLD = 5


class CriteriaError(DjExtError, ValueError):
    """A criteria file can't be used; the text names it, the place and the reason."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True)


CriteriaText = Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)]


class CriterionEntry(_Strict):
    """One criterion as it stands in a file; `instructions` say how people want it applied."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
    text: CriteriaText
    weight: Annotated[float, Field(gt=0, le=1_000)]
    instructions: Annotated[list[CriteriaText], Field(max_length=20)] = []


Entries = Annotated[list[CriterionEntry], Field(min_length=1, max_length=MOST_CRITERIA)]


class _Structure(_Strict):
    VOL: Entries
    LA: Entries


class _Content(_Strict):
    VER: Entries
    CA: Entries


class _Dimensions(_Strict):
    Structure: _Structure
    Content: _Content
    Aesthetics: Entries

    def parts(self) -> Iterator[tuple[str, str, list[CriterionEntry]]]:
        """(dimension, part, criteria), in the order in which they are judged."""
        for dimension, holder in ((STRUCTURE, self.Structure), (CONTENT, self.Content)):
            yield from ((dimension, part, getattr(holder, part)) for part in parts_of(dimension))
        yield AESTHETICS, AESTHETICS, self.Aesthetics


class _Type(_Strict):
    name: str = ""
    weights: dict[str, Any] | None = None
    draws: list[dict[str, float]] = []
    dimensions: _Dimensions


class _Development(_Strict):
    papers: list[str] = []
    rows: list[str] = []


class _Document(_Strict):
    about: dict[str, Any] = {}
    development: _Development = _Development()
    types: Annotated[dict[str, _Type], Field(min_length=1)]


@dataclass(frozen=True)
class Criterion:
    """What is scored from 0 to 10. `weight` is its share of the dimension, 0 to 1."""

    id: str
    text: str
    weight: float
    dimension: str
    part: str
    instructions: tuple[str, ...] = ()


@dataclass(frozen=True)
class TypeCriteria:
    """The criteria of one type in the order in which they are judged, and the weights of its dimensions (sum 1)."""

    code: str
    weights: Weights
    criteria: tuple[Criterion, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the criteria, in order."""
        return tuple(criterion.id for criterion in self.criteria)


@dataclass(frozen=True)
class CriteriaSet:
    """A criteria file as it is used: criteria by type, papers that may not be judged, 12 hex digits of its content."""

    types: Mapping[str, TypeCriteria]
    development: frozenset[str]
    fingerprint: str

    def of(self, code: str) -> TypeCriteria:
        """The criteria of a type. Raises UsageError where the file has none."""
        if code not in self.types:
            raise UsageError(f"there are no criteria for {code}; the criteria file has: {', '.join(self.types)}")
        return self.types[code]


def shipped_criteria() -> Path:
    """The criteria file that comes along, with criteria for all types."""
    return shipped_folder("prompts") / "scidiag" / "criteria.yaml"


def load_criteria(path: Path | None = None) -> CriteriaSet:
    """The criteria of a file, the shipped one where none is named. Raises CriteriaError."""
    path = path or shipped_criteria()
    return criteria_of(read_document(path), str(path))


def read_document(path: Path) -> dict[str, Any]:
    """The content of a criteria file as plain data, not yet checked. Raises CriteriaError."""
    try:
        if path.stat().st_size > _FILE_BYTES:
            raise CriteriaError(f"{path}: larger than {_FILE_BYTES:,} bytes")
    except OSError as error:
        raise CriteriaError(f"{path} can't be read: {error.strerror or error}") from error
    return read_mapping(path, CriteriaError)


def criteria_of(document: Mapping[str, Any], name: str) -> CriteriaSet:
    """The content of a criteria file, checked and with its weights brought to sums of 1. Raises CriteriaError.

    `name` stands before each message.
    """
    try:
        read = _Document.model_validate(document)
    except ValidationError as error:
        raise CriteriaError(f"{name}: {_told(error)}") from error
    unknown = [code for code in read.types if code not in TYPES]
    if unknown:
        raise CriteriaError(f"{name}: {', '.join(unknown)} is no diagram type (types: {', '.join(TYPES)})")
    try:
        types = {code: _type_criteria(code, entry) for code, entry in read.types.items()}
    except ValueError as error:
        raise CriteriaError(f"{name}: {error}") from error
    counted = Counter(criterion.id for made in types.values() for criterion in made.criteria)
    repeated = [identity for identity, times in counted.items() if times > 1]
    if repeated:
        raise CriteriaError(f"{name}: the id {', '.join(repeated[:_PROBLEMS_TOLD])} stands for more than one criterion")
    return CriteriaSet(types, frozenset(read.development.papers), _fingerprint(types))


def _told(error: ValidationError) -> str:
    found = error.errors()
    told = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in found[:_PROBLEMS_TOLD])
    return told + (f"; and {len(found) - _PROBLEMS_TOLD} more" if len(found) > _PROBLEMS_TOLD else "")


def _type_criteria(code: str, entry: _Type) -> TypeCriteria:
    totals = dict.fromkeys(DIMENSIONS, 0.0)
    for dimension, _, criteria in entry.dimensions.parts():
        totals[dimension] = math.fsum((totals[dimension], *(criterion.weight for criterion in criteria)))
    made = tuple(
        Criterion(c.id, c.text, c.weight / totals[dimension], dimension, part, tuple(c.instructions))
        for dimension, part, criteria in entry.dimensions.parts()
        for c in criteria
    )
    weights = type_weights(code) if entry.weights is None else checked(entry.weights, f"types.{code}.weights")
    return TypeCriteria(code, weights, made)


def _fingerprint(types: Mapping[str, TypeCriteria]) -> str:
    """Of what the judge is told and how it is weighed; comments, order of types and `about` do not count."""
    told = repr([(code, sorted(types[code].weights.items()), types[code].criteria) for code in sorted(types)])
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def criterion_id(code: str, part: str, text: str) -> str:
    """The id of a new criterion: type, part, and 6 hex digits of its text, so that another text gets another id."""
    digest = hashlib.sha256("\x1f".join((code, part, text)).encode()).hexdigest()
    return f"{code}-{'AES' if part == AESTHETICS else part}-{digest[:6]}"


def document_text(document: Mapping[str, Any], head: str) -> str:
    """The text of a criteria file: `head` as a comment, then the content."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    body = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    return f"{comment}\n{body}"
