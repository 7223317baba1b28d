from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.review.forms.choice import form_named, guessed
from data_juicer_ext.review.forms.form import FormError, FormStage, asks, texts
from data_juicer_ext.review.forms.verisciqa import VeriSciQA

ROW = {"images": ["a.png"], "caption": "C.", "question": "Q?", "options": ["x", "y"], "answer": "B", "rationale": "R."}


@pytest.mark.parametrize("form", ["verisciqa", "quality", "siqa", "scidiag"])
def test_every_dimension_asks_something(form: str) -> None:
    for ask in asks(form, 1, 5).values():
        assert ask.title and ask.question.endswith(("?", "risk.")) and texts(form)["intro"]


def test_the_five_dimensions_have_anchors_at_1_3_and_5() -> None:
    [stage] = VeriSciQA().stages(ROW)
    assert [ask.key for ask in stage.asks] == [
        "factual_correctness", "intent_alignment", "visual_dependency", "self_containment", "overall_quality",
    ]  # fmt: skip
    assert all(list(ask.anchors) == ["1", "3", "5"] for ask in stage.asks)


def test_a_question_shows_the_answer_and_nothing_but_its_parts() -> None:
    [stage] = VeriSciQA().stages({**ROW, "claim": "hidden", "context": "hidden", "paper_id": "hidden"})
    assert [block["title"] for block in stage.blocks] == ["Caption", "Question", "Options", "Rationale"]
    assert stage.blocks[2]["options"] == [
        {"letter": "A", "text": "x", "answer": False},
        {"letter": "B", "text": "y", "answer": True},
    ]
    assert "hidden" not in str(stage)


def test_texts_are_bounded() -> None:
    [stage] = VeriSciQA().stages({**ROW, "caption": "w" * 1_000_000, "options": ["v" * 1_000_000] * 500})
    assert len(str(stage)) < 250_000


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (None, "Not rated yet: A, B"),
        ({"a": 1}, "Not rated yet: B"),
        ({"a": 1, "b": 6}, "B: give a whole number from 1 to 5"),
        ({"a": 1, "b": 0}, "B: give a whole number"),
        ({"a": 1, "b": 2.0}, "B: give a whole number"),
        ({"a": True, "b": 2}, "A: give a whole number"),
        ({"a": "1", "b": 2}, "A: give a whole number"),
        ({"a": 1, "b": 2, "c": 3}, "not asked"),
    ],
)
def test_answers_that_do_not_fit(values: Any, said: str) -> None:
    ask = next(iter(asks("siqa", 1, 5).values()))
    stage = FormStage("s", [], [type(ask)(key, key.upper(), "?", 1, 5) for key in "ab"])
    with pytest.raises(FormError, match=said):
        stage.checked(values)
    assert stage.checked({"a": 1, "b": 5}) == {"a": 1, "b": 5}


@pytest.mark.parametrize(
    ("row", "form"),
    [
        (ROW, "verisciqa"),
        ({"images": ["g", "r"], "generator": "", "caption": "C"}, "scidiag"),
        ({"images": ["a"], "rating_mean": 3.0, "rating": "{}", "caption": "A caption of words."}, "siqa"),
        ({"images": ["a"], "caption": "A caption of words.", "context_places": "[]"}, "quality"),
        ({"images": ["a"], "caption": "", "context_places": "[]"}, "siqa"),
    ],
)
def test_the_form_is_guessed_by_the_columns(row: dict[str, Any], form: str) -> None:
    assert guessed([{"images": []}, row]) == form


def test_no_form_fits() -> None:
    with pytest.raises(ValueError, match="no form fits"):
        guessed([{"images": [], "question": "Q?"}])
    with pytest.raises(ValueError, match="no kept rows"):
        guessed([])
    with pytest.raises(ValueError, match="there are verisciqa"):
        form_named("other")
