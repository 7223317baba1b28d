"""Preference statements by rules: which measure explains what people prefer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.offline.judging.diagram_drafts import (
    _GENERAL,
    draft_criteria,
    draft_weights,
    general_preferences,
)

LEVEL = {"overlaps": 0.0, "spread": 0.0, "confidence": 0.0, "words": 0.0}


def stated(part: str, values: list[tuple[float, ...]], *facts: dict[str, float]) -> dict[str, list[str]]:
    """The statements for one criterion "c" of a part, `values` being people's preferences by pair."""
    pairs = [{"preferences": [{"id": "c", "value": value} for value in of_pair]} for of_pair in values]
    fields: dict[str, Any] = {"criteria": [{"id": "c", "part": part}], "pairs": pairs}
    made = json.loads(general_preferences(fields, [{**LEVEL, **fact} for fact in facts]))["statements"]
    return dict(made)


def test_the_first_measure_that_leans_with_people_is_stated() -> None:
    assert stated("VOL", [(1,)], {"overlaps": 1, "spread": 1}, {}) == {
        "c": ["Take points off where labels lie on each other."]
    }
    assert stated("VOL", [(1,)], {"spread": 1}, {}) == {
        "c": ["Give more to the diagram whose labels use the whole area."]
    }
    assert stated("VER", [(1,)], {"confidence": 1}, {}) == {
        "c": ["Give more where every label can be read without effort."]
    }
    assert stated("CA", [(-2,)], {}, {"words": 3}) == {"c": ["Give more to the diagram that names more of the parts."]}
    assert stated("LA", [(1,)], {"words": 3}, {}) == {}


@pytest.mark.parametrize(
    ("values", "facts", "explains"),
    [
        ([(1,)], [1, 0], True), ([(1,)], [0, 1], False), ([(1,)], [0, 0], False), ([(0,)], [1, 0], False),
        ([(1,), (-1,)], [1, 0, 0, 1], True), ([(1,), (1,)], [1, 0, 0, 1], False), ([(1,), (1,)], [1, 0, 2, 2], True),
        ([(1, -1)], [1, 0], False), ([()], [1, 0], False),
    ],
)  # fmt: skip
def test_a_measure_explains_where_it_leans_to_no_other_side(
    values: list[tuple[float, ...]], facts: list[float], explains: bool
) -> None:
    assert bool(stated("CA", values, *({"words": fact} for fact in facts))) == explains


def test_preferences_of_other_criteria_play_no_part() -> None:
    fields: dict[str, Any] = {
        "criteria": [{"id": "c", "part": "CA"}], "pairs": [{"preferences": [{"id": "other", "value": 1}]}],
    }  # fmt: skip
    assert general_preferences(fields, [{"words": 1.0}, {"words": 0.0}]) == '{"statements": {}}'


def test_drafts_have_texts_with_weights() -> None:
    for part, texts in _GENERAL.items():
        made = json.loads(draft_criteria({"part": {"key": part}}, ()))["criteria"]
        assert [(one["text"], one["weight"]) for one in made] == texts
    assert sum(json.loads(draft_weights({}, ())).values()) == pytest.approx(1.0)
