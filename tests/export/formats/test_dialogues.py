from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.export.formats.dialogues import dialogues
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.row_kinds import FIGURES, PAIRS, SIQA_S, SIQA_U

PAIR: dict[str, Any] = {
    "row_id": "q", "question": "How many?", "options": ["one", "two"], "answer": "B", "caption": "A plot.",
    "rationale": "Two lines are to be seen.",
}  # fmt: skip


@pytest.mark.parametrize("kind", [PAIRS, SIQA_U])
def test_a_question_is_answered_by_one_letter(kind: Any) -> None:
    (made,) = dialogues(PAIR, kind, ExportOptions("ms-swift"))
    assert made.id == "q" and made.answer == "B"
    assert made.asked == "How many?\nA. one\nB. two\nAnswer with the letter of the right option."


def test_caption_and_rationale_come_in_when_they_are_asked_for() -> None:
    (made,) = dialogues(PAIR, PAIRS, ExportOptions("ms-swift", caption=True, rationale=True))
    assert made.asked.startswith("Caption: A plot.\nHow many?\n") and "on a line of its own" in made.asked
    assert made.answer == "Two lines are to be seen.\nB"
    (bare,) = dialogues(
        {**PAIR, "rationale": "", "caption": " "}, PAIRS, ExportOptions("llava", caption=True, rationale=True)
    )
    assert bare.answer == "B" and bare.asked.startswith("How many?"), "a row without either does without"


@pytest.mark.parametrize(
    ("score", "word"), [(1, "Bad"), (1.8, "Poor"), (2.6, "Fair"), (3.4, "Good"), (4.2, "Excellent"), (5.0, "Excellent")]
)
def test_a_rating_is_two_dialogues_each_answered_by_a_level(score: float, word: str) -> None:
    row = {"row_id": "f", "rating_perception": score, "rating_knowledge": 3.0}
    perception, knowledge = dialogues(row, SIQA_S, ExportOptions("ms-swift"))
    assert (perception.id, knowledge.id) == ("f-perception", "f-knowledge")
    assert perception.answer == word and knowledge.answer == "Fair"
    assert "perception" in perception.asked and "knowledge" not in perception.asked
    assert "scientific validity" in knowledge.asked and "perception" not in knowledge.asked


def test_a_scored_figure_is_no_dialogue() -> None:
    assert dialogues({"row_id": "f"}, FIGURES, ExportOptions("jsonl")) == []
