"""What a run may spend: no request goes out once its cost or its number of calls is reached.

What is in flight then is waited for and stored; the rest is undecided, and the same command goes on
with a higher limit. One budget serves one process, or on Ray the governor that all workers ask.
"""

import math
import threading
from dataclasses import dataclass

from data_juicer_ext.errors import UsageError
from data_juicer_ext.models.types import Failure


@dataclass(frozen=True)
class Spent:
    """What a run has spent so far. `cost` is in US dollars, without the `unpriced_calls`.

    `calls` are those that ended, `in_flight` those that did not yet.
    """

    cost: float = 0.0
    calls: int = 0
    unpriced_calls: int = 0
    in_flight: int = 0


class Budget:
    """Limits of a run: `max_cost` in US dollars, `max_calls` in calls; 0 is no limit. Thread-safe.

    `spent_cost` and `spent_calls` are what earlier runs into the same folder spent. `max_calls` is
    never exceeded. `max_cost` is exceeded by at most what is in flight when it is reached, as the
    cost of a call is known only afterwards. Calls whose price is unknown cost nothing here and are
    counted apart: only `max_calls` can hold those. Raises UsageError for a negative number.
    """

    def __init__(
        self, max_cost: float = 0.0, max_calls: int = 0, spent_cost: float = 0.0, spent_calls: int = 0
    ) -> None:
        given = (max_cost, max_calls, spent_cost, spent_calls)
        for name, value in zip(("max_cost", "max_calls", "spent_cost", "spent_calls"), given, strict=True):
            if not 0 <= value < math.inf:
                raise UsageError(f"{name}: {value!r} will not do, allowed: 0 (no limit) or a positive number")
        self.max_cost, self.max_calls = max_cost, max_calls
        self._cost, self._calls = spent_cost, spent_calls
        self._unpriced = self._in_flight = 0
        self._lock = threading.Lock()

    def admit(self) -> Failure | None:
        """Let one call go out (None), or say why not. After None, `spend` or `release` must follow."""
        with self._lock:
            reason = self._reached()
            if not reason:
                self._in_flight += 1
                return None
        text = f"{reason}: no new request goes out. Raise the limit and run the same command again to go on"
        return Failure("budget", text, retryable=True, tries=0)

    def spend(self, cost: float | None) -> None:
        """An admitted call has ended and cost `cost` US dollars; None where the price is unknown."""
        with self._lock:
            self._in_flight -= 1
            self._calls += 1
            self._cost += cost or 0.0
            self._unpriced += cost is None

    def release(self) -> None:
        """An admitted call was not sent after all."""
        with self._lock:
            self._in_flight -= 1

    @property
    def spent(self) -> Spent:
        """What has been spent, earlier runs included."""
        with self._lock:
            return Spent(self._cost, self._calls, self._unpriced, self._in_flight)

    def _reached(self) -> str:
        if self.max_calls and self._calls + self._in_flight >= self.max_calls:
            return f"max_calls ({self.max_calls}) is reached"
        if self.max_cost and self._cost >= self.max_cost:
            return f"max_cost ({self.max_cost:.2f} US dollars) is reached, {self._cost:.2f} are spent"
        return ""
