"""Questions from claims: grammar, distractors, where the right option stands, and silence."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.offline.text.quantities import as_quantity, nearby, quantities
from data_juicer_ext.offline.text.questions import LETTERS, Question, question_for

CONTEXT = [
    "The catalysts Nickel, Copper and Zinc were run at 300 °C. Nickel reaches a yield of 81.5%. "
    "The reactor is followed by the cold trap. The cold trap is followed by the gas meter. "
    "The horizontal axis shows the run time. The vertical axis shows the yield.",
]


def ask(clause: str, context: list[str] = CONTEXT) -> Question:
    made = question_for(f"The figure shows that {clause}.", "Yields of the catalysts.", context)
    assert made is not None
    return made


def right(question: Question) -> str:
    return question.options[LETTERS.index(question.answer)]


@pytest.mark.parametrize(
    ("clause", "question", "answer"),
    [
        ("the yield is 81.5% for Nickel", "What is the yield for Nickel?", "81.5%"),
        ("the yields are 81.5% for Nickel", "What are the yields for Nickel?", "81.5%"),
        ("Nickel reaches a yield of 81.5% at 300 °C", "What yield does Nickel reach at 300 °C?", "81.5%"),
        ("the signal peaks at 40 s after injection", "At what value does the signal peak after injection?", "40 s"),
        ("both beds hold 12 tubes", "How many tubes do both beds hold?", "12"),
        ("the reactor has 3 inlets", "How many inlets does the reactor have?", "3"),
        ("Copper has the lowest yield at 300 °C", "Which of these has the lowest yield at 300 °C?", "Copper"),
        ("the yield is highest for Zinc", "For which of these is the yield highest?", "Zinc"),
        ("Zinc gives a higher yield than Copper",
         "Which of the two gives the higher yield: Copper or Zinc?", "Zinc"),
        ("the reactor is followed by the cold trap", "What is the reactor directly followed by?", "the cold trap"),
        ("the horizontal axis shows the run time", "What does the horizontal axis show?", "the run time"),
        ("the yield falls with the run time", "How does the yield change with the run time?", "It decreases"),
    ],
)  # fmt: skip
def test_grammar_and_right_option(clause: str, question: str, answer: str) -> None:
    made = ask(clause)
    assert made.text == question
    assert right(made) == answer
    assert 2 <= len(made.options) <= 4
    assert len({option.lower() for option in made.options}) == len(made.options)


@pytest.mark.parametrize(
    "clause",
    [
        "our approach is promising",
        "much remains to be learned",
        "it reaches 81.5%",
        "the yields differ between catalysts",
        "the yield stays above 80% for Nickel and more",
        "the new catalysts perform well in all settings",
    ],
)
def test_vague_claims_give_no_question(clause: str) -> None:
    assert question_for(f"The figure shows that {clause}.", "", CONTEXT) is None


def test_a_noun_phrase_gives_no_question() -> None:
    assert question_for("The figure shows the yield of 3 catalysts.", "", CONTEXT) is None


def test_an_extreme_without_alternatives_gives_no_question() -> None:
    assert question_for("The figure shows that Copper has the lowest yield.", "", ["Copper is red."]) is None


def test_entity_distractors_come_from_the_text() -> None:
    assert set(ask("Copper has the lowest yield").options) >= {"Nickel", "Zinc", "Copper"}


def test_number_distractors_prefer_values_of_the_text() -> None:
    made = ask("Zinc reaches a yield of 64.0%")
    assert "81.5%" in made.options
    assert all(option.endswith("%") and len(option.split(".")[1]) == 2 for option in made.options)


def test_an_unknown_shape_with_one_number_becomes_a_blank() -> None:
    made = ask("conversion dropped by half within the first 20 min of flow".replace("within", "in"))
    assert made.text.startswith('Fill in the blank: "Conversion dropped by half in the first ____')
    assert right(made) == "20 min"


def test_the_answer_moves_and_the_same_claim_gives_the_same_question() -> None:
    made = [ask(f"Nickel reaches a yield of {number}.5% at 300 °C") for number in range(10, 90)]
    again = [ask(f"Nickel reaches a yield of {number}.5% at 300 °C") for number in range(10, 90)]
    assert made == again
    places = Counter(question.answer for question in made)
    assert set(places) == set("ABCD") and max(places.values()) < 40


@settings(max_examples=80, deadline=None)
@given(
    st.decimals(min_value=-500, max_value=500, places=2, allow_nan=False),
    st.sampled_from(["", "%", " mg", " °C", " km/h"]),
    st.integers(0, 2**30),
)
def test_wrong_numbers_are_wrong_distinct_and_written_alike(number: object, unit: str, seed: int) -> None:
    (quantity,) = quantities(f"x is {number}{unit}")[:1]
    wrong = nearby(quantity, quantities("1.00% 2.00 mg 3.00 4 5.5"), seed)
    values = [found.value for text in wrong if (found := as_quantity(text.replace("km/h", "").strip()))]
    assert len(values) == len(wrong) >= 1
    assert len({*values, quantity.value}) == len(wrong) + 1
    assert all(text.endswith(unit.strip()) for text in wrong if unit != " km/h")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_gives_a_sound_question_or_none(claim: str, context: str) -> None:
    made = question_for(claim, context, [context])
    if made is not None:
        assert made.answer in LETTERS[: len(made.options)]


def test_numbers_in_names_are_no_quantities() -> None:
    assert [found.text for found in quantities("GPT-4 and x2 use 1,200 steps, 3.5 s, v1.2.3 and 12-layer nets")] == [
        "1,200", "3.5 s",
    ]  # fmt: skip
