from __future__ import annotations

from typing import Any

from data_juicer_ext.report.funnel import funnel, table


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


def test_an_empty_run_has_a_head_and_no_rows() -> None:
    assert len(table(funnel([])).splitlines()) == 1
