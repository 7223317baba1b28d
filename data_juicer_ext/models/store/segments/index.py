"""Where every answer of a segment store lies, as one process knows it."""

from collections.abc import Collection

from data_juicer_ext.models.store.segments.files import Joined

_OFFSET_BITS = 44  # of a position: a segment may grow to 16 TiB
_OFFSET_MASK = (1 << _OFFSET_BITS) - 1
_GONE = ("", 0)


class SegmentIndex:
    """From key (32 bytes) to segment and offset. `ends`: up to where each segment was looked at.

    The first place that is added for a key stays, until its segment is gone.
    """

    def __init__(self) -> None:
        self.ends: dict[str, int] = {}
        # A position is a segment's number and the offset in one int: a third of a tuple's memory.
        self._positions: dict[bytes, int] = {}
        # By number: the segment that holds the lines now, and how much further on. So a join moves no position.
        self._segments: list[tuple[str, int]] = []
        self._numbers: dict[str, list[int]] = {}
        self._own_number: dict[str, int] = {}  # of segments whose lines are where they were added

    def __contains__(self, key: bytes) -> bool:
        return key in self._positions

    def held(self) -> list[bytes]:
        """All keys, in the order in which they were added."""
        return list(self._positions)

    def find(self, key: bytes) -> tuple[str, int]:
        """The segment and the offset of the line under `key`. Raises KeyError; FileNotFoundError if that is gone."""
        position = self._positions[key]
        name, shift = self._segments[position >> _OFFSET_BITS]
        if not name:
            raise FileNotFoundError(f"the segment that held {key.hex()} is gone")
        return name, (position & _OFFSET_MASK) + shift

    def add(self, name: str, key: bytes, offset: int) -> None:
        """Note that the line under `key` begins at `offset` of a segment."""
        number = self._own_number.get(name)
        if number is None:
            number = self._own_number[name] = len(self._segments)
            self._segments.append((name, 0))
            self._numbers.setdefault(name, []).append(number)
        held = self._positions.get(key)
        if held is None or self._segments[held >> _OFFSET_BITS] == _GONE:
            self._positions[key] = number << _OFFSET_BITS | offset

    def move(self, joined: Joined) -> None:
        """Note that the lines of some segments lie in a joined one from now on."""
        if all(name in self.ends for name in joined.shifts):
            self.ends[joined.name] = joined.size  # else it is looked through, as it holds lines that are new here
        numbers = self._numbers.setdefault(joined.name, [])
        for name, further in joined.shifts.items():
            for number in self._forget(name):
                self._segments[number] = (joined.name, self._segments[number][1] + further)
                numbers.append(number)

    def keep_only(self, names: Collection[str]) -> None:
        """Note that all other segments are gone."""
        for name in self.ends.keys() - set(names):
            for number in self._forget(name):
                self._segments[number] = _GONE

    def _forget(self, name: str) -> list[int]:
        self.ends.pop(name, None)
        self._own_number.pop(name, None)
        return self._numbers.pop(name, [])
