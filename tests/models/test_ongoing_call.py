"""One call on its way: what it took, and how it ends."""

from __future__ import annotations

import time

import pytest

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.http.retry import RetryDecision
from data_juicer_ext.models.ongoing_call import PAID_TRIES, OngoingCall
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.types import Message, Request, Usage


def call(**sampling: object) -> OngoingCall:
    config = EndpointConfig("m", "http://h:80/v1", deadline=10.0, max_tries=3, api_key_env="A_KEY")
    return OngoingCall(config, PreparedRequest(Request((Message("user", "x" * 40),), "t", sampling=sampling)))


def test_the_deadline_begins_with_the_first_try() -> None:
    made = call()
    assert (made.seconds, made.left) == (0.0, 10.0)
    made.started = time.monotonic() - 4.0
    assert made.seconds == pytest.approx(4.0, abs=1.0) and made.left == pytest.approx(6.0, abs=1.0)


@pytest.mark.parametrize(
    ("transient", "unusable", "enough"),
    [(0, 0, False), (2, 0, False), (3, 0, True), (0, PAID_TRIES - 1, False), (0, PAID_TRIES, True)],
)
def test_when_it_was_tried_enough(transient: int, unusable: int, enough: bool) -> None:
    made = call()
    made.transient, made.unusable = transient, unusable
    assert made.tried_enough is enough


def test_tokens_are_the_providers_or_estimated() -> None:
    made, told = call(), Usage(7, 8)
    assert made.used(Completion("b", usage=told)) is told
    estimated = made.used(Completion("b", raw_length=40))
    assert estimated == Usage(made.prepared.prompt_tokens, 10, estimated=True)


def test_a_token_limit_is_doubled_once_and_only_here() -> None:
    made = call(max_tokens=100, temperature=1.0)
    assert made.raise_token_limit() and made.sampling == {"max_tokens": 200, "temperature": 1.0}
    assert not made.raise_token_limit() and made.sampling["max_tokens"] == 200
    assert made.prepared.request.sampling["max_tokens"] == 100
    assert call(max_completion_tokens=5).raise_token_limit()
    for none in (call(), call(max_tokens=None), call(max_tokens="9")):
        assert not none.raise_token_limit()


def test_how_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-secret-12345")
    made = call()
    made.tries, made.usage = 2, Usage(1, 2)
    answer = made.answer(Completion("b", model="m-1", finish_reason="length"))
    assert (answer.text, answer.model, answer.finish_reason, answer.tries, answer.usage) == (
        "b", "m-1", "length", 2, Usage(1, 2)
    )  # fmt: skip
    assert made.answer(Completion("b")).model == "m"
    failure = made.failure(RetryDecision("no", "auth", "refused sk-secret-12345"))
    assert (failure.kind, failure.tries, failure.usage, failure.retryable) == ("auth", 2, Usage(1, 2), True)
    assert failure.message.startswith("endpoint h:80 refused") and "secret" not in failure.message
    assert made.failure(RetryDecision("no", "bad_image", "the image is broken")).message == "the image is broken"
