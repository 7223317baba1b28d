"""What to do about a call that did not bring a usable answer: one pure function, `decide`.

It reads the OpenAI SDK's exceptions (and what lies under them) or a response, with the wait that its headers ask for,
and gives a frozen `RetryDecision`. Nothing here sleeps, counts or knows a client.
"""

import json
import random
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeAlias

from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.types import FailureKind

# `x-ratelimit-reset-*` counts to the time when a limit is wholly free again, and some capacity
# returns much earlier; so it is followed up to one minute, the window of most limits.
RESET_CAP_S = 60.0
_EPOCH_S = 1e9  # a greater number of seconds is a date
_EPOCH_MS = 1e12
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def wait_asked(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait, or None where the headers do not say.

    Read in this order: `retry-after-ms`, `retry-after` (seconds or an HTTP date), the `x-ratelimit-reset-requests` and
    `-tokens` of limits that are used up, `x-ratelimit-reset`. `now` is Unix time.
    """
    now = time.time() if now is None else now
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(lower.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000.0
    if lower.get("retry-after"):
        return _seconds_or_date(lower["retry-after"], now)
    waits = [_until_reset(lower, limit, now) for limit in ("-requests", "-tokens", "")]
    known = [wait for wait in waits if wait is not None]
    return min(RESET_CAP_S, max(known)) if known else None


def _until_reset(headers: Mapping[str, str], limit: str, now: float) -> float | None:
    left = _number(headers.get(f"x-ratelimit-remaining{limit}", "0"))
    return None if left else _span(headers.get(f"x-ratelimit-reset{limit}", ""), now)


def _seconds_or_date(text: str, now: float) -> float | None:
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _span(text: str, now: float) -> float | None:
    """Seconds of "1.5", "6m0s", "120ms", or until a Unix time in seconds or milliseconds."""
    number = _number(text)
    if number is None:
        parts = _SPAN.findall(text[:64])
        if not parts or "".join(size + unit for size, unit in parts) != text:
            return None
        return sum(float(size) * _UNITS[unit] for size, unit in parts)
    if number > _EPOCH_MS:
        number /= 1000.0
    return max(0.0, number - now) if number > _EPOCH_S else number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0.0 <= number < float("inf") else None


RetryVerdict: TypeAlias = Literal["no", "transient", "rate_limit"]

MAX_BACKOFF_S = 30.0
BACKOFF_DOUBLINGS = 6
CUT = " ..."
DETAIL_LENGTH = 300  # characters of a provider's message that a user gets to see

# Codes of OpenAI, DashScope and Azure, and the names of litellm's exceptions, which have no code.
_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded", "arrearage"}
_CONTEXT = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length",
            "contextwindowexceedederror"}  # fmt: skip
_FILTER = {"content_filter", "content_policy_violation", "data_inspection_failed", "responsibleaipolicyviolation",
           "contentpolicyviolationerror"}  # fmt: skip
_IMAGE = {"invalid_image", "invalid_image_format", "image_parse_error", "invalid_image_url", "image_too_large",
          "unsupported_image_media_type", "invalid_base64_image", "empty_image_file"}  # fmt: skip
_CONTEXT_WORDS = ("maximum context length", "context window", "context size", "prompt is too long", "too many tokens")
_FILTER_WORDS = ("content management policy", "content exists risk", "inappropriate content")
_TRANSIENT_4XX = (408, 409, 425)
_NOBODY = (502, 503)  # a gateway has none to hand a request to; at 504 one may be at work on it
# How a generation ends on the provider's side without being done.
_BROKEN_OFF = {"error", "abort", "insufficient_system_resource", "unavailable"}
_LATER = ("network", "timeout", "rate_limit", "server", "empty", "auth")


@dataclass(frozen=True)
class RetryDecision:
    """Whether a call is made again, and what it failed by.

    `verdict`: `no` (never again in this run), `transient` (again after a backoff), `rate_limit`
    (again, and every other call to the endpoint waits too). `after` is the wait in seconds that the
    provider asks for, if it does. `detail` is for users: what the endpoint did. `answered`: the endpoint
    is alive, for it sent something other than a server error. `paid`: tokens were generated and are likely
    charged. `nobody`: no model has seen the request, for nobody took it.
    """

    verdict: RetryVerdict
    kind: FailureKind
    detail: str
    after: float | None = None
    answered: bool = True
    paid: bool = False
    nobody: bool = False

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed in a later run."""
        return self.kind in _LATER or self.verdict == "transient"


def decide(outcome: BaseException | Completion) -> RetryDecision | None:
    """What to do after `outcome`; None for a completion that is a usable answer."""
    return _of_completion(outcome) if isinstance(outcome, Completion) else _of_exception(outcome)


def backoff(tries: int, first: float, rng: random.Random) -> float:
    """Seconds to wait after `tries` (from 1) failed tries.

    Doubles from `first` on, at most `BACKOFF_DOUBLINGS` times and to `MAX_BACKOFF_S`; a random half
    of it is left out, so that many calls that failed together do not return together.
    """
    longest = min(MAX_BACKOFF_S, first * 2.0 ** min(tries - 1, BACKOFF_DOUBLINGS))
    return longest * rng.uniform(0.5, 1.0)


def _of_completion(completion: Completion) -> RetryDecision | None:
    reason = completion.finish_reason
    if completion.error:
        code = completion.error_code
        status = int(code) if code.isdigit() and 400 <= int(code) < 600 else 500
        return _of_status(status, code, completion.error, {})
    if reason == "content_filter":
        return RetryDecision("no", "content_filter", "stopped the answer by its content filter", paid=True)
    if reason == "length":
        return RetryDecision("no", "cut_off", "cut the answer off at the token limit; raise max_tokens", paid=True)
    if reason in _BROKEN_OFF:
        return RetryDecision("transient", "server", f"broke the answer off ({reason})", answered=False, paid=True)
    if not completion.text:
        return RetryDecision("transient", "empty", "gave an answer without text", paid=True)
    return None


def _of_exception(error: BaseException) -> RetryDecision:
    import openai  # half a second to import: paid by those who call an endpoint, not by everyone

    if isinstance(error, openai.APIStatusError):
        code = str(error.code or getattr(error, "type", "") or type(error).__name__)
        return _of_status(error.status_code, code, provider_message(error), error.response.headers)
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return RetryDecision("no", "content_filter", "stopped the answer by its content filter", paid=True)
    if isinstance(error, openai.LengthFinishReasonError):
        return RetryDecision("no", "cut_off", "cut the answer off at the token limit; raise max_tokens", paid=True)
    if isinstance(error, ImageError):
        return RetryDecision("no", "bad_image", short(str(error)))
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | openai.APIResponseValidationError):
        return _of_body(error)
    return _of_connection(error)


