from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.siqa.descriptions import Description, parse_description, read_descriptions, told

PAIR = "<good>All axes have units.</good>\n<bad>The axes lack units.</bad>"


@pytest.mark.parametrize(
    "text",
    [PAIR, f"Here you are:\n{PAIR}\nDone.", f"<think><good>x y</good></think>{PAIR}", f"<good>A draft.</good>\n{PAIR}",
     "<Good>All axes\n have units.</Good><BAD>The axes lack units.", f"```\n{PAIR}\n```"],
)  # fmt: skip
def test_both_texts_are_read(text: str) -> None:
    assert parse_description(text).description == Description("All axes have units.", "The axes lack units.")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "<good> is missing"), ("<good>x</good>", "<bad> is missing"), ("<good> </good><bad>x</bad>", "<good> is"),
     ("<good>1 2</good><bad>x</bad>", "<good> is"), ("<good>Same text.</good><bad>same  text</bad>", "the same")],
)  # fmt: skip
def test_what_is_wrong_is_told(text: str, problem: str) -> None:
    parse = parse_description(text)
    assert parse.description is None and problem in parse.problem


def test_long_texts_are_cut() -> None:
    found = parse_description(f"<good>{'word ' * 5000}</good><bad>x</bad>").description
    assert found is not None and len(found.good) == 2000


@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    parse = parse_description(text)
    assert (parse.description is None) == bool(parse.problem)


def test_the_column_and_back() -> None:
    found = {"cognitive_clarity": Description("g", "b")}
    assert read_descriptions(told(found)) == found and read_descriptions({}) == {}


@pytest.mark.parametrize("value", [None, [], "x", {"cognitive_clarity": "x"}, {"cognitive_clarity": {"good": "x"}},
                                   {"cognitive_clarity": {"good": 1, "bad": "x"}}])  # fmt: skip
def test_another_column_is_an_error_that_says_what_to_run(value: object) -> None:
    with pytest.raises(ValueError, match="siqa_description_mapper"):
        read_descriptions(value)
