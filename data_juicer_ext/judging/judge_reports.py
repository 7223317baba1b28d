"""What a judge's stages have to answer: pydantic models made for the dimensions that are on.

A dimension that the gate closes is no field of any model, so that it is neither asked for nor read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, create_model, model_validator

from data_juicer_ext.judging.runner import CAPPED, HIGHEST, LOWEST
from data_juicer_ext.qa.answer_tags import without_thinking
from data_juicer_ext.qa.json_answer import parse_json_object

PARSER_VERSION = "quality-1"
TEXT_CAP = 6
"""The cap on C of a caption without the key metric or the compared groups, and on CTX of a bare reference."""

_REASON_LENGTH, _FACT_LENGTH, _FACTS = 2_000, 400, 30
_PROBLEMS_TOLD = 4
FIGURE_TYPES = ("plot", "diagram", "table", "composite", "other")


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a whole number is needed")
    return value


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: value.strip()[:length] if isinstance(value, str) else value)


def _listed(value: Any) -> Any:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value[:_FACTS] if isinstance(value, list) else value


def _figure_type(value: Any) -> Any:
    word = value.strip().lower() if isinstance(value, str) else value
    return word if word in FIGURE_TYPES else "other"


Whole = Annotated[int, BeforeValidator(_no_bool), Field(ge=LOWEST, le=HIGHEST)]
Reason = Annotated[str, _cut(_REASON_LENGTH), Field(min_length=1)]
Fact = Annotated[str, _cut(_FACT_LENGTH)]
Facts = Annotated[list[Fact], BeforeValidator(_listed)]
Severity = Literal["none", "minor", "moderate", "severe", "contradiction"]


class DimensionScore(BaseModel):
    """One dimension's score, 1 to 10, and what it rests on."""

    score: Whole
    reason: Reason


class VisionFacts(BaseModel):
    """What can be seen in the image, for the fusion stage."""

    content: Fact = ""
    panels: Facts = []
    axes: Facts = []
    metrics: Facts = []
    groups: Facts = []
    trends: Facts = []
    hazards: Facts = []


class VisionReport(BaseModel):
    """The vision stage: final VC and SL, what is to be seen, and the band of the risk seen in the image alone."""

    VC: DimensionScore
    SL: DimensionScore
    figure_type: Annotated[str, BeforeValidator(_figure_type)] = "other"
    facts: VisionFacts
    risk_band: tuple[Whole, Whole]
    risk_reason: Reason

    @model_validator(mode="after")
    def _ordered(self) -> "VisionReport":
        if self.risk_band[0] > self.risk_band[1]:
            raise ValueError("risk_band: the lower end comes first")
        return self


class CaptionFacts(BaseModel):
    """What the caption says; whether it names what it has to (None: this figure needs none)."""

    claims: Facts = []
    names_metric: bool | None = None
    names_groups: bool | None = None


class ContextFacts(BaseModel):
    """What the citing text says of the figure; `bare_reference`: it only points at it."""

    claims: Facts = []
    trends: Facts = []
    bare_reference: bool = False


def text_caps(language: Mapping[str, Any]) -> dict[str, int | None]:
    """The caps of a language report (as plain data): those it sets, and those that its own findings demand."""
    caps: dict[str, int | None] = dict(language["caps"])
    caption, context = language.get("caption") or {}, language.get("context") or {}
    if False in (caption.get("names_metric"), caption.get("names_groups")):
        caps["C"] = min(caps.get("C") or HIGHEST, TEXT_CAP)
    if context.get("bare_reference"):
        caps["CTX"] = min(caps.get("CTX") or HIGHEST, TEXT_CAP)
    return caps


@lru_cache(maxsize=64)
def judgement_model(dimensions: tuple[str, ...]) -> type[BaseModel]:
    """The answer of a single call (`direct`, `sidecar`): a `DimensionScore` for each dimension that is on."""
    return _made("Judgement", dict.fromkeys(dimensions, (DimensionScore, ...)))


@lru_cache(maxsize=64)
def language_model(dimensions: tuple[str, ...]) -> type[BaseModel]:
    """The language stage's answer: facts, severity and caps of the texts that there are."""
    caps = _made("Caps", {name: (Whole | None, None) for name in CAPPED if name in dimensions})
    fields: dict[str, Any] = {"caps": (Annotated[caps, BeforeValidator(lambda value: value or {})], ...)}
    if "C" in dimensions:
        fields["caption"] = (CaptionFacts, ...)
    if "CTX" in dimensions:
        fields["context"] = (ContextFacts, ...)
    return _made("LanguageReport", {**fields, "severity": (Severity, ...), "severity_reason": (Reason, ...)})


@lru_cache(maxsize=64)
def fusion_model(dimensions: tuple[str, ...]) -> type[BaseModel]:
    """The fusion stage's answer: C, CTX and MR as far as they are on, and the severity."""
    fields: dict[str, Any] = {name: (DimensionScore, ...) for name in CAPPED if name in dimensions}
    return _made("FusionReport", {**fields, "severity": (Severity, ...), "severity_reason": (Reason, ...)})


def _made(name: str, fields: Mapping[str, Any]) -> type[BaseModel]:
    made: type[BaseModel] = create_model(name, **fields)
    return made


Report = TypeVar("Report", bound=BaseModel)


@dataclass(frozen=True)
class ReportParse(Generic[Report]):
    """A report as read from an answer; None with `problem` saying why where it can't be."""

    report: Report | None
    problem: str = ""


def parse_report(text: str, model: type[Report]) -> ReportParse[Report]:
    """The last JSON object of an answer as a report of `model`; keys that it does not know are left out."""
    found = parse_json_object(without_thinking(text))
    if found is None:
        return ReportParse(None, "no JSON object was found")
    try:
        return ReportParse(model.model_validate(found))
    except ValidationError as error:
        told = error.errors()[:_PROBLEMS_TOLD]
        return ReportParse(None, "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}".lstrip(": ") for e in told))


_ABSOLUTE = re.compile(
    r"\b(?:perfect(?:ly)?|flawless(?:ly)?|ideal(?:ly)?|impeccabl[ey]|entirely|without any (?:flaw|defect|error)s?"
    r"|fully(?![ -](?:connected|convolutional|supervised))|completely (?:accurate|clear|consistent|faithful))\b",
    re.I,
)


def absolute_words(reason: str) -> list[str]:
    """The words of a reason that claim more than a judge can see ("perfectly", "fully"), in order, each once."""
    return list(dict.fromkeys(match.group().lower() for match in _ABSOLUTE.finditer(reason)))