def _of_connection(error: BaseException) -> RetryDecision:
    import asyncio

    import aiohttp
    import openai

    cause = error.__cause__ or error
    nobody = isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
    if isinstance(error, openai.APITimeoutError | TimeoutError | asyncio.TimeoutError):
        return RetryDecision("transient", "timeout", "gave no answer in time", answered=False, nobody=nobody)
    if isinstance(error, openai.APIConnectionError | OSError):
        certificate = isinstance(cause, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY" in str(cause)
        text = str(cause) or type(cause).__name__
        detail = f"could not be reached: {short(text)}"
        return RetryDecision("no" if certificate else "transient", "network", detail, answered=False, nobody=nobody)
    return RetryDecision("no", "internal", short(f"{type(error).__name__}: {error}"))


def _of_body(error: Exception) -> RetryDecision:
    document = error.doc.strip() if isinstance(error, json.JSONDecodeError) else "?"
    if not document:
        return RetryDecision("transient", "empty", "sent an empty response", paid=True)
    if document.startswith("<"):
        return RetryDecision("no", "bad_request", "sent a web page instead of JSON; check base_url")
    return RetryDecision("transient", "cut_off", "sent JSON that is cut off or broken", paid=True)


def _of_status(status: int, code: str, message: str, headers: Mapping[str, str]) -> RetryDecision:
    detail = f"answered {status}: {short(message)}" if message else f"answered {status}"
    code, low = code.lower(), message.lower()
    if code in _FILTER or any(word in low for word in _FILTER_WORDS):
        return RetryDecision("no", "content_filter", detail)
    if code in _CONTEXT or (status in (400, 413) and any(word in low for word in _CONTEXT_WORDS)):
        return RetryDecision("no", "bad_request", f"{detail} (the request is longer than the model's context)")
    if status == 402 or (status == 429 and (code in _QUOTA or "exceeded your current quota" in low)):
        return RetryDecision("no", "rate_limit", f"{detail} (the account has no quota left)")
    if status == 429:
        return RetryDecision("rate_limit", "rate_limit", detail, wait_asked(headers))
    if status >= 500 or status in _TRANSIENT_4XX:
        after, nobody = wait_asked(headers), status in _NOBODY
        return RetryDecision("transient", "server", detail, after, answered=False, nobody=nobody)
    if status in (401, 403):
        return RetryDecision("no", "auth", detail)
    return RetryDecision("no", "bad_image" if code in _IMAGE else "bad_request", detail)


def provider_message(error: Any) -> str:
    """What the provider said in an `openai.APIStatusError`, without the SDK's words around it."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error") if isinstance(body.get("error"), Mapping) else body
        for name in ("message", "detail", "error"):
            if isinstance(inner, Mapping) and inner.get(name):
                return str(inner[name])
    return str(body) if body else str(error.message)


def short(text: str) -> str:
    """One line of at most `DETAIL_LENGTH` characters, and a `CUT` if something was left out."""
    line = " ".join(text[: 4 * DETAIL_LENGTH].split())
    whole = len(line) <= DETAIL_LENGTH and len(text) <= 4 * DETAIL_LENGTH
    return line if whole else line[:DETAIL_LENGTH] + CUT
