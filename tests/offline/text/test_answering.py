"""Answers from text: overlap with one clause, several, or none."""

from __future__ import annotations

import pytest

from data_juicer_ext.offline.text.answering import best_options, holds
from data_juicer_ext.offline.text.clauses import clauses_of

PARAGRAPHS = [
    r"As Figure~\ref{fig:q} shows, quartz melts at 1713~K while feldspar melts at 1490~K. Mica has a lower "
    r"density than quartz (Figure~\ref{fig:q}). The hardness of quartz is 7.0 and the hardness of mica is 2.5.",
    r"Porosity falls with depth (Figure~\ref{fig:q}).",
]
CLAUSES = clauses_of(PARAGRAPHS, ["fig:q"])


def answer(question: str, *options: str) -> str:
    letters, _ = best_options(question, list(zip("ABCD", options, strict=False)), CLAUSES)
    return ", ".join(letters)


@pytest.mark.parametrize(
    ("question", "options", "letter"),
    [
        ("What is the hardness of mica?", ["7.0", "2.5", "4.0"], "B"),
        ("What is the hardness of quartz?", ["2.5", "7.0", "4.0"], "B"),
        ("Which of the two has the lower density: mica or quartz?", ["quartz", "mica"], "B"),
        ("How does porosity change with depth?", ["It increases", "It decreases", "It stays constant"], "B"),
        ("What is the hardness of topaz at noon in Rome?", ["7.0", "2.5"], ""),
        ("What is the hardness of mica?", ["9.0", "4.0"], ""),
        ("How many moons does Saturn have?", ["2.5", "7.0"], ""),
    ],
)
def test_the_clause_that_covers_question_and_option_decides(question: str, options: list[str], letter: str) -> None:
    assert answer(question, *options) == letter


def test_texts_that_contradict_each_other_support_several() -> None:
    clauses = clauses_of(["The hardness of quartz is 7.0.", "The hardness of quartz is 7.5."])
    letters, why = best_options("What is the hardness of quartz?", [("A", "7.5"), ("B", "1.0"), ("C", "7.0")], clauses)
    assert letters == ["A", "C"]
    assert "A and C" in why


def test_the_order_of_the_options_does_not_matter() -> None:
    assert answer("What is the hardness of mica?", "2.5", "7.0") == "A"
    assert answer("What is the hardness of mica?", "7.0", "2.5") == "B"


@pytest.mark.parametrize(
    ("text", "option", "held"),
    [
        ("it is 7.0 here", "7", True),
        ("it is 7.05 here", "7.0", False),
        ("it is 7.0 mm here", "7.0 cm", False),
        ("the grey mica", "the mica", True),
        ("the micaceous", "mica", False),
        ("it drops fast", "It decreases", True),
        ("it climbs fast", "It decreases", False),
    ],
)
def test_holds(text: str, option: str, held: bool) -> None:
    assert holds(text, option) is held
