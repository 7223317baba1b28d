"""Patterns for any of many words."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.latex.word_patterns import any_of


@given(st.lists(st.text("abc*.", max_size=4), max_size=12), st.text("abc*.", max_size=5))
def test_it_matches_the_words_and_nothing_else(words: list[str], other: str) -> None:
    pattern = re.compile(any_of(words))
    assert all(pattern.fullmatch(word) for word in words)
    assert (pattern.fullmatch(other) is not None) == (other in words or (not words and not other))


def test_the_longest_word_is_tried_first() -> None:
    found = re.match(any_of(["fig", "figure", "fi"]), "figures")
    assert found is not None
    assert found.group() == "figure"


def test_beginnings_are_written_once() -> None:
    assert any_of(["cref", "crefrange", "ref"]) == "(?:cref(?:range)?|ref)"
