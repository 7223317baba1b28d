"""Reads the output of a batch: one line per request, as an answer or a failure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.completion import Completion, read_completion
from data_juicer_ext.models.http.messages import CHARACTERS_PER_TOKEN, prompt_tokens
from data_juicer_ext.models.http.retry import RetryDecision, decide, short
from data_juicer_ext.models.http.transport import _httpx, redact, status_error
from data_juicer_ext.models.types import Answer, Failure, Request, Result, Usage

EXPIRED = "batch_expired"


@dataclass(frozen=True)
class BatchLine:
    """What came back for one request: a completion, or the error in its place."""

    key: str
    outcome: Completion | Exception
    expired: bool = False


def read_lines(raw: bytes, url: str) -> Iterator[BatchLine]:
    """The lines of an output or error file; those that are no JSON object with a `custom_id` are left out."""
    request = _httpx.Request("POST", url)
    for text in raw.splitlines():
        try:
            data = json.loads(text)
        except ValueError:
            continue
        if isinstance(data, dict) and isinstance(data.get("custom_id"), str):
            yield _line(data, request)


def _line(data: Mapping[str, Any], request: Any) -> BatchLine:
    key, error = data["custom_id"], data.get("error")
    response = data.get("response")
    if not isinstance(response, dict):
        told = error if isinstance(error, dict) else {"message": str(error or "no response")}
        raised = status_error(500, [], json.dumps({"error": told}).encode(), request)
        return BatchLine(key, raised, expired=told.get("code") == EXPIRED)
    status, body = response.get("status_code"), response.get("body")
    if status == 200 and isinstance(body, dict):
        return BatchLine(key, read_completion(body))
    raw = json.dumps(body).encode()
    return BatchLine(key, status_error(status if isinstance(status, int) else 500, [], raw, request))


def result_of(line: BatchLine, config: EndpointConfig, request: Request, seconds: float, tries: int) -> Result:
    """The answer or failure in a line."""
    outcome = line.outcome
    usage = _usage(outcome, request) if isinstance(outcome, Completion) else Usage()
    decision = decide(outcome)
    if isinstance(outcome, Completion) and decision is None:
        model = outcome.model or config.model
        return Answer(
            outcome.text, model, outcome.finish_reason, usage, seconds, tries, top_logprobs=outcome.top_logprobs
        )
    assert decision is not None
    return failure(config, decision, seconds, tries, usage)


def failure(
    config: EndpointConfig, decision: RetryDecision, seconds: float = 0.0, tries: int = 0, usage: Usage | None = None
) -> Failure:
    """The failure that `decision` makes of a request in a batch."""
    subject = "" if decision.kind == "bad_image" else f"endpoint {config.endpoint} "
    message = redact(f"{subject}{decision.detail}", config.key())
    return Failure(decision.kind, message, decision.retryable, seconds, tries, usage or Usage())


def decision_of_batch(batch: Mapping[str, Any]) -> RetryDecision:
    """Why a batch that ended without output brought no answers."""
    status = str(batch.get("status") or "unknown")
    errors = batch.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    code, message = str(first.get("code") or ""), str(first.get("message") or "")
    detail = short(f"ended the batch as {status}" + (f": {message or code}" if first else ""))
    if status != "failed":
        return RetryDecision("transient", "server", detail, answered=False)
    if code == "token_limit_exceeded":  # too much is queued already: a later run gets through
        return RetryDecision("no", "rate_limit", detail)
    return RetryDecision("no", "bad_request", detail)


def _usage(completion: Completion, request: Request) -> Usage:
    if completion.usage is not None:
        return completion.usage
    return Usage(prompt_tokens(request), completion.raw_length // CHARACTERS_PER_TOKEN, estimated=True)
