"""The key of a request: changed by all that is sent, by nothing else."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.messages import SentImage
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.request_key import request_key
from data_juicer_ext.models.types import Message, Request

CONFIG = EndpointConfig(model="m", base_url="https://api.example.com/v1")
A, B, C = (SentImage(f"data:image/png;base64,{letter}", letter * 64) for letter in "abc")
IMAGES = {"a.png": A, "b.png": B}
REQUEST = Request(
    (Message("system", "Be brief."), Message("user", "Which?", ("a.png", "b.png"))),
    task="verisciqa/mcq",
    sampling={"temperature": 0.2, "seed": 1, "response_format": {"type": "json_object", "strict": True}},
)


def key(request: Request = REQUEST, config: EndpointConfig = CONFIG, **more: Any) -> str:
    return request_key(config, PreparedRequest(request, IMAGES), **more)


def user(**changes: Any) -> Request:
    return replace(REQUEST, messages=(REQUEST.messages[0], replace(REQUEST.messages[1], **changes)))


def sampled(**changes: Any) -> Request:
    return replace(REQUEST, sampling={**REQUEST.sampling, **changes})


@pytest.mark.parametrize(
    "changed",
    [
        user(text="Which ?"),
        user(images=("b.png", "a.png")),
        user(images=("a.png",)),
        user(images=()),
        user(role="assistant"),
        replace(REQUEST, messages=REQUEST.messages[1:]),
        replace(REQUEST, messages=tuple(reversed(REQUEST.messages))),
        replace(REQUEST, messages=(*REQUEST.messages, Message("user", ""))),
        sampled(temperature=0.3),
        sampled(seed=2),
        sampled(seed="1"),
        sampled(top_p=1),
        sampled(response_format={"type": "json_object", "strict": False}),
        replace(REQUEST, sampling={}),
        replace(REQUEST, draw=1),
    ],
)
def test_whatever_is_sent_changes_the_key(changed: Request) -> None:
    assert key(changed) != key()


@pytest.mark.parametrize(
    "config",
    [
        replace(CONFIG, model="m-2"),
        replace(CONFIG, base_url="https://other.example.com/v1"),
        replace(CONFIG, base_url="https://api.example.com:8443/v1"),
    ],
)
def test_model_and_endpoint_change_the_key(config: EndpointConfig) -> None:
    assert key(config=config) != key()


def test_the_bytes_of_an_image_change_the_key_and_its_path_does_not() -> None:
    moved = user(images=("elsewhere/x.png", "b.png"))
    same = request_key(CONFIG, PreparedRequest(moved, {"elsewhere/x.png": A, "b.png": B}))
    other = request_key(CONFIG, PreparedRequest(moved, {"elsewhere/x.png": C, "b.png": B}))
    assert same == key()
    assert other != key()


def test_an_image_is_not_a_text_that_looks_like_one() -> None:
    shown = user(images=("a.png",))
    told = user(images=(), text=f"sha256:{A.digest}\nWhich?")
    assert key(shown) != key(told)


def test_what_surrounds_a_call_leaves_the_key_alone() -> None:
    around = replace(
        CONFIG,
        api_key_env="OTHER_KEY",
        max_concurrency=3,
        requests_per_minute=7,
        tokens_per_minute=9,
        timeout=1.0,
        deadline=2.0,
        backoff=0.0,
    )
    assert key(config=around) == key()
    assert key(replace(REQUEST, task="other", prompt_version="9", fields={"claim": "x"})) == key()


def test_an_endpoint_name_stands_for_its_address() -> None:
    moved = replace(CONFIG, base_url="http://10.0.0.7:8000/v1")
    assert key(config=moved, endpoint_name="lab") == key(endpoint_name="lab") != key()


def test_letter_case_of_the_host_does_not_matter() -> None:
    assert key(config=replace(CONFIG, base_url="https://API.Example.com/v1")) == key()


def test_an_image_that_was_not_prepared_is_an_error() -> None:
    with pytest.raises(KeyError):
        request_key(CONFIG, PreparedRequest(REQUEST, {"a.png": A}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
samplings = st.dictionaries(st.text(min_size=1, max_size=6), json_values, max_size=5)


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        items = [(name, shuffled(item, order)) for name, item in value.items()]
        order.shuffle(items)
        return dict(items)
    return [shuffled(item, order) for item in value] if isinstance(value, list) else value


@given(samplings, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(sampling: dict[str, Any], order: random.Random) -> None:
    request = replace(REQUEST, sampling=sampling)
    assert key(request) == key(replace(request, sampling=shuffled(sampling, order)))


@given(samplings, samplings)
def test_other_sampling_is_another_key(one: dict[str, Any], other: dict[str, Any]) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (key(replace(REQUEST, sampling=one)) == key(replace(REQUEST, sampling=other))) is same


@given(
    st.lists(st.text(max_size=6), min_size=1, max_size=3),
    st.lists(st.text(max_size=6), min_size=1, max_size=3),
)
def test_texts_never_run_into_each_other(one: list[str], other: list[str]) -> None:
    def made(texts: list[str]) -> str:
        return key(replace(REQUEST, messages=tuple(Message("user", text) for text in texts)))

    assert (made(one) == made(other)) is (one == other)


@given(st.integers(0, 50), st.integers(0, 50))
def test_every_draw_has_its_own_key(one: int, other: int) -> None:
    assert (key(replace(REQUEST, draw=one)) == key(replace(REQUEST, draw=other))) is (one == other)


def test_keys_of_several_types_and_any_text_will_do() -> None:
    found = key(sampled(logit_bias={50256: -100, "12": 3}, stop=("\ud800", "é\u2028")))
    assert found == key(sampled(logit_bias={"12": 3, "50256": -100}, stop=["\ud800", "é\u2028"]))
    assert len(found) == 64


def test_the_key_of_one_request_stays_for_ever() -> None:
    # Stores outlive programs: another value here means that everything stored is paid for again.
    image = '{"image_url":{"url":"sha256:%s"},"type":"image_url"}'
    canonical = (
        '{"body":{"messages":[{"content":"Be brief.","role":"system"},{"content":['
        + image % ("a" * 64) + "," + image % ("b" * 64)
        + ',{"text":"Which?","type":"text"}],"role":"user"}],"model":"m",'
        '"response_format":{"strict":true,"type":"json_object"},"seed":1,"temperature":0.2},'
        '"draw":0,"endpoint":"api.example.com"}'
    )  # fmt: skip
    assert key() == hashlib.sha256(canonical.encode()).hexdigest()
