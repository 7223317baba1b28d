from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.judging.judge_reports import (
    VisionReport,
    absolute_words,
    fusion_model,
    judgement_model,
    language_model,
    parse_report,
    text_caps,
)

ALL = ("VC", "SL", "C", "CTX", "MR")
SCORE = {"score": 7, "reason": "the legend is readable"}
VISION: dict[str, Any] = {
    "VC": SCORE, "SL": SCORE, "figure_type": "plot", "facts": {"axes": ["x: steps"]}, "risk_band": [5, 7],
    "risk_reason": "the axis starts at 40",
}  # fmt: skip


def problem_of(value: dict[str, Any], dimensions: tuple[str, ...] = ("VC",)) -> str:
    return parse_report(json.dumps(value), judgement_model(dimensions)).problem


def test_an_answer_is_read_with_prose_fences_and_thinking_around_it() -> None:
    body = json.dumps(dict.fromkeys(ALL, SCORE))
    for text in (body, f"Sure:\n```json\n{body}\n```", f'<think>{{"VC": 1}}</think>{body}'):
        report = parse_report(text, judgement_model(ALL)).report
        assert report is not None and report.model_dump()["CTX"] == SCORE


@pytest.mark.parametrize(("value", "read"), [(8, 8), ("8", 8), (8.0, 8)])
def test_whole_numbers_in_other_clothes_are_read(value: Any, read: int) -> None:
    report = parse_report(json.dumps({"VC": {**SCORE, "score": value}}), judgement_model(("VC",))).report
    assert report is not None and report.model_dump()["VC"]["score"] == read


@pytest.mark.parametrize("value", [0, 11, 7.5, True, None, "high", -3, 1e400])
def test_other_scores_are_a_problem_that_names_their_place(value: Any) -> None:
    assert "VC.score" in problem_of({"VC": {**SCORE, "score": value}})


def test_missing_parts_are_told() -> None:
    assert "MR: Field required" in problem_of({"VC": SCORE}, ("VC", "MR"))
    assert "VC.reason" in problem_of({"VC": {"score": 5, "reason": "  "}})
    assert parse_report("I can't.", judgement_model(ALL)).problem == "no JSON object was found"


def test_a_gated_dimension_is_no_key_of_any_schema_and_not_read() -> None:
    on = ("VC", "SL", "C", "MR")
    for model in (judgement_model(on), language_model(("C", "MR")), fusion_model(("C", "MR"))):
        assert "CTX" not in json.dumps(model.model_json_schema())
    report = parse_report(json.dumps(dict.fromkeys(ALL, SCORE)), judgement_model(on)).report
    assert report is not None and set(report.model_dump()) == set(on)


def test_the_vision_report_needs_a_band_in_order_and_in_range() -> None:
    for band in ([5, 7], [6, 6], [1, 10]):
        assert parse_report(json.dumps({**VISION, "risk_band": band}), VisionReport).report is not None
    for band in ([7, 5], [0, 5], [5, 11], [5], "5-7"):
        assert "risk_band" in parse_report(json.dumps({**VISION, "risk_band": band}), VisionReport).problem


def test_facts_are_lists_also_where_a_model_writes_a_text_or_null() -> None:
    facts = {"axes": "x: steps", "panels": None, "trends": ["rises"] * 99}
    report = parse_report(json.dumps({**VISION, "facts": facts, "figure_type": "Bar chart"}), VisionReport).report
    assert report is not None
    assert (report.facts.axes, report.facts.panels, len(report.facts.trends)) == (["x: steps"], [], 30)
    assert report.figure_type == "other"


def language(**changes: Any) -> dict[str, Any]:
    report = {"caption": {"claims": ["a"]}, "context": {"claims": ["b"]}, "caps": {}, "severity": "none",
              "severity_reason": "agrees", **changes}  # fmt: skip
    read = parse_report(json.dumps(report), language_model(("C", "CTX", "MR"))).report
    assert read is not None
    return read.model_dump()


