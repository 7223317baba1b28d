"""When a slow call is worth asking a second time, and how often at most.

A few calls of a batch take many times the median (a hung connection, a busy replica). A second copy
usually comes back at once, so a batch does not end in a wait for its slowest call, and a hang does
not hold a slot until its time-out. See Dean and Barroso, "The Tail at Scale", 2013.
"""

from bisect import bisect_left, insort
from collections import deque

EXTRA_SHARE = 0.05  # further copies per call, at most
ENOUGH = 20  # latencies of a task that must be known before a quantile of them says anything
WINDOW = 500
UNKNOWN_S = 0.5  # between two looks at a call while nothing is known of its like
LEAST_PATIENCE_S = 0.05  # what a second copy could save below that is noise


class Latencies:
    """The latencies in seconds of the last `WINDOW` answered calls of one task."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []

    def add(self, seconds: float) -> None:
        if len(self._recent) == WINDOW:
            del self._sorted[bisect_left(self._sorted, self._recent.popleft())]
        self._recent.append(seconds)
        insort(self._sorted, seconds)

    def quantile(self, share: float) -> float | None:
        """The latency that `share` of the calls stayed below; None while too few are known."""
        if len(self._sorted) < ENOUGH:
            return None
        return self._sorted[min(len(self._sorted) - 1, int(share * len(self._sorted)))]


class Hedging:
    """The rule of one endpoint. `quantile` (0 to 1) of the latencies is the patience; 0 is off.

    Calls differ by task (extracting claims takes longer than naming a letter), so latencies are kept for each. Second
    copies are paid from a bucket that each call fills by `EXTRA_SHARE` and that holds `burst` at most. Half of it is
    kept for calls that take twice the patience: these hang, while most of the others come without help.
    """

    def __init__(self, quantile: float, burst: float) -> None:
        self.on = quantile > 0
        self._quantile = quantile
        self._burst = max(2.0, burst)
        self._allowed = 0.0
        self._latencies: dict[str, Latencies] = {}

    def patience(self, task: str) -> float | None:
        """Seconds after which a call of `task` is slow; None while too little is known."""
        known = self._latencies.get(task)
        slow = known.quantile(self._quantile) if known else None
        return None if slow is None else max(slow, LEAST_PATIENCE_S)

    def began(self) -> None:
        """Count a call."""
        self._allowed = min(self._burst, self._allowed + EXTRA_SHARE)

    def look(self, task: str, elapsed: float) -> float:
        """At a call that went out `elapsed` seconds ago: seconds until the next look, or 0 for "another copy, now"."""
        patience = self.patience(task)
        if patience is None:
            return UNKNOWN_S
        if elapsed < patience:
            return patience - elapsed
        hangs = elapsed >= 2.0 * patience
        if self._allowed < (1.0 if hangs else 1.0 + self._burst / 2.0):
            return max(patience / 2.0, LEAST_PATIENCE_S)
        self._allowed -= 1.0
        return 0.0

    def answered(self, task: str, seconds: float) -> None:
        """Note a call that was answered `seconds` after its first copy went out."""
        if self.on:
            self._latencies.setdefault(task, Latencies()).add(seconds)
