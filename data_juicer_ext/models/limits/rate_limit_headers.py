"""What a provider says is left of its limits, so that calls slow down before they are refused.

Many send `x-ratelimit-limit-*`, `-remaining-*` and `-reset-*` for requests and tokens with every
response. Such a limit refills evenly and `reset` is the time until it is full again (OpenAI, Groq,
Azure), which gives the rate; without the limit's size, nothing goes until the reset.
"""

import math
from collections import deque
from collections.abc import Mapping

from data_juicer_ext.models.http.retry import wait_asked

TRANSIT_S = 1.0  # a call that went out so recently may not be in the provider's count yet


class Allowance:
    """A mirror of one limit at the provider. `now` is one monotonic clock in seconds.

    `name` is `requests` or `tokens`. Before the first response nothing is known and nothing waits.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = math.inf
        self._size = math.inf
        self._rate = 0.0  # a second; 0: not known
        self._told_at = 0.0
        self._full_at = 0.0
        self._owed = 0.0
        self._transit: deque[tuple[float, float]] = deque()

    def told(self, headers: Mapping[str, str], now: float) -> None:
        """Take over what the headers of a response say; one that says nothing ends what was known."""
        if self._transit:  # one call has come back
            self._transit.popleft()
        left = _number(headers.get(f"x-ratelimit-remaining-{self._name}"))
        said = "" if left is None else headers.get(f"x-ratelimit-reset-{self._name}", "")
        reset = wait_asked({"x-ratelimit-reset": said}) if said else None
        size = _number(headers.get(f"x-ratelimit-limit-{self._name}"))
        if left is None or reset is None or size == 0:
            self._left, self._rate, self._full_at = math.inf, 0.0, now
            return
        self._left = left - self._owed - self._in_transit(now)
        self._size = math.inf if size is None else size
        self._rate = (size - left) / reset if size is not None and size > left and reset > 0 else 0.0
        self._told_at = now
        self._full_at = now + reset

    def take(self, amount: float, now: float) -> float:
        """Take `amount` and give the seconds to wait; call `paid` once that time is over."""
        self._refill(now)
        self._left -= amount
        self._owed += amount
        if self._left >= 0 or math.isinf(self._left):
            return 0.0
        if self._rate:
            return -self._left / self._rate
        return max(0.0, self._full_at - now)

    def paid(self, amount: float, now: float) -> None:
        """What was taken is on its way now: the provider's next count holds it, or the one after."""
        self._owed -= amount
        self._transit.append((now, amount))
        self._drop_counted(now)

    def _in_transit(self, now: float) -> float:
        self._drop_counted(now)
        return sum(amount for _, amount in self._transit)

    def _drop_counted(self, now: float) -> None:
        while self._transit and self._transit[0][0] < now - TRANSIT_S:
            self._transit.popleft()

    def _refill(self, now: float) -> None:
        if self._rate:
            self._left = min(self._size, self._left + (now - self._told_at) * self._rate)
            self._told_at = now
        elif now >= self._full_at:
            self._left = math.inf


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0.0 <= number < math.inf else None
