"""Judges' answers for tests: what a well-behaved model sends for each stage, by the form that is asked of it."""

from __future__ import annotations

import json
from typing import Any

from tests.fake_openai import text_of

VISION: dict[str, Any] = {
    "figure_type": "plot", "facts": {"content": "two curves", "trends": ["A is above B"]},
    "VC": {"score": 9, "reason": "tick labels are readable"}, "SL": {"score": 8, "reason": "panels are in order"},
    "risk_band": [7, 9], "risk_reason": "axes start at zero",
}  # fmt: skip
CAPTION = {"claims": ["accuracy of A and B"], "names_metric": True, "names_groups": True}
CONTEXT = {"claims": ["A is above B"], "trends": ["A is above B"], "bare_reference": False}
SCORES = {"VC": 7, "SL": 6, "C": 8, "CTX": 9, "MR": 5}


def scored(names: list[str]) -> dict[str, Any]:
    return {name: {"score": SCORES[name], "reason": f"the marks of {name}"} for name in names}


def answer_to(system: str, **changes: Any) -> dict[str, Any]:
    """The answer to a stage whose system message is `system`, `changes` put over its keys."""
    asked = [name for name in SCORES if f'  "{name}": {{"score"' in system]
    if '"risk_band"' in system:
        made = dict(VISION)
    elif '"caps"' in system:
        on = {name: None for name in ("C", "CTX", "MR") if f'"{name}": null' in system}
        made = {"caps": on, "severity": "none", "severity_reason": "the texts agree"}
        made |= {"caption": CAPTION} if "C" in on else {}
        made |= {"context": CONTEXT} if "CTX" in on else {}
    elif '"severity"' in system:
        made = {**scored(asked), "severity": "none", "severity_reason": "claims and facts agree"}
    else:
        made = scored(asked)
    return {**made, **{key: value for key, value in changes.items() if key in made}}


def responder(body: dict[str, Any], **changes: Any) -> str:
    """The scripted judge behind a fake server."""
    return json.dumps(answer_to(text_of(body, "system"), **changes))


def stage_of(system: str) -> str:
    """Which stage a request belongs to, by the form that it asks for."""
    if '"risk_band"' in system:
        return "vision"
    if '"caps"' in system:
        return "language"
    return "fusion" if '"severity"' in system else "single"
