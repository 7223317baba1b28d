"""Names of things, and what they could be mistaken for."""

from __future__ import annotations

import pytest

from data_juicer_ext.offline.text.entities import alternatives, axis_quantities, bare, names


def test_articles_go() -> None:
    assert [bare(name) for name in ("the rate", "An owl", " our way", "its", "Theme", "a")] == [
        "rate", "owl", "way", "its", "Theme", "a"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We compare ResNet and VGG-16 with Big Bird.", ["ResNet", "VGG-16", "Big Bird"]),
        ("Speed grows. GPT-4 wins. BERT loses. Model B ends.", ["GPT-4", "BERT", "Model B"]),
        ("The rate of iPhone and ab3 and Alpha 7b.", ["iPhone", "ab3", "Alpha 7b"]),
        ("nothing here at all.", []),
    ],
)
def test_names_are_those_with_capitals_inside_of_sentences(text: str, found: list[str]) -> None:
    assert names([text, text]) == found


LISTED = "We test the red filter, the green filter, and the blue filter."


@pytest.mark.parametrize(
    ("right", "clauses", "texts", "found"),
    [
        ("the red filter", [], [LISTED], ["the green filter", "the blue filter"]),
        ("red filter", [], [LISTED], ["green filter", "blue filter"]),
        ("the autumn cohort", [], ["In the spring cohort and a winter cohort it rains."],
         ["the spring cohort", "the winter cohort"]),
        ("Alpha", ["Beta is 5", "Gamma has a higher rate than Delta"], ["Alpha and Epsilon win."],
         ["Beta", "Gamma", "Delta", "Epsilon"]),
        ("the rate", ["the speed is 5", "the rate of flow is 6"], [], ["the speed"]),
        ("Alpha", [], ["It names Alpha, Alpha Two and Beta."], ["Beta"]),  # what holds it is no other thing
        ("the rate", [], ["nothing"], []),
    ],
)  # fmt: skip
def test_what_a_thing_could_be_mistaken_for(right: str, clauses: list[str], texts: list[str], found: list[str]) -> None:
    assert alternatives(right, clauses, texts) == found


def test_what_the_axes_show() -> None:
    clauses = ["the horizontal axis shows the time in hours", "the y-axis is the rate", "the rate is 5"]
    assert axis_quantities(clauses) == ["the time in hours", "the rate"]


@pytest.mark.parametrize(
    ("other", "taken"), [("Ab", True), ("A", False), ("A" + "b" * 59, True), ("A" + "b" * 60, False)]
)
def test_a_name_has_2_to_60_letters(other: str, taken: bool) -> None:
    assert (alternatives("Zeta", [f"{other} is 5"], []) == [other]) == taken


def test_a_list_is_trimmed_to_what_is_like_the_target() -> None:
    text = "We see fast Alpha, the slow Beta 2, and Gamma rays."
    assert alternatives("Alpha", [], [text]) == ["Beta 2", "Gamma"]
    assert alternatives("red filter", [], ["A red filter, blue, and a green filter fit."]) == ["green filter"]


def test_a_subject_of_more_than_five_words_is_none() -> None:
    assert alternatives("the rate", ["the speed of a fast car is 5"], []) == []
    assert alternatives("the rate", ["the speed of fast cars is 5"], []) == ["the speed of fast cars"]
