"""How many figures went into each stage and came out of it."""

from __future__ import annotations

from typing import Any

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.stage_counts import FunnelStage, RunFunnel, paper_funnel
from data_juicer_ext.curation.thresholds import STAGES
from data_juicer_ext.rows import Figure


def item(deleted: tuple[str, str] | None = None, *marks: tuple[str, str]) -> Item:
    gone = Finding(*deleted) if deleted else None
    return Item(Figure(), [], gone, [Finding(*mark) for mark in marks])


def test_each_stage_gets_what_the_one_before_left() -> None:
    first, second, *_, last = STAGES
    items = [
        item((first, "small")),
        item((second, "logo"), (first, "odd")),
        item((second, "logo")),
        item(None, (last, "x")),
    ]
    stages = paper_funnel(items, {last: "no model"})
    assert stages[first].as_json() == {"in": 4, "out": 3, "deleted": {"small": 1}, "marked": {"odd": 1}, "skipped": {}}
    assert stages[second].as_json() == {"in": 3, "out": 1, "deleted": {"logo": 2}, "marked": {}, "skipped": {}}
    assert stages[last].as_json() == {"in": 1, "out": 1, "deleted": {}, "marked": {"x": 1}, "skipped": {"no model": 1}}
    assert list(stages) == list(STAGES)


def entry(paper: str, verdict: str = "keep", tag: str = "curation", **stage: Any) -> dict[str, Any]:
    counted = {"in": 5, "out": 4, "deleted": {"small": 1}, "marked": {"odd": 2}, "skipped": {}, **stage}
    detail = {"funnel": dict.fromkeys(STAGES, counted)}
    return {"operator": "figure_curation_mapper", "tag": tag, "row_id": paper, "verdict": verdict, "detail": detail}


def test_a_run_is_the_sum_of_its_papers_each_once() -> None:
    funnel = RunFunnel()
    others = [
        {"operator": "other", "detail": None},
        {**entry("x"), "operator": "other"},
        {**entry("y"), "detail": None},
    ]
    entries = [entry("a", "drop"), entry("a"), entry("b", "drop", skipped={"no model": 1}), *others]
    assert list(funnel.watching(entries)) == entries
    first, _, *lines = funnel.words().splitlines()
    assert first == "data_juicer_ext: curation: 2 papers, 1 kept" and len(lines) == len(STAGES)
    told = " ".join(lines[1].split())
    assert told.endswith("10 8 2 4 odd 4, small 2, not done for 1 papers: no model"), told
    assert RunFunnel().words() == ""


def test_listings_have_tables_of_their_own() -> None:
    funnel = RunFunnel()
    funnel.count([entry("a"), entry("a", tag="again"), entry("b", tag="again")])
    heads = [line for line in funnel.words().splitlines() if line.startswith("data_juicer_ext")]
    assert heads == [
        "data_juicer_ext: curation: 1 papers, 1 kept", "data_juicer_ext: again: 2 papers, 2 kept",
    ]  # fmt: skip


def test_the_five_commonest_reasons_are_told() -> None:
    funnel = RunFunnel()
    funnel.count([entry("a", deleted={f"r{n}": n for n in range(1, 8)}, marked={})])
    line = funnel.words().splitlines()[2]
    assert "r7 7, r6 6, r5 5, r4 4, r3 3" in line and "r2" not in line


def test_stages_add_up() -> None:
    stage = FunnelStage()
    for _ in range(2):
        stage.add({"in": "3", "out": 2, "deleted": {"a": 1}, "marked": {"b": 2}, "skipped": {"c": 3}})
    assert stage.as_json() == {"in": 6, "out": 4, "deleted": {"a": 2}, "marked": {"b": 4}, "skipped": {"c": 6}}
