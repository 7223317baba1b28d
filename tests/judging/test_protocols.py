from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from data_juicer_ext.judging.citing_text import Snippet
from data_juicer_ext.judging.judge_inputs import Case
from data_juicer_ext.judging.judge_reports import parse_report
from data_juicer_ext.judging.protocols import CALLS, TEMPLATES, JudgeCall, Judgement, NoReport, judge
from data_juicer_ext.prompts import render
from tests.judging.answers import answer_to

CASE = Case(
    images=("a.png",), caption="Accuracy of A and B.", snippets=(Snippet("Results", "A is above B.", "trend"),),
    number="3", features={"edge_sharpness": 0.31}, evidence=frozenset({"caption", "context"}),
)  # fmt: skip
ONLY_CAPTION = replace(CASE, snippets=(), evidence=frozenset({"caption"}))
ONLY_CONTEXT = replace(CASE, caption="", evidence=frozenset({"context"}))


class Judges:
    """Plays all stages; `changes` are put over the answers, stages in `broken` have no report."""

    def __init__(self, *broken: str, **changes: Any) -> None:
        self.broken, self.changes, self.stages = broken, changes, list[JudgeCall]()

    async def __call__(self, stage: JudgeCall) -> BaseModel | NoReport:
        self.stages.append(stage)
        if stage.name in self.broken:
            return NoReport("call_failed:server", f"{stage.name}: 500")
        system = render(stage.template, **stage.fields)[0].text
        report = parse_report(json.dumps(answer_to(system, **self.changes)), stage.model).report
        assert report is not None
        return report


def judged(case: Case, protocol: str, judges: Judges) -> Judgement:
    found = asyncio.run(judge(case, protocol, judges))
    assert isinstance(found, Judgement)
    return found


@pytest.mark.parametrize("protocol", CALLS)
@pytest.mark.parametrize("case", [CASE, ONLY_CAPTION, ONLY_CONTEXT], ids=["both", "caption", "context"])
def test_the_calls_of_a_figure_and_its_gate(protocol: str, case: Case) -> None:
    judges = Judges()
    found = judged(case, protocol, judges)
    assert len(judges.stages) == CALLS[protocol] == {"direct": 1, "sidecar": 1, "agent": 3}[protocol]
    assert [stage.template for stage in judges.stages] == list(TEMPLATES[protocol])
    assert tuple(name for name, score in found.scores.items() if score is not None) == case.dimensions
    scores = [score for score in found.scores.values() if score is not None]
    assert found.overall == pytest.approx(sum(scores) / len(scores), abs=1e-4)


def test_an_excluded_figure_is_not_judged() -> None:
    with pytest.raises(ValueError, match="excluded"):
        asyncio.run(judge(replace(CASE, evidence=frozenset()), "direct", Judges()))


def test_a_single_call_is_taken_as_it_is() -> None:
    found = judged(CASE, "direct", Judges())
    assert found.scores == {"VC": 7, "SL": 6, "C": 8, "CTX": 9, "MR": 5} and found.overall == 7.0
    assert (found.severity, found.caps, found.risk_band, found.proposed) == ("", {}, [], {})


def test_the_agents_scores_go_through_the_runner() -> None:
    found = judged(CASE, "agent", Judges(severity="moderate", caps={"C": 6, "CTX": None, "MR": None}))
    assert found.scores == {"VC": 9, "SL": 8, "C": 6, "CTX": 9, "MR": 6}
    assert found.proposed == {"C": 8, "CTX": 9, "MR": 5} and found.risk_band == [7, 9]
    assert (found.severity, found.caps["C"]) == ("moderate", 6)
    assert found.reasons["VC"] == "tick labels are readable" and found.reasons["C"] == "the marks of C"
    assert set(found.reports) == {"vision", "language", "fusion"}


def test_only_stages_that_look_get_images_and_only_they_get_features() -> None:
    judges = Judges()
    judged(CASE, "agent", judges)
    shown = {stage.name: (stage.images, "features" in stage.fields) for stage in judges.stages}
    assert shown == {
        "agent_vision": (("a.png",), True), "agent_language": ((), False), "agent_fusion": ((), False)
    }  # fmt: skip


@pytest.mark.parametrize("broken", ["agent_vision", "agent_language", "agent_fusion"])
def test_a_figure_without_one_of_its_reports_has_no_scores(broken: str) -> None:
    found = asyncio.run(judge(CASE, "agent", Judges(broken)))
    assert found == NoReport("call_failed:server", f"{broken}: 500")


def test_absolute_words_are_flagged_with_their_dimension() -> None:
    vc = {"score": 9, "reason": "all labels are perfectly readable"}
    assert judged(CASE, "agent", Judges(VC=vc)).flags == ["absolute_words:VC:perfectly"]
