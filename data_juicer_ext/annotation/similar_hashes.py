"""Perceptual hashes that lie close to each other, found without comparing each with each.

Of two hashes that differ in at most d of their 64 bits, one of the four quarters differs in at most d // 4 (multi-index
hashing; Norouzi, Punjani, Fleet 2012). So only hashes that have a quarter nearly in common are compared.
"""

from itertools import combinations
from typing import Generic, TypeVar

from data_juicer_ext.figures.image_appearance import hamming

FARTHEST = 15  # bits: with more, a quarter has thousands of neighbours, and hashes tell nothing

_BITS = 16  # of a quarter
_STARTS = tuple(range(0, 4 * _BITS, _BITS))
_QUARTER = (1 << _BITS) - 1

Item = TypeVar("Item")


class NearHashes(Generic[Item]):
    """Items by their hash; `near` finds those within `most` bits of another one."""

    def __init__(self, most: int) -> None:
        """Raises ValueError for `most` outside 0 to 15."""
        if not 0 <= most <= FARTHEST:
            raise ValueError(f"hashes within {most} bits: allowed are 0 to {FARTHEST}")
        self.most = most
        self._changes = [
            sum(1 << bit for bit in bits)
            for changed in range(most // len(_STARTS) + 1)
            for bits in combinations(range(_BITS), changed)
        ]
        self._by_quarter: list[dict[int, list[int]]] = [{} for _ in _STARTS]
        self._items: dict[int, list[Item]] = {}

    def add(self, value: int, item: Item) -> None:
        """Put an item under its hash."""
        if value not in self._items:
            self._items[value] = []
            for start, values in zip(_STARTS, self._by_quarter, strict=True):
                values.setdefault(value >> start & _QUARTER, []).append(value)
        self._items[value].append(item)

    def near(self, value: int) -> list[tuple[int, Item]]:
        """The items within `most` bits with their distances, the nearest first, those of one distance by hash."""
        close: dict[int, int] = {}
        for start, values in zip(_STARTS, self._by_quarter, strict=True):
            quarter = value >> start & _QUARTER
            for change in self._changes:
                for other in values.get(quarter ^ change, ()):
                    if other not in close and (distance := hamming(value, other)) <= self.most:
                        close[other] = distance
        ordered = sorted((distance, other) for other, distance in close.items())
        return [(distance, item) for distance, other in ordered for item in self._items[other]]
