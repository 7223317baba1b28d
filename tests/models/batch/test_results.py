"""Lines of a batch's output as answers and failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data_juicer_ext.models.batch.results import BatchLine, decision_of_batch, failure, read_lines, result_of
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.retry import RetryDecision
from data_juicer_ext.models.types import Answer, Failure, Message, Request, Result, Usage

URL = "https://api.example.com/v1/chat/completions"
CONFIG = EndpointConfig(model="asked-for", base_url="https://api.example.com/v1")
REQUEST = Request((Message("user", "x" * 40),), "t")


def lines(*values: Any) -> list[BatchLine]:
    return list(read_lines("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values).encode(), URL))


def response(key: str = "k", status: Any = 200, **body: Any) -> dict[str, Any]:
    return {"custom_id": key, "response": {"status_code": status, "body": body}, "error": None}


def completion(text: str | None = "B", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "model": "answered-by", **more}


def result(value: dict[str, Any]) -> Result:
    (line,) = lines(value)
    return result_of(line, CONFIG, REQUEST, 2.5, 3)


def test_an_answer_with_what_the_provider_says_of_it() -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    assert result(response(**completion(usage=usage))) == Answer("B", "answered-by", "stop", Usage(11, 7), 2.5, 3)


def test_tokens_that_are_not_told_are_estimated_and_the_model_is_the_one_asked_for() -> None:
    found = result(response(**completion("y" * 40, model="")))
    assert isinstance(found, Answer) and found.model == "asked-for"
    assert found.usage.estimated and found.usage.completion_tokens == 10 and found.usage.prompt_tokens >= 10


@pytest.mark.parametrize(
    ("value", "kind", "retryable"),
    [
        (response(status=400, error={"message": "no", "code": "bad"}), "bad_request", False),
        (response(status=429, error={"message": "slow down"}), "rate_limit", True),
        (response(status=500, error={"message": "boom"}), "server", True),
        (response(status="200"), "server", True),
        ({"custom_id": "k", "response": None, "error": {"code": "batch_expired", "message": "late"}}, "server", True),
        ({"custom_id": "k"}, "server", True),
        (response(**completion("")), "empty", True),
    ],
)  # fmt: skip
def test_what_brought_no_answer_is_a_failure(value: dict[str, Any], kind: str, retryable: bool) -> None:
    found = result(value)
    assert isinstance(found, Failure)
    assert (found.kind, found.retryable, found.seconds, found.tries) == (kind, retryable, 2.5, 3)
    assert found.message.startswith("endpoint api.example.com ")


def test_an_answer_without_text_was_paid_for() -> None:
    found = result(response(**completion("", usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})))
    assert found.usage == Usage(11, 7)
    assert result(response(status=500)).usage == Usage()


def test_an_expired_request_is_known_as_one() -> None:
    expired, other, silent = lines(
        {"custom_id": "a", "error": {"code": "batch_expired"}}, {"custom_id": "b", "error": {"code": "else"}},
        {"custom_id": "c", "error": "text"},
    )  # fmt: skip
    assert (expired.key, expired.expired) == ("a", True) and not other.expired and not silent.expired
    assert "text" in str(silent.outcome)


def test_lines_that_name_no_request_are_left_out() -> None:
    found = lines("{broken", "[1]", {"custom_id": 7}, {"response": {}}, response("good", **completion()))
    assert [line.key for line in found] == ["good"]


def test_a_key_is_in_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "Zq81-very-secret")
    found = failure(CONFIG, RetryDecision("no", "auth", "said: Zq81-very-secret"))
    assert "very-secret" not in found.message and found.tries == 0 and found.usage == Usage()
    assert failure(CONFIG, RetryDecision("no", "bad_image", "f.png: no image")).message == "f.png: no image"


@pytest.mark.parametrize(
    ("batch", "verdict", "kind", "says"),
    [
        ({"status": "expired"}, "transient", "server", "ended the batch as expired"),
        ({}, "transient", "server", "ended the batch as unknown"),
        ({"status": "failed", "errors": {"data": [{"code": "token_limit_exceeded", "message": "queue"}]}}, "no",
         "rate_limit", "ended the batch as failed: queue"),
        ({"status": "failed", "errors": {"data": [{"code": "invalid"}, {"message": "second"}]}}, "no", "bad_request",
         "ended the batch as failed: invalid"),
        ({"status": "failed", "errors": {"data": []}}, "no", "bad_request", "ended the batch as failed"),
        ({"status": "failed", "errors": "text"}, "no", "bad_request", "ended the batch as failed"),
        ({"status": "failed", "errors": {"data": ["text"]}}, "no", "bad_request", "ended the batch as failed"),
    ],
)  # fmt: skip
def test_why_a_whole_batch_brought_nothing(batch: dict[str, Any], verdict: str, kind: str, says: str) -> None:
    found = decision_of_batch(batch)
    assert (found.verdict, found.kind, found.detail, found.answered) == (verdict, kind, says, verdict == "no")
