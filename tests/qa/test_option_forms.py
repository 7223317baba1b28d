"""The forms in which an answer names options."""

from __future__ import annotations

import pytest

from data_juicer_ext.qa.option_forms import (
    begins_with,
    joined_letters,
    key,
    lead,
    letters_at,
    letters_only,
    matching,
    unwrap,
)

TREND = ("It rises steadily", "It falls after 20 s", "It stays flat", "It oscillates around zero")


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("B", "B"), ("(b)", "B"), ("Option C", "C"), ("A, C", "AC"), ("both A and D", "AD"), ("a/b", "AB"),
        ("A, A", "A"), ("B & D", "BD"), ("Answer: [B]", "B"),
        ("E", None), ("A b", None), ("AB", None), ("A 1", None), ("A!", None), ("option", None), ("", None),
        ("B cells", None), ("é", None), ("A" + " " * 199, "A"), ("A" + " " * 200, None),
    ],
)  # fmt: skip
def test_texts_of_nothing_but_letters(text: str, letters: str | None) -> None:
    assert letters_only(text, 4) == (None if letters is None else tuple(letters))


@pytest.mark.parametrize(
    ("text", "letters"),
    [("ACD", "ACD"), ("AB", "AB"), ("A", None), ("", None), ("CA", None), ("AA", None), ("AE", None), ("ab", None),
     ("A1", None)],
)  # fmt: skip
def test_letters_written_as_one_word_rise(text: str, letters: str | None) -> None:
    assert joined_letters(text, 4) == (None if letters is None else tuple(letters))


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("  **B**. ", "B"), ("$\\boxed{B}$", "B"), ("`B`", "B"), ('"B"', "B"), ("(B)", "B"), ("[(B)]", "B"),
        ("“B”", "B"), (": B", "B"), ("= B", "B"), ("- B", "B"), ("# B", "B"), ("-", "-"), ("**", "**"),
        ("(A) and (B)", "(A) and (B)"), ("\\text{B}", "B"), ("B ✓", "B"), ("\\(B\\)", "B"), ("", ""), ("?", "?"),
    ],
)  # fmt: skip
def test_what_stands_around_an_answer_goes(text: str, inside: str) -> None:
    start, end = unwrap(f"x{text}y", 1, 1 + len(text))
    assert f"x{text}y"[start:end] == inside


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The red line.", "red line", True), ("A red line", "red  line", True), ("$x$", "x", True),
        ("\\text{ms}", "ms", True), ("−3", "-3", True), ("RED", "red", True), ("mW", "MW", True),
        ("red", "green", False), ("the", "", False), ("a", "b", False), ("½", "1⁄2", True),
    ],
)  # fmt: skip
def test_texts_are_compared_without_case_spacing_and_markup(one: str, other: str, same: bool) -> None:
    assert (key(one) == key(other)) is same


def test_case_of_short_words_may_count() -> None:
    assert key("5 mW", fold=False) != key("5 MW", fold=False)
    assert key("Volt", fold=False) == key("volt", fold=False)


def test_options_are_found_by_their_text() -> None:
    assert matching("it stays flat.", TREND) == ("C",)
    assert matching("Red", ("red", "blue", "The red")) == ("A", "C")
    assert matching("", ("", "blue")) == () and matching("green", TREND) == ()


@pytest.mark.parametrize(
    ("text", "letters", "end"),
    [
        ("B.", "B", 1), ("(B) is", "B", 2), ("B because", "B", 1), ("B, and C.", "BC", 8), ("A and B", "AB", 7),
        ("A or B is", "A", 1), ("b.", "B", 1), ("b because it", None, 0), ("B cells", None, 0), ("E.", None, 0),
        ("B if x", None, 0), ("B?", None, 0), ("B, unless", None, 0), ("B's", None, 0), ("C. elegans", "C", 1),
        ("B based on", "B", 1), ("B in function of it", None, 0), ("x", None, 0), ("", None, 0), ("D1", None, 0),
        ("A, A.", "A", 4),
    ],
)  # fmt: skip
def test_letters_that_begin_at_a_place(text: str, letters: str | None, end: int) -> None:
    found = letters_at(f"> {text}", 2, 4)
    if letters is None:
        assert found is None
    else:
        assert found is not None and (found.letters, found.end - 2) == (tuple(letters), end)


@pytest.mark.parametrize(
    ("text", "strict", "letters"),
    [
        ("B. It falls after 20 s", True, "B"),
        ("option B: It falls after 20 s", True, "B"),
        ("B. It rises steadily", True, ""),  # letter and text contradict each other
        ("B. It rises steadily", False, ""),
        ("B because it drops", True, "B"),
        ("B. elegans grows", True, None),
        ("B. elegans grows", False, "B"),
        ("B. The line drops", True, "B"),
        ("B. The line drops\nC. The line is flat", True, None),
        ("B. It falls after some 20 s", True, "B"),
        ("B. It stays", True, "B"),
        ("A, C since they rise", True, "AC"),
        ("A, C are shown", True, None),
        ("A, C.", False, "AC"),
        ("B)", True, "B"),
        ("It falls", True, None),
    ],
)
def test_letters_that_an_answer_begins_with(text: str, strict: bool, letters: str | None) -> None:
    assert lead(text, 0, len(text), TREND, strict) == (None if letters is None else tuple(letters))


def test_all_words_of_an_option_stand_at_the_beginning() -> None:
    assert begins_with("it FALLS after $20$ s, as seen", "It falls after 20 s")
    assert not begins_with("it falls after", "It falls after 20 s")
    assert not begins_with("so it falls after 20 s", "It falls after 20 s")
    assert not begins_with("anything", "...")
