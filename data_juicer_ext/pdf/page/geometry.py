"""Rectangles on a page: points, origin top left, y downwards."""

from collections.abc import Iterable
from typing import NamedTuple


class Rect(NamedTuple):
    """Left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Right minus left."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Bottom minus top."""
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        """Square points; 0 for a rectangle that is turned inside out."""
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        """The point in its middle."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def shared_width(self, other: "Rect") -> float:
        """How much of the horizontal extents is common; negative: the gap between them."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def shared_height(self, other: "Rect") -> float:
        """How much of the vertical extents is common; negative: the gap between them."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def meets(self, other: "Rect") -> bool:
        """Whether the two overlap."""
        return self.shared_width(other) > 0 and self.shared_height(other) > 0

    def holds(self, other: "Rect", slack: float = 1.0) -> bool:
        """Whether `other` lies inside, `slack` points beyond each edge allowed."""
        return (
            self.x0 - slack <= other.x0 and self.y0 - slack <= other.y0
            and other.x1 <= self.x1 + slack and other.y1 <= self.y1 + slack
        )  # fmt: skip

    def holds_middle(self, other: "Rect") -> bool:
        """Whether the middle of `other` lies inside."""
        x, y = other.middle
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def cut(self, other: "Rect") -> "Rect":
        """What the two have in common (turned inside out where that is nothing)."""
        return Rect(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))

    def share(self, other: "Rect") -> float:
        """The share of this rectangle's area that lies in `other`, 0 to 1."""
        return self.cut(other).area / self.area if self.meets(other) and self.area else 0.0

    def grown(self, across: float, down: float | None = None) -> "Rect":
        """Larger by `across` on the left and right, and by `down` (else the same) above and below."""
        down = across if down is None else down
        return Rect(self.x0 - across, self.y0 - down, self.x1 + across, self.y1 + down)


def union(rects: Iterable[Rect]) -> Rect:
    """The smallest rectangle around all of `rects` (at least one)."""
    xs0, ys0, xs1, ys1 = zip(*rects, strict=True)
    return Rect(min(xs0), min(ys0), max(xs1), max(ys1))
