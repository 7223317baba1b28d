from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from data_juicer_ext.diagrams.criteria import criteria_of
from data_juicer_ext.diagrams.criteria_drafting import CriteriaDraft, DraftedTypes, DraftingCall, WeightsDraft, draft
from data_juicer_ext.judging.protocols import NoReport

DRAWS = [(0.5, 0.4, 0.1), (0.4, 0.4, 0.2), (6, 3, 1)]


def answer(question: DraftingCall) -> BaseModel | NoReport:
    """A model: two criteria per part, weights that differ by draw."""
    if question.model is WeightsDraft:
        structure, content, aesthetics = DRAWS[question.draw % len(DRAWS)]
        return WeightsDraft(Structure=structure, Content=content, Aesthetics=aesthetics)
    name = f"{question.fields['type']['code']} {question.fields['part']['key']}"
    return CriteriaDraft.model_validate(
        {"criteria": [{"text": f"  {name}\n one", "weight": 3}, {"text": f"{name} two", "weight": 1}]}
    )


def drafted(codes: list[str], draws: int = 3, reply: Callable[[DraftingCall], Any] = answer) -> DraftedTypes:
    async def ask(question: DraftingCall) -> Any:
        return reply(question)

    return asyncio.run(draft(codes, draws, ask))


def test_a_draft_is_a_criteria_file() -> None:
    made = drafted(["AF", "TL"])
    found = criteria_of({"types": made.types}, "x")
    assert list(found.types) == ["AF", "TL"] and not made.failures and not made.missing
    for code, criteria in found.types.items():
        assert [c.text for c in criteria.criteria][:2] == [f"{code} VOL one", f"{code} VOL two"]
        assert [c.weight for c in criteria.criteria if c.dimension == "Structure"] == [0.375, 0.125, 0.375, 0.125]
        assert [c.weight for c in criteria.criteria if c.part == "Aesthetics"] == [0.75, 0.25]


def test_weights_are_the_mean_of_the_draws_that_stand_in_the_file() -> None:
    entry = drafted(["AF"]).types["AF"]
    assert [draw["Structure"] for draw in entry["draws"]] == [0.5, 0.4, 0.6]
    assert entry["weights"] == pytest.approx({"Structure": 0.5, "Content": 0.3667, "Aesthetics": 0.1333}, abs=1e-4)
    assert math.fsum(entry["weights"].values()) == pytest.approx(1, abs=1e-9)


def test_draws_that_did_not_come_are_done_without_and_told() -> None:
    made = drafted(["AF"], reply=lambda q: NoReport("x", "no connection") if q.draw == 1 else answer(q))
    assert len(made.types["AF"]["draws"]) == 2 and made.missing == ["AF/weights 2: no connection"]
    assert made.types["AF"]["weights"]["Structure"] == 0.55 and not made.failures


def test_no_draw_or_no_criteria_leaves_a_type_out_and_the_others_stand() -> None:
    def no_weights(question: DraftingCall) -> Any:
        failing = question.fields["type"]["code"] == "AF" and question.model is WeightsDraft
        return NoReport("x", "down") if failing else answer(question)

    made = drafted(["AF", "TL"], reply=no_weights)
    assert list(made.types) == ["TL"] and made.failures == ["AF/weights: none of 3 draws came"]
    made = drafted(["AF", "TL"], reply=lambda q: NoReport("x", "down") if q.name == "TL/CA" else answer(q))
    assert list(made.types) == ["AF"] and made.failures == ["TL/CA: down"]


def test_a_criterion_written_twice_stands_once() -> None:
    twice = CriteriaDraft.model_validate({"criteria": [{"text": "Even.", "weight": 2}, {"text": "Even.", "weight": 2}]})
    made = drafted(["AF"], reply=lambda q: twice if q.model is CriteriaDraft else answer(q))
    assert len(made.types["AF"]["dimensions"]["Aesthetics"]) == 1
    assert criteria_of({"types": made.types}, "x").of("AF").criteria[0].weight == 0.5


@pytest.mark.parametrize(
    "given", [{"Structure": 0, "Content": 0, "Aesthetics": 0}, {"Structure": True, "Content": 1, "Aesthetics": 1}, {}]
)
def test_weights_without_ratio_are_no_draw(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"above 0|number|required"):
        WeightsDraft.model_validate(given)


@pytest.mark.parametrize("given", [[], [{"text": " ", "weight": 3}], [{"text": "x", "weight": 0}], [{"text": "x"}]])
def test_criteria_without_text_or_weight_are_none(given: list[Any]) -> None:
    with pytest.raises(ValueError, match="criteria"):
        CriteriaDraft.model_validate({"criteria": given})
