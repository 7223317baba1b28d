"""Each retry rule, with the exceptions that the OpenAI SDK raises against a real HTTP server, and
with those of our own transport: both must lead to the same decision."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
from collections.abc import Callable, Iterator
from email.utils import formatdate

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.http.retry import (
    MAX_BACKOFF_S,
    RESET_CAP_S,
    RetryDecision,
    backoff,
    decide,
    short,
    wait_asked,
)
from data_juicer_ext.models.http.transport import Transport
from tests.fake_openai import FakeServer, Reply

Raises = Callable[[Reply], BaseException]
BODY = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
TIMEOUT = 0.5


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer(lambda body: "ok") as running:
        yield running


@pytest.fixture(scope="module", params=["sdk", "transport"])
def raised(server: FakeServer, request: pytest.FixtureRequest) -> Raises:
    """A function from a reply of the server to the exception that a caller gets."""
    sdk = openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0, timeout=TIMEOUT)

    async def through_transport() -> None:
        transport = Transport(EndpointConfig("m", server.base_url))
        try:
            await transport.post(BODY, TIMEOUT)
        finally:
            await transport.close()

    def call(reply: Reply) -> BaseException:
        server.responder = lambda body: reply
        with pytest.raises(Exception) as caught:
            if request.param == "sdk":
                sdk.chat.completions.create(**BODY)  # type: ignore[call-overload]
            else:
                asyncio.run(through_transport())
        return caught.value

    return call


def of_exception(raised: Raises, reply: Reply) -> RetryDecision:
    decision = decide(raised(reply))
    assert decision is not None
    return decision


@pytest.mark.parametrize(
    ("status", "verdict", "kind"),
    [
        (400, "no", "bad_request"),
        (401, "no", "auth"),
        (402, "no", "rate_limit"),
        (403, "no", "auth"),
        (404, "no", "bad_request"),
        (408, "transient", "server"),
        (409, "transient", "server"),
        (413, "no", "bad_request"),
        (422, "no", "bad_request"),
        (425, "transient", "server"),
        (429, "rate_limit", "rate_limit"),
        (500, "transient", "server"),
        (502, "transient", "server"),
        (503, "transient", "server"),
        (529, "transient", "server"),
    ],
)
def test_status(raised: Raises, status: int, verdict: str, kind: str) -> None:
    decision = of_exception(raised, Reply("the reason", status=status))
    assert (decision.verdict, decision.kind) == (verdict, kind)
    assert f"answered {status}: the reason" in decision.detail
    assert decision.answered == (verdict != "transient")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply("too much", status=400, code="context_length_exceeded"), "bad_request"),
        (Reply("This model's maximum context length is 4096 tokens.", status=400), "bad_request"),
        (Reply("the request exceeds the size", status=500, code="exceed_context_size_error"), "bad_request"),
        (Reply("filtered", status=400, code="content_filter"), "content_filter"),
        (Reply("unfit", status=400, code="data_inspection_failed"), "content_filter"),
        (Reply("Content Exists Risk", status=400), "content_filter"),
        (Reply("no image", status=400, code="invalid_image_format"), "bad_image"),
        (Reply("no money", status=429, code="insufficient_quota"), "rate_limit"),
        (Reply("You exceeded your current quota, please check.", status=429), "rate_limit"),
    ],
)
def test_codes_that_no_retry_cures(raised: Raises, reply: Reply, kind: str) -> None:
    decision = of_exception(raised, reply)
    assert (decision.verdict, decision.kind) == ("no", kind)
    assert decision.retryable == (kind == "rate_limit")


def test_context_too_long_is_said_in_words(raised: Raises) -> None:
    decision = of_exception(raised, Reply("x", status=400, code="context_length_exceeded"))
    assert "longer than the model's context" in decision.detail


def test_rate_limit_carries_the_wait(raised: Raises) -> None:
    decision = of_exception(raised, Reply("slow down", status=429, headers={"Retry-After": "7"}))
    assert (decision.verdict, decision.after) == ("rate_limit", 7.0)


def test_overload_with_retry_after_is_transient_with_a_wait(raised: Raises) -> None:
    decision = of_exception(raised, Reply("overloaded", status=503, headers={"Retry-After": "3"}))
    assert (decision.verdict, decision.after) == ("transient", 3.0)


def test_hang(raised: Raises) -> None:
    decision = of_exception(raised, Reply(hang=True))
    assert (decision.verdict, decision.kind, decision.answered) == ("transient", "timeout", False)


def test_reset_in_mid_body(raised: Raises) -> None:
    decision = of_exception(raised, Reply(reset=True))
    assert (decision.verdict, decision.kind, decision.answered) == ("transient", "network", False)


@pytest.mark.parametrize(
    ("raw", "verdict", "kind"),
    [("", "transient", "empty"), ('{"id": "x", "cho', "transient", "cut_off"), ("<html>", "no", "bad_request")],
)
def test_broken_bodies(raised: Raises, raw: str, verdict: str, kind: str) -> None:
    decision = of_exception(raised, Reply(raw=raw))
    assert (decision.verdict, decision.kind) == (verdict, kind)


def test_no_connection() -> None:
    sdk = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="k", max_retries=0)
    with pytest.raises(openai.APIConnectionError) as caught:
        sdk.models.list()
    decision = decide(caught.value)
    assert decision is not None
    assert (decision.verdict, decision.kind) == ("transient", "network")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_gateway_without_a_backend_has_asked_nobody(raised: Raises, status: int) -> None:
    assert of_exception(raised, Reply("no", status=status)).nobody == (status in (502, 503))


def test_who_refuses_a_connection_was_not_asked() -> None:
    async def nobody_listens() -> BaseException:
        transport = Transport(EndpointConfig("m", base_url="http://127.0.0.1:9/v1"))
        try:
            with pytest.raises(openai.APIConnectionError) as caught:
                await transport.post({}, timeout=5)
            return caught.value
        finally:
            await transport.close()

    decision = decide(asyncio.run(nobody_listens()))
    assert decision is not None and decision.nobody and decision.kind == "network"


@pytest.mark.parametrize(
    ("error", "verdict", "kind"),
    [
        (openai.ContentFilterFinishReasonError(), "no", "content_filter"),
        (asyncio.TimeoutError(), "transient", "timeout"),
        (TimeoutError(), "transient", "timeout"),
        (ConnectionResetError("reset"), "transient", "network"),
        (ssl.SSLCertVerificationError("self-signed"), "no", "network"),
        (json.JSONDecodeError("x", "[1, 2", 5), "transient", "cut_off"),
        (ImageError("a.png: no such file"), "no", "bad_image"),
        (RuntimeError("a defect"), "no", "internal"),
        (KeyError("a defect"), "no", "internal"),
    ],
)
def test_other_exceptions(error: Exception, verdict: str, kind: str) -> None:
    decision = decide(error)
    assert decision is not None
    assert (decision.verdict, decision.kind) == (verdict, kind)


@pytest.mark.parametrize(
    ("completion", "verdict", "kind"),
    [
        (Completion("", finish_reason="content_filter"), "no", "content_filter"),
        (Completion("half a", finish_reason="length"), "no", "cut_off"),
        (Completion("half a", finish_reason="insufficient_system_resource"), "transient", "server"),
        (Completion(""), "transient", "empty"),
        (Completion("", error="upstream failed", error_code="502"), "transient", "server"),
        (Completion("", error="upstream failed"), "transient", "server"),
        (Completion("", error="bad key", error_code="401"), "no", "auth"),
        (Completion("", error="flagged", error_code="content_filter"), "no", "content_filter"),
    ],
)
def test_responses(completion: Completion, verdict: str, kind: str) -> None:
    decision = decide(completion)
    assert decision is not None
    assert (decision.verdict, decision.kind) == (verdict, kind)


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "eos", "end_turn"])
def test_a_usable_answer_needs_no_decision(reason: str) -> None:
    assert decide(Completion("B", finish_reason=reason)) is None


def test_retryable_is_about_a_later_run() -> None:
    kinds = {error: decide(Completion("", error="e", error_code=error)) for error in ("400", "401", "429", "500")}
    assert {error: d.retryable for error, d in kinds.items() if d} == {
        "400": False,
        "401": True,
        "429": True,
        "500": True,
    }


def test_backoff_doubles_with_jitter_up_to_a_cap() -> None:
    rng = random.Random(5)
    for tries in range(1, 60):
        longest = min(MAX_BACKOFF_S, 0.5 * 2 ** min(tries - 1, 6))
        waits = [backoff(tries, 0.5, rng) for _ in range(50)]
        assert all(longest / 2 <= wait <= longest for wait in waits)
        assert len(set(waits)) == 50
    assert backoff(3, 0.5, random.Random(1)) == backoff(3, 0.5, random.Random(1))
    assert backoff(40, 60.0, rng) <= MAX_BACKOFF_S


def test_a_long_message_becomes_one_short_line() -> None:
    assert short("a\n  b\tc") == "a b c"
    assert len(short("x y " * 100_000)) < 320
    assert short("a" + " " * 5000 + "b") == "a ..."


def test_an_answer_that_the_filter_ended_was_paid_for() -> None:
    decision = decide(openai.ContentFilterFinishReasonError())
    assert decision is not None and decision.paid


NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"Retry-After": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"Retry-After": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "20.5s"}, 20.5),
        ({"x-ratelimit-reset-tokens": "0m3s"}, 3.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, RESET_CAP_S),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "5"}, None),
        (
            {
                "x-ratelimit-reset-requests": "50s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2.0,
        ),
        ({"Retry-After": "4", "x-ratelimit-reset-requests": "50s"}, 4.0),
        ({"X-RateLimit-Reset": str(NOW + 12)}, 12.0),
        ({"X-RateLimit-Reset": str(int((NOW + 12) * 1000))}, 12.0),
        ({"X-RateLimit-Reset": "12"}, 12.0),
        ({"x-ratelimit-reset-requests": "in 5s"}, None),
    ],
)
def test_wait_asked(headers: dict[str, str], wait: float | None) -> None:
    assert wait_asked(headers, NOW) == (None if wait is None else pytest.approx(wait, abs=1e-3))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset"]), st.text(max_size=99)))
def test_any_header_gives_a_wait_or_none(headers: dict[str, str]) -> None:
    wait = wait_asked(headers, NOW)
    assert wait is None or 0.0 <= wait < float("inf")
