from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.judge_answers import answer_model, order_scores
from data_juicer_ext.diagrams.scoring import Sides
from data_juicer_ext.judging.judge_reports import parse_report

IDS = ("AF-VOL-1", "AF-LA-1")
GOOD = {"AF-VOL-1": {"first": 7, "second": 4.5, "reason": "x"}, "AF-LA-1": {"first": 0, "second": 10}}


def test_scores_go_to_the_side_that_was_shown() -> None:
    parsed = parse_report(f"Here it is: {json.dumps(GOOD)}", answer_model(IDS)).report
    assert parsed is not None
    straight, turned = order_scores(parsed, True), order_scores(parsed, False)
    assert straight.scores == {"AF-VOL-1": Sides(7, 4.5), "AF-LA-1": Sides(0, 10)}
    assert turned.scores == {"AF-VOL-1": Sides(4.5, 7), "AF-LA-1": Sides(10, 0)}
    assert straight.reasons == turned.reasons == {"AF-VOL-1": "x", "AF-LA-1": ""}


@pytest.mark.parametrize(
    ("change", "told"),
    [({"AF-LA-1": None}, "AF-LA-1"), ({"AF-LA-1": {"first": 3}}, "AF-LA-1.second"),
     ({"AF-LA-1": {"first": 11, "second": 3}}, "AF-LA-1.first"), ({"AF-LA-1": {"first": -1, "second": 3}}, "first"),
     ({"AF-LA-1": {"first": True, "second": 3}}, "a number is needed"),
     ({"AF-LA-1": {"first": "good", "second": 3}}, "AF-LA-1.first"), ({"AF-LA-1": 7}, "AF-LA-1")],
)  # fmt: skip
def test_a_criterion_without_two_scores_is_told_by_its_id(change: dict[str, Any], told: str) -> None:
    parsed = parse_report(json.dumps({**GOOD, **change}), answer_model(IDS))
    assert parsed.report is None and told in parsed.problem


def test_criteria_that_were_not_asked_for_are_left_out() -> None:
    parsed = parse_report(json.dumps({**GOOD, "overall": {"first": 1, "second": 2}}), answer_model(IDS)).report
    assert parsed is not None and set(order_scores(parsed, True).scores) == set(IDS)


def test_the_schema_asks_for_every_criterion_by_its_id() -> None:
    schema = answer_model(IDS).model_json_schema()
    assert schema["required"] == list(IDS) == list(schema["properties"])


@given(st.text(max_size=120))
def test_no_text_is_an_answer_by_chance(text: str) -> None:
    assert parse_report(text, answer_model(IDS)).report is None
