"""Knows when an endpoint is dead, so that a batch does not wait out its deadline thousands of times.

The rule: at least `FAILURES` failures in a row, over at least the time that a single request
would be retried, and nothing else in between. A short outage therefore costs no row.
"""

from dataclasses import dataclass

FAILURES = 20
AWAY_FAILURES = 5  # in a row, after which it is the endpoint that ails and not one request
# An endpoint that never answered is given up sooner: a wrong address or a server
# that was not started is likelier than an outage.
FIRST_PATIENCE_S = 60.0
COOL_DOWN_S = 30.0  # a dead endpoint gets one try in this time, and is alive again when that works


@dataclass
class Address:
    """What the endpoints of several models share that lie at one address.

    `alive`: it has answered a call to any of them, in this process or, as far as that is known here, in
    another one of the run. So it is no wrong address, and will be back if it goes away.
    """

    alive: bool = False


class Breaker:
    """Counts failures of one endpoint. Times are of one monotonic clock, in seconds."""

    def __init__(self, deadline: float, address: Address) -> None:
        self._patience = deadline
        self._first_patience = min(deadline, FIRST_PATIENCE_S)
        self._cool_down = min(COOL_DOWN_S, deadline / 10.0)
        self._address = address
        self._failures = 0
        self._since = 0.0
        self._next_probe = 0.0

    def note(self, answered: bool, started: float, now: float) -> None:
        """Count a try that began at `started`: `answered` if the endpoint showed that it is alive."""
        if answered:
            self._address.alive = True
            self._failures = 0
            return
        if self._failures == 0:
            self._since = started
        self._failures += 1

    def away(self, now: float) -> bool:
        """Whether the endpoint answers nobody now, and may yet come."""
        return self._failures >= AWAY_FAILURES and not self.never_came(now)

    def never_came(self, now: float) -> bool:
        """Whether the endpoint has never answered, and long enough."""
        long = now - self._since >= self._first_patience
        return not self._address.alive and self._failures >= AWAY_FAILURES and long

    def refuses(self, now: float) -> bool:
        """Whether a call should not go out now; after each cool-down one may."""
        patience = self._patience if self._address.alive else self._first_patience
        if self._failures < FAILURES or now - self._since < patience:
            return False
        if now >= self._next_probe:
            self._next_probe = now + self._cool_down
            return False
        return True
