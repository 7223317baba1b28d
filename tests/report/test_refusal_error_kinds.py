from __future__ import annotations

from typing import Any

from data_juicer_ext.report.funnel import by_error_kind, funnel
from data_juicer_ext.runs.operator_words import OperatorWords


def refusals(operator: str, tag: str, **reasons: int) -> list[dict[str, Any]]:
    entry = {"operator": operator, "tag": tag, "verdict": "drop", "made": 0}
    return [{**entry, "reason": reason} for reason, count in reasons.items() for _ in range(count)]


def test_refusals_of_one_kind_are_counted_together_and_those_of_none_come_last() -> None:
    steps = funnel([
        *refusals("mcq_generator_mapper", "mcq_generator", too_vague=2),
        *refusals("visual_dependence_filter", "blind_text", guessed=3),
        *refusals("visual_dependence_filter", "blind_vision", guessed=1),
        *refusals("vision_vote_filter", "vision_vote", no_majority=1, other_option=1),
    ])  # fmt: skip
    assert [(group.name, group.refused, group.tags) for group in by_error_kind(steps)] == [
        ("E1 incorrectly visually grounded or E4 outside knowledge", 2, ("vision_vote",)),
        ("E3 non-visual", 4, ("blind_text", "blind_vision")),
        ("none implied", 2, ("mcq_generator",)),
    ]


def test_each_reason_of_an_operator_may_stand_for_a_kind_of_its_own() -> None:
    words = {"my_filter": OperatorWords(error_kinds={"blurred": ("Q1 can't be read",), "empty": ("Q2 shows nothing",)})}
    steps = funnel(refusals("my_filter", "mine", blurred=2, empty=1, other=4), words)
    assert [(group.name, group.refused) for group in by_error_kind(steps)] == [
        ("Q1 can't be read", 2), ("Q2 shows nothing", 1), ("none implied", 4),
    ]  # fmt: skip
