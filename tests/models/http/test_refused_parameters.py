"""Parameters that an endpoint refuses: asked once, remembered, and the rest left alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import openai
import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.event_loop import drive
from data_juicer_ext.models.http.refused_parameters import ParameterRules
from data_juicer_ext.models.http.transport import _httpx, status_error
from data_juicer_ext.models.types import Usage
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, ask, config_for, failed, question, reraise

NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
FIXED = (
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported."
)


def reasoning_model(body: Mapping[str, Any]) -> Reply:
    """A server that is as strict as OpenAI's reasoning models are."""
    if "max_tokens" in body:
        return Reply(NO_MAX_TOKENS, status=400, code="unsupported_parameter", param="max_tokens")
    if body.get("temperature", 1) != 1:
        return Reply(FIXED, status=400, code="unsupported_value", param="temperature")
    details = {"reasoning_tokens": 64}
    usage = {"prompt_tokens": 5, "completion_tokens": 70, "completion_tokens_details": details}
    return Reply("<think>A? No.</think>B", usage=usage)


def refusal(message: str, status: int = 400, **fields: Any) -> openai.APIStatusError:
    body = {"error": {"message": message, **fields}}
    request = _httpx.Request("POST", "http://x/v1")
    return status_error(status, [], json.dumps(body).encode(), request)


def test_a_reasoning_model_is_learned_once(server: FakeServer) -> None:
    server.responder = reasoning_model
    model = get_model(config_for(server, max_concurrency=1))
    asked = question(max_tokens=100, temperature=0.2, seed=1)
    results = [answered(result) for result in drive(range(5), lambda _: model.ask(asked), reraise)]
    assert [result.tries for result in results] == [1] * 5
    assert all(result.usage == Usage(5, 70, 0, 64) for result in results)
    assert len(server.requests) == 7  # two refusals, then what was learned
    sampling = [{k: v for k, v in sent.body.items() if k not in ("model", "messages")} for sent in server.requests]
    assert sampling[0] == {"max_tokens": 100, "temperature": 0.2, "seed": 1}
    assert sampling[2:] == [{"max_completion_tokens": 100, "seed": 1}] * 5


def test_many_at_once_all_adapt(server: FakeServer) -> None:
    server.responder = reasoning_model
    model = get_model(config_for(server, max_concurrency=16))
    asked = question(max_tokens=100, temperature=0.2)
    for result in drive(range(48), lambda _: model.ask(asked), reraise):
        assert answered(result).text == "B"
    assert len(server.requests) <= 48 + 2 * 16


def test_a_cut_off_answer_is_asked_again_under_the_new_name(server: FakeServer) -> None:
    def cut_at_100(body: dict[str, Any]) -> Reply:
        reply = reasoning_model(body)
        short = reply.status == 200 and body["max_completion_tokens"] <= 100
        return Reply("", finish_reason="length") if short else reply

    server.responder = cut_at_100
    assert answered(ask(server, question(max_tokens=100))).text == "B"
    assert server.requests[-1].body["max_completion_tokens"] == 200


def test_an_old_server_that_knows_the_old_name_only(server: FakeServer) -> None:
    def old(body: dict[str, Any]) -> Reply:
        if "max_completion_tokens" in body:
            return Reply("Unrecognized request argument supplied: max_completion_tokens", status=400)
        return Reply("B")

    server.responder = old
    answered(ask(server, question(max_completion_tokens=9)))
    assert server.requests[-1].body["max_tokens"] == 9


def test_a_server_that_takes_neither_name_is_a_failure(server: FakeServer) -> None:
    def neither(body: dict[str, Any]) -> Reply:
        name = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
        return Reply(f"Unsupported parameter: '{name}'", status=400)

    server.responder = neither
    failure = failed(ask(server, question(max_tokens=9)))
    assert (failure.kind, len(server.requests)) == ("bad_request", 2)


