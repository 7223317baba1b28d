"""Responses as different providers send them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_juicer_ext.models.http.completion import Completion, read_completion, without_thinking
from data_juicer_ext.models.types import Usage


def response(content: Any, **message: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"finish_reason": "stop", "message": {"content": content, **message}}]}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("B", "B"),
        ("<think>A? No.</think>B", "B"),
        ("\n<think>\nA?\n</think>\n\nB", "\n\nB"),
        ("<thinking>A?</thinking> B", " B"),
        ("A? No, it must be B.\n</think>\nB", "\nB"),
        ("<think>never ends", ""),
        ("<think></think>\n<think>A?</think>B", "B"),
        ("<thought>A?</thought>B", "B"),
        ("</think>B", "B"),
        ("The tag <think> opens.</think>", "The tag <think> opens.</think>"),
        ("", ""),
    ],
)
def test_thinking_is_kept_out(text: str, rest: str) -> None:
    assert without_thinking(text) == rest


def test_text_is_scrubbed_and_stripped() -> None:
    assert read_completion(response(" a\x00b\ud800\r\nc \n")).text == "ab\nc"


def test_reasoning_content_is_no_text_but_counts_as_generated() -> None:
    read = read_completion(response("", reasoning_content="hmm"))
    assert (read.text, read.raw_length) == ("", 3)


def test_a_refusal_is_the_models_words() -> None:
    assert read_completion(response(None, refusal="I cannot.")).text == "I cannot."


def test_content_in_parts() -> None:
    assert read_completion(response([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])).text == "ab"


@pytest.mark.parametrize(
    "parts",
    [
        ["<thi", "nk>A or", " C?</th", "ink>", "B"],
        ["A or C?</think", ">\n\nB"],
    ],
)
def test_thinking_tags_split_over_parts(parts: list[str]) -> None:
    assert read_completion(response([{"type": "text", "text": part} for part in parts])).text == "B"


def test_parts_that_hold_thinking_are_no_text() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "A?"}]},
        {"type": "reasoning", "text": "C?"},
        {"type": "text", "text": "B"},
    ]
    assert read_completion(response(parts)).text == "B"


def test_an_opening_in_the_reasoning_and_its_end_in_the_text() -> None:
    assert read_completion(response("so not A.</think>\nB", reasoning_content="<think>A? No,")).text == "B"


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, None),
        ({}, None),
        ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(5, 2)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 8,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(9, 8, 4, 3),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(9, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 8, "reasoning_tokens": 5}, Usage(9, 8, 0, 5)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 6}, Usage(9, 1, 6)),
    ],
)
def test_usage(usage: Any, read: Usage | None) -> None:
    assert read_completion({**response("a"), "usage": usage}).usage == read


def test_an_error_with_status_200() -> None:
    read = read_completion({"error": {"message": "upstream", "code": 502}})
    assert (read.error, read.error_code) == ("upstream", "502")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "error", "finish_reason", "prompt_tokens"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["choices", "usage", "model", "error"]), anything))
def test_no_shape_raises(data: dict[str, Any]) -> None:
    assert isinstance(read_completion(data), Completion)
