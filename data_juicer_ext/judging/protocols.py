"""The three judge protocols on one rubric: which calls they make, and what becomes of the answers.

`direct`: one vision call on image, caption and citing text. `sidecar`: the same call with side features.
`agent`: a vision stage (image and features, no text), a language stage (text, never the image) and a fusion
stage (their two reports), then the Runner. Source: SciFigQual, section 3.4 and appendix C.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from data_juicer_ext.errors import UsageError
from data_juicer_ext.judging.evidence_gating import DIMENSIONS, gated_mean
from data_juicer_ext.judging.judge_inputs import Case
from data_juicer_ext.judging.judge_reports import (
    VisionReport,
    absolute_words,
    fusion_model,
    judgement_model,
    language_model,
    text_caps,
)
from data_juicer_ext.judging.runner import apply_runner, severity_of
from data_juicer_ext.rows import to_json

CALLS = {"direct": 1, "sidecar": 1, "agent": 3}
"""The call budget of a figure by protocol."""

TEXTS = ("dimensions", "number", "venue", "year", "caption", "snippets", "figure_map")
TEMPLATES: dict[str, dict[str, tuple[str, ...]]] = {
    "direct": {"scifigqual/direct": TEXTS},
    "sidecar": {"scifigqual/sidecar": (*TEXTS, "features")},
    "agent": {
        "scifigqual/agent_vision": ("dimensions", "number", "features"),
        "scifigqual/agent_language": TEXTS,
        "scifigqual/agent_fusion": ("dimensions", "vision", "language"),
    },
}
"""The templates of each protocol, in the order of its stages, with what each is given."""


@dataclass(frozen=True)
class JudgeCall:
    """One call: its template and what that is given, the images it shows, and what has to come back."""

    template: str
    fields: dict[str, Any]
    images: tuple[str, ...]
    model: type[BaseModel]

    @property
    def name(self) -> str:
        """The last part of the template's name: "direct", "agent_vision", ..."""
        return self.template.rpartition("/")[2]


@dataclass(frozen=True)
class NoReport:
    """Why a stage has no report: a short stable reason, and a text for the user."""

    reason: str
    message: str


AskJudge = Callable[[JudgeCall], Awaitable["BaseModel | NoReport"]]


@dataclass(frozen=True)
class Judgement:
    """The scores of a figure. `scores` and `reasons` are by dimension, null where gated.

    `overall` is the gated mean. `severity`, `caps` and `risk_band` are the agent's ("", {} and [] for
    the others), `proposed` what its fusion stage proposed before the Runner. `reports` holds each stage's
    answer. `flags` says what a reader should look at: "absolute_words:C:fully".
    """

    scores: dict[str, int | None]
    reasons: dict[str, str | None]
    overall: float
    severity: str = ""
    caps: dict[str, int | None] = field(default_factory=dict)
    risk_band: list[int] = field(default_factory=list)
    proposed: dict[str, int] = field(default_factory=dict)
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


async def judge(case: Case, protocol: str, ask: AskJudge) -> Judgement | NoReport:
    """Score a figure whose gate is open by `protocol`, one of `CALLS`; `ask` makes one call.

    Where a stage has no report, the figure has no scores. Raises UsageError for an excluded figure.
    """
    if not case.dimensions:
        raise UsageError("a figure with neither caption nor citing text is excluded from scoring")
    if protocol == "agent":
        return await _staged(case, ask)
    stage = single_stage(case, protocol)
    report = await ask(stage)
    if isinstance(report, NoReport):
        return report
    answer = report.model_dump()
    scores = {name: answer[name]["score"] if name in answer else None for name in DIMENSIONS}
    return _judgement(scores, answer, gated_mean(scores), reports={protocol: answer})


async def _staged(case: Case, ask: AskJudge) -> Judgement | NoReport:
    seen, read = await asyncio.gather(ask(vision_stage(case)), ask(language_stage(case)))
    for report in (seen, read):
        if isinstance(report, NoReport):
            return report
    vision, language = _plain(seen), _plain(read)
    fused = await ask(fusion_stage(case, vision, language))
    if isinstance(fused, NoReport):
        return fused
    fusion = _plain(fused)
    caps = text_caps(language)
    final = apply_runner(fusion, vision, {**language, "caps": caps}, set(case.evidence))
    overall = final.pop("overall")
    proposed = {name: fusion[name]["score"] for name in DIMENSIONS if name in fusion}
    return _judgement(
        final, {**fusion, "VC": vision["VC"], "SL": vision["SL"]}, overall, severity=severity_of(fusion, language),
        caps=caps, risk_band=list(vision["risk_band"]), proposed=proposed,
        reports={"vision": vision, "language": language, "fusion": fusion},
    )  # fmt: skip


def _judgement(
    scores: dict[str, int | None], answers: Mapping[str, Any], overall: float | None, **more: Any
) -> Judgement:
    assert overall is not None, "the gate is open, so some dimension is scored"
    reasons = {name: answers[name]["reason"] if scores[name] is not None else None for name in DIMENSIONS}
    flags = [
        f"absolute_words:{name}:{word}" for name, reason in reasons.items() for word in absolute_words(reason or "")
    ]
    return Judgement(scores, reasons, round(overall, 4), flags=flags, **more)


def single_stage(case: Case, protocol: str) -> JudgeCall:
    """The one call of `direct` or `sidecar`."""
    [template] = TEMPLATES[protocol]
    fields = _texts(case, case.dimensions)
    if protocol == "sidecar":
        fields["features"] = case.features
    return JudgeCall(template, fields, case.images, judgement_model(case.dimensions))


def rehearsed_stages(case: Case, protocol: str, report: str) -> list[JudgeCall]:
    """All stages of a protocol before any answer is there; the text `report` stands for each report that is read."""
    if protocol != "agent":
        return [single_stage(case, protocol)]
    read = {"report": report}
    return [vision_stage(case), language_stage(case), fusion_stage(case, read, read)]


def vision_stage(case: Case) -> JudgeCall:
    """The agent's vision stage: image, number and features, and nothing that the paper says."""
    fields = {"dimensions": ["VC", "SL", "MR"], "number": case.number, "features": case.features}
    return JudgeCall("scifigqual/agent_vision", fields, case.images, VisionReport)


def language_stage(case: Case) -> JudgeCall:
    """The agent's language stage: caption and citing text, no image and no feature."""
    on = _of_text(case.dimensions)
    return JudgeCall("scifigqual/agent_language", _texts(case, on), (), language_model(tuple(on)))


def fusion_stage(case: Case, vision: dict[str, Any], language: dict[str, Any]) -> JudgeCall:
    """The agent's fusion stage: the two reports, as JSON text."""
    on = _of_text(case.dimensions)
    fields = {"dimensions": on, "vision": to_json(vision), "language": to_json(language)}
    return JudgeCall("scifigqual/agent_fusion", fields, (), fusion_model(tuple(on)))


def _texts(case: Case, dimensions: Sequence[str]) -> dict[str, Any]:
    return {
        "dimensions": list(dimensions), "number": case.number, "venue": case.venue, "year": case.year,
        "caption": case.caption, "snippets": [vars(snippet) for snippet in case.snippets],
        "figure_map": list(case.figure_map),
    }  # fmt: skip


def _of_text(dimensions: Sequence[str]) -> list[str]:
    return [name for name in dimensions if name not in ("VC", "SL")]


def _plain(report: BaseModel | NoReport) -> dict[str, Any]:
    assert isinstance(report, BaseModel)
    return report.model_dump(mode="json")