@pytest.mark.parametrize(
    ("error", "sent", "learned"),
    [
        (refusal(NO_MAX_TOKENS), {"max_tokens": 1}, {"max_completion_tokens": 1}),
        (refusal(NO_MAX_TOKENS, 422), {"max_tokens": 1}, {"max_completion_tokens": 1}),
        (refusal(NO_MAX_TOKENS, 500), {"max_tokens": 1}, None),
        (refusal(NO_MAX_TOKENS), {"max_tokens": 1, "max_completion_tokens": 2}, None),
        (refusal(FIXED), {"temperature": 0.2}, {}),
        (refusal("'top_p' is not supported"), {"top_p": 0.9, "temperature": 1}, {"temperature": 1}),
        (refusal("x", code="unsupported_parameter", param="top_p"), {"top_p": 0.9}, {}),
        (refusal("x", code="unsupported_parameter", param="tools"), {"top_p": 0.9}, None),
        (refusal("temperature must be at most 2"), {"temperature": 3}, None),
        (refusal("max_tokens is too large: 99999"), {"max_tokens": 99999}, None),
        (refusal("'seed' is not supported"), {"seed": 1}, None),
        (refusal(FIXED), {"max_tokens": 5}, None),
        (refusal("my_temperature is not supported"), {"temperature": 3}, None),
    ],
)
def test_what_is_learned(error: openai.APIStatusError, sent: dict[str, Any], learned: dict[str, Any] | None) -> None:
    rules = ParameterRules("m")
    assert rules.learn(error, sent) == (learned is not None)
    assert rules.apply(sent) == (sent if learned is None else learned)


def test_what_is_left_out_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    rules = ParameterRules("the-model")
    for _ in range(3):
        rules.learn(refusal(FIXED), {"temperature": 0.2})
    assert [record.getMessage() for record in caplog.records] == [
        "model the-model takes no 'temperature' of ours: it is left out"
    ]


# ---- log-probabilities, which an answer is the same without


def refusing_logprobs(message: str, most: int = 0, **fields: Any) -> Any:
    """A server that takes at most `most` alternatives (0: no log-probabilities at all)."""

    def responder(body: Mapping[str, Any]) -> Reply:
        if body.get("top_logprobs", 0) > most or ("logprobs" in body and not most):
            return Reply(message, status=400, **fields)
        assert ("logprobs" in body) == ("top_logprobs" in body)
        return Reply("Good")

    return responder


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("This model does not support the 'logprobs' parameter.", {}),
        ("logprobs is not available for gpt-5.1", {"param": "logprobs", "code": "invalid_value"}),
        ("Extra inputs are not permitted: top_logprobs", {}),
        ("Invalid request: logprobs", {}),
        ("Something of request 3 went wrong", {"param": "top_logprobs"}),
    ],
)
def test_an_endpoint_without_log_probabilities_is_asked_without(
    message: str, fields: dict[str, Any], server: FakeServer
) -> None:
    server.responder = refusing_logprobs(message, **fields)
    model = get_model(config_for(server, max_concurrency=1))
    asked = question(logprobs=True, top_logprobs=20, temperature=0.5)
    for result in drive(range(4), lambda _: model.ask(asked), reraise):
        assert answered(result).text == "Good"
    sent = [request.body for request in server.requests]
    assert all("temperature" in body for body in sent)
    assert ["logprobs" in body for body in sent[-4:]] == [False] * 4 and len(sent) <= 6


@pytest.mark.parametrize(
    "message",
    [
        "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 5, but got 20 instead.",
        "Requested sample logprobs of 20, which is greater than max allowed: 5",
        "top_logprobs must be between 0 and 5",
    ],
)
def test_an_endpoint_that_names_a_lower_limit_is_asked_for_as_many(message: str, server: FakeServer) -> None:
    server.responder = refusing_logprobs(message, most=5)
    model = get_model(config_for(server, max_concurrency=8))
    asked = question(logprobs=True, top_logprobs=20)
    for result in drive(range(24), lambda _: model.ask(asked), reraise):
        assert answered(result).text == "Good"
    accepted = [request.body["top_logprobs"] for request in server.requests if request.body["top_logprobs"] <= 5]
    assert accepted == [5] * 24


def test_an_error_about_something_else_is_no_reason_to_leave_them_out() -> None:
    rules = ParameterRules("m")
    assert not rules.learn(refusal("the image is broken"), {"logprobs": True, "top_logprobs": 20})
    assert not rules.learn(refusal("logprobs are not supported", status=500), {"logprobs": True})
    assert not rules.learn(refusal("logprobs are not supported"), {"temperature": 0.5})
    assert rules.apply({"logprobs": True, "top_logprobs": 20}) == {"logprobs": True, "top_logprobs": 20}
