from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.qa.json_answer import parse_json_object


@pytest.mark.parametrize(
    "latex",
    [
        r"\nu", r"\frac{a}{b}", r"\beta", r"\rho", r"\theta", r"\tau", r"\times 10", r"\nabla f", r"\neq", r"\bar{x}",
        r"\forall x", r"\right)", r"\rightarrow", r"\text{ms}", r"\textbf{x}", r"\tilde{x}", r"\to", r"\boldsymbol{x}",
        r"\binom{n}{k}", r"\flat", r"\ref{f}", r"\uparrow", r"\underline{x}", r"\alpha", r"\_", r"\%", r"\{x\}", r"\,",
        r"\sigma_{i}", r"\Delta", r"\not", r"\notin", r"\therefore", r"\upsilon", r"$\nu\beta\rho$", r"x \ y",
    ],
)  # fmt: skip
def test_single_backslashes_of_latex_stay(latex: str) -> None:
    assert parse_json_object(f'{{"reason": "so {latex} rises"}}') == {"reason": f"so {latex} rises"}
    doubled = json.dumps({"reason": f"so {latex} rises"})
    assert parse_json_object(doubled) == {"reason": f"so {latex} rises"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": [1, {"b": null}]}\n```', {"a": [1, {"b": None}]}),
        ('Here it is: {"a": "x"} I hope it helps.', {"a": "x"}),
        ('With $\\frac{a}{b}$ first: {"a": "x"}', {"a": "x"}),
        ('{"draft": 1}\nBetter: {"final": 2}', {"final": 2}),
        ('{"a": "one\\ntwo\\tthree"}', {"a": "one\ntwo\tthree"}),
        ('{"a": "line\\nThe next"}', {"a": "line\nThe next"}),
        ('{"a": "raw\nline"}', {"a": "raw\nline"}),
        ('{"a": "brace } in \\" text"}', {"a": 'brace } in " text'}),
        ('{"a": "caf\\u00e9"}', {"a": "café"}),
        ('{"a": "x\\ud800y\\u0007\\b z"}', {"a": "xy z"}),
        ("[1, 2]", None),
        ('{"a": 1', None),
        ("no object", None),
        ("", None),
        ("{}", {}),
    ],
)
def test_objects_are_found_in_what_models_write(text: str, value: object) -> None:
    assert parse_json_object(text) == value


def strings(value: object) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@given(st.text(alphabet='\\nutbfrNabelqx"{}:,[] \u0001', max_size=60))
def test_never_a_control_character(body: str) -> None:
    for text in (body, f'{{"a": "{body}"}}'):
        value = parse_json_object(text)
        for found in strings(value):
            assert not any(unicodedata.category(mark) in ("Cc", "Cs") for mark in found if mark not in "\n\t")


@given(st.dictionaries(st.text(alphabet="abc", min_size=1), st.text(alphabet="abc é\n\"'{}").filter(bool)))
def test_proper_json_comes_back_as_it_is(value: dict[str, str]) -> None:
    assert parse_json_object(f"Sure: {json.dumps(value)}") == value


@pytest.mark.parametrize("piece", ["{", '{"a":', '"', "\\", "{}", '{"a": "', "[", "}", '{"a":[', "\\n"], ids=repr)
def test_long_hostile_answers_end(piece: str) -> None:
    assert parse_json_object(piece * (100_000 // len(piece))) in (None, {})
    assert parse_json_object('{"a":' * 900 + "1" + "}" * 900) is not Ellipsis
