from __future__ import annotations

from typing import Any

from data_juicer_ext.report.funnel import by_error_kind, funnel, share_of_whole, table, table_1
from data_juicer_ext.runs.operator_words import OperatorWords


def decision(operator: str, verdict: str, reason: str = "r", tag: str = "", claims: int = 0) -> dict[str, Any]:
    made = (claims or 1) if verdict == "keep" else 0
    return {"operator": operator, "tag": tag or operator, "verdict": verdict, "reason": reason, "made": made}


DECISIONS = [
    decision("source_consistency_filter", "keep", tag="source_consistency"),
    decision("source_consistency_filter", "drop", "other_option", tag="source_consistency"),
    decision("source_consistency_filter", "undecided", "call_failed:server", tag="source_consistency"),
    decision("latex_figure_context_mapper", "keep"),
    decision("latex_figure_context_mapper", "drop", "unreadable_paper"),
    decision("claim_extractor_mapper", "keep", claims=3),
    decision("claim_extractor_mapper", "keep", claims=1),
]


def test_claims_are_counted_not_figures_and_generation_comes_first() -> None:
    steps = funnel(DECISIONS)
    assert [(step.name, step.out, step.refused, step.undecided) for step in steps] == [
        ("papers read", 1, 1, 0),
        ("claims", 4, 0, 0),
        ("after source_consistency", 1, 1, 1),
    ]


def test_the_table_gives_shares_of_the_claims_and_reasons() -> None:
    text = table(funnel(DECISIONS))
    last = text.splitlines()[-1]
    assert "25.0%" in last and "other_option 1" in last and "call_failed:server 1" in last
    assert "%" not in text.splitlines()[1]


def test_a_step_has_a_share_of_its_own_decisions_as_well() -> None:
    head, *lines = table(funnel(DECISIONS), of_step=True).splitlines()
    assert head.split() == ["step", "rows", "of", "claims", "kept", "refused", "undecided", "why"]
    assert "50.0%" in lines[0] and "100.0%" in lines[1] and "33.3%" in lines[2]


def test_an_empty_run_has_a_head_and_no_rows() -> None:
    assert len(table(funnel([])).splitlines()) == 1 and table_1(funnel([])) == []


def test_refusals_are_counted_apart_from_what_is_undecided() -> None:
    step = funnel(DECISIONS)[-1]
    assert step.refusals == {"other_option": 1} and set(step.reasons) == {"other_option", "call_failed:server"}


def test_table_1_of_the_paper() -> None:
    blind = [decision("visual_dependence_filter", "keep", tag=tag) for tag in ("blind_text", "blind_vision")]
    more = [decision("mcq_generator_mapper", "keep"), *blind, decision("vision_vote_filter", "keep")]
    assert table_1(funnel([*DECISIONS, *more, decision("visual_dependence_filter", "keep", tag="blind_text")])) == [
        ("Papers", 1, None),
        ("Atomic claims extracted", 4, 1.0),
        ("QA pairs generated", 1, 0.25),
        ("After text-based filtering", 1, 0.25),
        ("After vision-based filtering", 1, 0.25),
    ]


def test_a_run_without_claims_takes_shares_of_the_figures() -> None:
    scored = [decision("figure_rows_mapper", "keep"), decision("figure_rows_mapper", "keep"),
              decision("figure_quality_filter", "keep")]  # fmt: skip
    steps = funnel(scored)
    assert [share_of_whole(step, steps) for step in steps] == [1.0, 0.5]
    assert "of figures" in table(steps) and table_1(steps) == []


def test_steps_have_the_words_and_the_order_that_the_run_notes() -> None:
    words = {
        "my_mapper": OperatorWords("captions", place=0),
        "claim_extractor_mapper": OperatorWords("claims", place=1),
        "my_filter": OperatorWords(place=2),
    }
    decisions = [decision("stranger_filter", "keep", tag="stranger"), decision("my_filter", "keep", tag="mine"),
                 decision("claim_extractor_mapper", "keep"), decision("my_mapper", "keep")]  # fmt: skip
    assert [step.name for step in funnel(decisions, words)] == ["captions", "claims", "after mine", "after stranger"]


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
