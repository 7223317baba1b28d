from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.diagrams.diagram_types import REFUSED, TYPES, parse_type, type_code


def test_eleven_types_and_their_codes() -> None:
    assert list(TYPES) == ["TL", "LD", "PE", "AF", "CSA", "CF", "TR", "GA", "ESD", "IC", "MD"]
    assert not set(TYPES) & set(REFUSED)


@pytest.mark.parametrize("code", [*TYPES, *REFUSED])
def test_code_and_long_name_are_read_in_any_form(code: str) -> None:
    made = {**TYPES, **REFUSED}[code]
    kind = "type" if code in TYPES else "refused"
    for said in (code, code.lower(), made.name, made.name.upper(), f"{made.name} ({code})", f" {code}. "):
        for text in (said, json.dumps({"class": said, "reason": "x"}), f'```json\n{{"type": "{said}"}}\n```'):
            found = parse_type(text)
            assert (found.kind, found.code) == (kind, code), text


@pytest.mark.parametrize(
    "text",
    ["", "{}", '{"class": 3}', '{"class": ""}', "AF or CF", '{"class": "Timeline / Technical Roadmap"}', "a diagram",
     "not a timeline", "I think this is one of the most beautiful figures, perhaps a timeline, that I have ever seen.",
     '{"class": "if"}', "<think>AF</think>"],
)  # fmt: skip
def test_what_names_no_class_or_several_is_unparsable(text: str) -> None:
    found = parse_type(text)
    assert (found.kind, found.code) == ("unparsable", "") and found.problem


def test_the_last_object_counts_and_thinking_does_not() -> None:
    assert parse_type('<think>{"class": "AF"}</think>{"class": "TL"} {"class": "MD"}').code == "MD"


@given(st.text(max_size=200))
def test_any_text_is_read_to_some_end(text: str) -> None:
    found = parse_type(text)
    assert (found.code in {**TYPES, **REFUSED}) == (found.kind != "unparsable")


def test_a_cell_holds_a_type_or_says_what_is_needed() -> None:
    assert type_code("algorithmic framework") == "AF"
    for cell, told in (("", "is empty"), ("plot", "'plot'"), ("XX", "'XX'")):
        with pytest.raises(ValueError, match=f"{told}.*TL, LD, PE, AF"):
            type_code(cell)


def test_a_class_with_some_words_around_it_is_at_most_eighty_characters_long() -> None:
    said = "Timeline, " + "x" * 70
    assert parse_type(said).code == "TL"
    assert parse_type(said + "x").kind == "unparsable"
