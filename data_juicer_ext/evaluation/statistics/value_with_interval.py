"""A statistic with its interval, or the words why it is not defined, never a NaN; shares with Wilson's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measure:
    """`value` with the ends `low` and `high` of its 95% interval (None where none was made).

    Where there is no value, it is None and `note` says "not defined: ..." and why.
    """

    value: float | None
    note: str = ""
    low: float | None = None
    high: float | None = None

    def shown(self, digits: int = 3) -> str:
        """For a table: "0.743", or "-" where it is not defined."""
        return "-" if self.value is None else f"{self.value:.{digits}f}"

    def interval(self, digits: int = 3) -> str:
        """For a table: "0.700 to 0.790", or "-" where there is none."""
        return "-" if self.low is None or self.high is None else f"{self.low:.{digits}f} to {self.high:.{digits}f}"

    def with_interval(self, digits: int = 3) -> str:
        """For a table: "0.743 (0.700 to 0.790)", the value alone where it has no interval."""
        return self.shown(digits) if self.low is None else f"{self.shown(digits)} ({self.interval(digits)})"


def undefined(why: str) -> Measure:
    """The measure that is not there, and why."""
    return Measure(None, f"not defined: {why}")


def finite(value: float, why: str) -> Measure:
    """`value` as a measure; not defined, for `why`, where it is no finite number."""
    return Measure(float(value)) if math.isfinite(value) else undefined(why)


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for CSV: a measure `m` as m, m_low, m_high and m_note, everything else as it is."""
    found = dict[str, Any]()
    for name, value in row.items():
        if isinstance(value, Measure):
            parts = (("", value.value), ("_low", value.low), ("_high", value.high), ("_note", value.note))
            found |= {f"{name}{ending}": part for ending, part in parts}
        else:
            found[name] = value
    return found


def notes(row: Mapping[str, Any], label: str = "") -> list[str]:
    """A line for each reason why measures of a row are not defined, with the measures' names."""
    reasons: dict[str, list[str]] = {}
    for name, value in row.items():
        if isinstance(value, Measure) and value.note:
            reasons.setdefault(value.note, []).append(name)
    before = f"{label}: " if label else ""
    return [f"{before}{', '.join(names)} {note}" for note, names in reasons.items()]


def share(hits: int, tried: int, what: str = "rows") -> Measure:
    """`hits` of `tried` as a share, 0 to 1, with Wilson's 95% score interval; not defined for none of `what`.

    Wilson's interval does not leave 0 to 1 and holds up for few rows and for shares near 0 or 1 (E. B. Wilson, 1927).
    Raises ValueError where hits are not within 0 and `tried`.
    """
    if not 0 <= hits <= tried:
        raise ValueError(f"{hits} of {tried} is no share")
    if not tried:
        return undefined(f"no {what}")
    from scipy import stats  # type: ignore[import-untyped]  # here, as it takes a second

    low, high = stats.binomtest(hits, tried).proportion_ci(method="wilson")
    return Measure(hits / tried, "", float(low), float(high))