@pytest.mark.parametrize(
    ("changes", "caps"),
    [
        ({}, (None, None, None)),
        ({"caps": None}, (None, None, None)),
        ({"caps": {"C": 8, "CTX": 4, "MR": 5}}, (8, 4, 5)),
        ({"caption": {"names_metric": False}}, (6, None, None)),
        ({"caption": {"names_groups": False}, "caps": {"C": 3}}, (3, None, None)),
        ({"caption": {"names_metric": True, "names_groups": None}}, (None, None, None)),
        ({"context": {"bare_reference": True}}, (None, 6, None)),
        ({"context": {"bare_reference": True}, "caps": {"CTX": 9}}, (None, 6, None)),
    ],
)
def test_caps_come_from_the_report_and_from_its_own_findings(changes: dict[str, Any], caps: tuple[Any, ...]) -> None:
    found = text_caps(language(**changes))
    assert (found["C"], found["CTX"], found["MR"]) == caps


def test_an_unknown_severity_is_a_problem() -> None:
    answer = {"C": SCORE, "MR": SCORE, "severity": "huge", "severity_reason": "x"}
    assert "severity" in parse_report(json.dumps(answer), fusion_model(("C", "MR"))).problem


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("The caption perfectly and fully covers the panels; it does so fully.", ["perfectly", "fully"]),
        ("Completely consistent with the text.", ["completely consistent"]),
        ("A fully connected layer and a carefully drawn axis.", []),
        ("The legend names both groups.", []),
    ],
)
def test_absolute_words(reason: str, words: list[str]) -> None:
    assert absolute_words(reason) == words


def test_a_report_without_an_object_of_its_texts_is_a_problem() -> None:
    answer = {"caps": {}, "severity": "none", "severity_reason": "agrees"}
    told = parse_report(json.dumps(answer), language_model(("C", "CTX", "MR"))).problem
    assert "caption: Field required" in told and "context: Field required" in told
    assert parse_report(json.dumps(answer), language_model(("MR",))).report is not None
    without = {"severity": "none", "severity_reason": "agrees"}
    assert "caps: Field required" in parse_report(json.dumps(without), language_model(("MR",))).problem


def test_caps_are_on_the_scale_and_only_of_dimensions_that_are_on() -> None:
    for value in (0, 11, True):
        answer = {"caps": {"MR": value}, "severity": "none", "severity_reason": "agrees"}
        assert "caps.MR" in parse_report(json.dumps(answer), language_model(("MR",))).problem
    assert text_caps(language()) == {"C": None, "CTX": None, "MR": None}


def test_what_language_models_leave_out_of_their_facts_is_unknown() -> None:
    report = language()
    assert report["caption"] == {"claims": ["a"], "names_metric": None, "names_groups": None}
    assert report["context"] == {"claims": ["b"], "trends": [], "bare_reference": False}


@pytest.mark.parametrize(
    ("given", "read"),
    [(" Plot ", "plot"), ("DIAGRAM", "diagram"), ("table", "table"), ("composite", "composite"), (3, "other")],
)
def test_types_of_figures_are_read_whatever_their_case(given: Any, read: str) -> None:
    report = parse_report(json.dumps({**VISION, "figure_type": given}), VisionReport).report
    assert report is not None and report.figure_type == read


def test_long_reasons_and_facts_are_cut_and_at_most_four_problems_told() -> None:
    long = {**VISION, "risk_reason": " " + "r" * 5000, "facts": {"content": "f" * 900, "axes": ["a" * 900]}}
    report = parse_report(json.dumps(long), VisionReport).report
    assert report is not None
    assert (len(report.risk_reason), len(report.facts.content), len(report.facts.axes[0])) == (2000, 400, 400)
    assert len(problem_of({}, ALL).split("; ")) == 4
    assert problem_of({"VC": {"score": 5, "reason": ""}}).startswith("VC.reason: ")


def test_a_vision_report_without_its_band_or_facts_is_a_problem() -> None:
    for part in ("VC", "SL", "facts", "risk_band", "risk_reason"):
        left = {name: value for name, value in VISION.items() if name != part}
        assert f"{part}: Field required" in parse_report(json.dumps(left), VisionReport).problem
