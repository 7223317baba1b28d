"""An amount that is not known exactly: its likeliest value, and the ends of its 80% interval."""

import math
from dataclasses import dataclass

CONFIDENCE = 0.8


@dataclass(frozen=True)
class Range:
    """`low` and `high` are the ends of the 80% interval; all three are equal where the amount is known."""

    low: float
    likely: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Range":
        """An amount that is known."""
        return cls(value, value, value)

    @property
    def known(self) -> bool:
        """Whether there is nothing uncertain about it."""
        return self.low == self.high

    def times(self, factor: float) -> "Range":
        """The amount times a known factor, 0 or more."""
        return Range(self.low * factor, self.likely * factor, self.high * factor)

    def plus(self, other: "Range") -> "Range":
        """The sum of two amounts that err independently of each other."""
        below = math.hypot(self.likely - self.low, other.likely - other.low)
        above = math.hypot(self.high - self.likely, other.high - other.likely)
        likely = self.likely + other.likely
        return Range(max(0.0, likely - below), likely, likely + above)

    def widened(self, relative: float) -> "Range":
        """The amount times a factor of about 1 that is itself uncertain: `relative` is half its 80% interval."""
        apart = relative * self.likely
        low = self.likely - math.hypot(self.likely - self.low, apart)
        return Range(max(0.0, low), self.likely, self.likely + math.hypot(self.high - self.likely, apart))

    def in_whole_rows(self) -> "Range":
        """Both ends moved outwards to whole numbers, as a count can only be one."""
        if self.known:
            return Range.exact(float(round(self.likely)))
        return Range(float(math.floor(self.low)), self.likely, float(math.ceil(self.high)))
