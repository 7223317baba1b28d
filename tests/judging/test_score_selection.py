from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.judging.score_selection import load_quality, verdict_on

QUALITY: dict[str, Any] = {"scores": {"VC": 9, "SL": 8, "C": 6, "CTX": None, "MR": 7}, "overall": 7.5}


@pytest.mark.parametrize(
    ("least", "nulls", "expected"),
    [
        ({}, "pass", ("keep", "good_enough")),
        ({"overall": 7.5}, "pass", ("keep", "good_enough")),
        ({"overall": 7.6}, "pass", ("drop", "below:overall")),
        ({"C": 6, "VC": 9}, "pass", ("keep", "good_enough")),
        ({"C": 7}, "pass", ("drop", "below:C")),
        ({"C": 7, "overall": 8}, "pass", ("drop", "below:overall")),
        ({"CTX": 9}, "pass", ("keep", "good_enough")),
        ({"CTX": 1}, "drop", ("drop", "null:CTX")),
        ({"CTX": 0}, "drop", ("keep", "good_enough")),
    ],
)
def test_verdicts(least: dict[str, float], nulls: str, expected: tuple[str, str]) -> None:
    assert verdict_on(QUALITY, least, nulls) == expected


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "{}", '{"scores": {}}', '{"scores": 1, "overall": 2}', None, 5]
)
def test_a_row_without_scores_is_undecided(text: Any) -> None:
    assert load_quality(text) is None
    assert verdict_on(load_quality(text), {"overall": 1}) == ("undecided", "not_scored")


def test_a_quality_column_is_read_as_text_or_as_an_object() -> None:
    assert load_quality(json.dumps(QUALITY)) == load_quality(QUALITY) == QUALITY
