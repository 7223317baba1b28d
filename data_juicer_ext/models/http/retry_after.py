"""The wait that a provider asks for in its response headers."""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

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
    if left:
        return None
    return _span(headers.get(f"x-ratelimit-reset{limit}", ""), now)


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
