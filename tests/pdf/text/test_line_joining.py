"""Lines joined to text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.pdf.text.line_joining import Words


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the tempera-", "ture is"], "the temperature is"),
        (["a well-", "known vessel"], "a well-known vessel"),
        (["non-", "Gaussian noise"], "non-Gaussian noise"),
        (["the soft\u00ad", "ware"], "the software"),
        (["from 3-", "5 runs"], "from 3- 5 runs"),
        (["a", "", "  b  c "], "a b c"),
        (["one\x00\x0b", "two"], "one two"),
    ],
)
def test_joined(lines: list[str], text: str) -> None:
    assert Words(["it is well-known, and temperature and software are"]).join(lines) == text


def test_the_document_tells_whether_a_hyphen_is_the_words_own() -> None:
    assert Words(["a multilayer net"]).join(["a multi-", "layer net"]) == "a multilayer net"
    assert Words(["a multi-layer net"]).join(["a multi-", "layer net"]) == "a multi-layer net"


@given(st.lists(st.text(max_size=60), max_size=20))
def test_any_lines_make_one_line(lines: list[str]) -> None:
    joined = Words(lines).join(lines)
    assert joined == " ".join(joined.split())
