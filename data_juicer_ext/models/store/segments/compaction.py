"""Which small segments of a store on object storage are joined into one, and when."""

from collections import deque
from collections.abc import Mapping, Sequence

JOINED_AT_ONCE = 64
LARGE = 64_000_000  # bytes: such a segment is joined no more
MOST_LEFT = 256  # small segments that earlier writers may leave


class Joins:
    """What a writer has written and not yet joined.

    So many commits become one segment, so many of those one more, until they are large: every byte
    is written a few times, and what is left is a few segments of each size.
    """

    def __init__(self) -> None:
        self._levels: dict[int, dict[str, int]] = {}
        self._adopted: deque[list[str]] = deque()

    def wrote(self, name: str, size: int, level: int = 0) -> None:
        """Note a new segment of `size` bytes."""
        if size < LARGE:
            self._levels.setdefault(level, {})[name] = size

    def adopt(self, sizes: Mapping[str, int]) -> None:
        """Have what others have left joined, if it is much. `sizes` are those of all segments there are.

        Only neighbours are joined: no answer gets before another one that was older.
        """
        if sum(size < LARGE // 2 for size in sizes.values()) <= MOST_LEFT:
            return
        group: list[str] = []
        held = 0
        for name in sorted(sizes):
            if sizes[name] >= LARGE // 2 or held >= LARGE:
                self._adopt(group)
                group, held = [], 0
            if sizes[name] < LARGE // 2:
                group.append(name)
                held += sizes[name]
        self._adopt(group)

    def _adopt(self, group: list[str]) -> None:
        if len(group) > 1:
            self._adopted.append(group)

    def next(self) -> list[str]:
        """The segments to join next, oldest first; none if nothing is due."""
        if self._adopted:
            return self._adopted[0]
        for sizes in self._levels.values():
            if len(sizes) >= JOINED_AT_ONCE or (len(sizes) > 1 and sum(sizes.values()) >= LARGE):
                return sorted(sizes)
        return []

    def done(self, names: Sequence[str], joined: str = "", size: int = 0) -> None:
        """Note that those of `next` are joined, as the segment `joined`; without one they are left as they are."""
        if self._adopted and self._adopted[0] == names:
            self._adopted.popleft()
            return
        level, sizes = next((level, sizes) for level, sizes in self._levels.items() if names[0] in sizes)
        for name in names:
            del sizes[name]
        if joined:
            self.wrote(joined, size, level + 1)
