"""Responses as different providers send them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.batch.results import read_lines, result_of
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.http.completion import (
    LEAST,
    MOST_ALTERNATIVES,
    MOST_PLACES,
    Completion,
    first_tokens,
    read_completion,
    without_thinking,
)
from data_juicer_ext.models.store.administration import export, opened
from data_juicer_ext.models.store.interface import answer_fields, answer_from_json, answer_to_json
from data_juicer_ext.models.store.run_store import RunStore
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.types import Answer, TokenChoices, Usage
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, ask, config_for, question
from tests.models.storing import ABOUT, answer_of, key_of


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


PLACES: tuple[TokenChoices, ...] = (
    (("\n", -0.5), ("▁Good", -1.25)),
    (("Good", -0.1), ("Fair", -2.5), ("\ud800", LEAST)),
)
STORES = {
    "sqlite": lambda folder: SqliteStore(folder / "a.sqlite"),
    "segments": lambda folder: SegmentStore(folder / "s"),
}


def place(token: Any, logprob: Any = -0.5, **alternatives: Any) -> dict[str, Any]:
    listed = [{"token": name, "logprob": value, "bytes": None} for name, value in alternatives.items()]
    return {"token": token, "logprob": logprob, "bytes": None, "top_logprobs": listed}


def content(*places: Any) -> dict[str, Any]:
    return {"content": list(places), "refusal": None}


def read(logprobs: Any, text: str = "Good", thought: bool = False) -> tuple[TokenChoices, ...]:
    return first_tokens(logprobs, text, thought)


def test_the_drawn_token_comes_first_and_once() -> None:
    sent = content(place("Good", -0.7, Fair=-2.0, Good=-0.7, Bad=-1.5))
    assert read(sent) == ((("Good", -0.7), ("Bad", -1.5), ("Fair", -2.0)),)


def test_a_drawn_token_that_is_no_likely_one_stands_first_all_the_same() -> None:
    assert read(content(place("Good", -4.0, Fair=-0.1)))[0] == (("Good", -4.0), ("Fair", -0.1))


@pytest.mark.parametrize("sent", [None, [], {}, {"content": None}, {"content": "x"}, content(), content("x", 3, None),
                                  content({"token": None}), content({"logprob": -1})])  # fmt: skip
def test_odd_shapes_are_no_log_probabilities(sent: Any) -> None:
    assert read(sent) == ()


def test_odd_values_cost_that_token_only() -> None:
    sent = content(place("Good", None, Fair=-1.0, Bad="-2", Poor=True, Excellent=math.nan, Goo=-math.inf, Fai=0.25))
    assert read(sent) == ((("Good", LEAST), ("Fai", 0.0), ("Fair", -1.0), ("Goo", LEAST)),)


def test_a_missing_probability_of_the_drawn_token_is_taken_from_the_list() -> None:
    assert read(content(place("Good", None, Good=-0.2))) == ((("Good", -0.2),),)


def test_as_much_as_is_needed_is_kept() -> None:
    many = place("x", -1.0, **{f"t{number}": -2.0 - number for number in range(50)})
    found = read(content(*[many] * 50), "x" * 50)
    assert len(found) == MOST_PLACES and {len(choices) for choices in found} == {1 + MOST_ALTERNATIVES}
    assert found[0][1] == ("t0", -2.0)


@pytest.mark.parametrize(
    ("tokens", "text", "thought", "first"),
    [
        (["<think>", "Good?", "</think>", "\n\n", "Fair", "<|im_end|>"], "\n\nFair", True, "Fair"),
        (["<think>", "Fair?", "</think>", "Fair"], "Fair", True, "Fair"),
        (["hmm", " Good", ".</", "think>", "Bad"], "Bad", True, "Bad"),
        (["Fair"], "Fair", True, "Fair"),  # the provider left the thinking out
        (["▁Good", "▁enough"], "Good enough", False, "▁Good"),
        (["**", "Good", "**"], "**Good**", False, "**"),
    ],
)
def test_tokens_begin_where_the_text_does(tokens: list[str], text: str, thought: bool, first: str) -> None:
    assert read(content(*map(place, tokens)), text, thought)[0][0][0] == first


def test_after_thinking_tokens_that_do_not_spell_the_text_are_not_taken() -> None:
    assert read(content(place("▁Thinking"), place("▁Good")), "Good enough", thought=True) == ()


def test_thinking_in_the_content_is_known() -> None:
    message = {"content": "<think>Good? No.</think>Fair"}
    tokens = [place(token) for token in ("<think>", "Good", "? No.", "</think>", "Fair")]
    choice = {"finish_reason": "stop", "message": message, "logprobs": content(*tokens)}
    completion = read_completion({"choices": [choice]})
    assert completion.text == "Fair" and [choices[0][0] for choices in completion.top_logprobs] == ["Fair"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(["content", "token", "logprob", "top_logprobs"]), inner, max_size=4),
                    max_leaves=12), st.text(max_size=5), st.booleans())  # fmt: skip
def test_nothing_that_is_sent_raises(sent: Any, text: str, thought: bool) -> None:
    for choices in first_tokens(sent, text, thought):
        assert choices and all(LEAST <= logprob <= 0 for _, logprob in choices)


# ---- from the endpoint through the stores


def test_what_the_endpoint_says_reaches_the_answer(server: FakeServer) -> None:
    server.responder = lambda body: Reply(" Good", logprobs=content(place(" Good", -0.25, **{"Good": -3.0})))
    result = answered(ask(server, question(logprobs=True, top_logprobs=20)))
    assert result.text == "Good" and result.top_logprobs == (((" Good", -0.25), ("Good", -3.0)),)
    assert server.requests[0].body["logprobs"] is True and server.requests[0].body["top_logprobs"] == 20
    server.responder = lambda body: "Good"
    assert answered(ask(server)).top_logprobs == ()


@pytest.mark.parametrize("kind", STORES)
def test_a_stored_answer_has_the_same_log_probabilities(kind: str, tmp_path: Path) -> None:
    store = STORES[kind](tmp_path)
    given_answer = Answer("Good", "m", top_logprobs=PLACES)
    store.put(key_of(1), given_answer, ABOUT)
    store.put(key_of(2), answer_of(2), ABOUT)
    store.close()
    again = STORES[kind](tmp_path)
    found = again.get(key_of(1))
    assert found == Answer("Good", "m", top_logprobs=PLACES, from_store=True)
    assert all(isinstance(choice, tuple) for choices in found.top_logprobs for choice in choices)
    assert {stored.key: stored.answer.top_logprobs for stored in again.entries()} == {key_of(1): PLACES, key_of(2): ()}
    again.close()


def test_answers_of_an_earlier_version_still_read_and_others_are_stored_as_before() -> None:
    old = {
        "text": "B",
        "model": "m",
        "finish_reason": "stop",
        "usage": vars(answer_of(1).usage),
        "seconds": 0.25,
        "tries": 2,
    }
    assert answer_from_json(old).top_logprobs == ()
    assert set(answer_fields(answer_of(1))) == set(old)
    assert answer_from_json(json.loads(answer_to_json(answer_of(1, text="B", model="m")))) == answer_from_json(
        {**old, "usage": vars(answer_of(1).usage)}
    )


def test_an_export_of_a_store_holds_them(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "responses.sqlite")
    store.put(key_of(1), Answer("Good", "m", top_logprobs=PLACES), ABOUT)
    store.close()
    export(tmp_path, tmp_path / "answers.jsonl")
    [line] = (tmp_path / "answers.jsonl").read_text().splitlines()
    assert json.loads(line)["answer"]["top_logprobs"] == json.loads(json.dumps(PLACES))


@pytest.mark.parametrize("on_ray", [False, True])
def test_a_second_run_gets_them_without_a_call(on_ray: bool, server: FakeServer, tmp_path: Path) -> None:
    server.responder = lambda body: Reply("Good", logprobs=content(place("Good", -0.25, Fair=-1.5)))
    asked = question(logprobs=True, top_logprobs=20)
    place_of_run = RunPlace(str(tmp_path), on_ray=on_ray)
    first = answered(run(get_model(config_for(server), place_of_run).ask(asked)))
    assert first.top_logprobs == ((("Good", -0.25), ("Fair", -1.5)),)
    with opened(str(tmp_path / "store" / ("segments" if on_ray else "responses.sqlite"))) as store:
        [stored] = store.entries()
    found = run(RunStore(tmp_path, not on_ray).get_async(stored.key))  # as the other executor opens it
    assert found is not None and found.top_logprobs == first.top_logprobs
    again = answered(run(get_model(config_for(server), place_of_run).ask(asked)))
    assert again.from_store and again.top_logprobs == first.top_logprobs and len(server.requests) == 1


def test_batches_bring_them_too() -> None:
    body = {"choices": [{"message": {"content": "Good"}, "logprobs": content(place("Good", -0.5, Bad=-1.0))}]}
    raw = json.dumps({"custom_id": "k", "response": {"status_code": 200, "body": body}}).encode()
    [line] = read_lines(raw, "http://127.0.0.1/v1")
    result = answered(result_of(line, EndpointConfig("m"), question(), 1.0, 1))
    assert result.top_logprobs == ((("Good", -0.5), ("Bad", -1.0)),)
