"""Notes on what was left out of a paper, few enough to be read."""

_SHOWN = 50
_NAME = 200


class Refusals:
    """Notes of one kind: the first 50 in words, the rest counted."""

    def __init__(self, what: str) -> None:
        """`what` is refused ("archive member", "file")."""
        self._what = what
        self._lines: list[str] = []
        self._more = 0

    def add(self, name: str, reason: str, verb: str = "refused") -> None:
        """Note that `name` was refused (or what else happened to it), and why."""
        if len(self._lines) < _SHOWN:
            self._lines.append(f"{self._what} {verb}: {name[:_NAME]!r}: {reason}")
        else:
            self._more += 1

    @property
    def lines(self) -> list[str]:
        """The notes, in order."""
        return self._lines + ([f"{self._what}s: {self._more} more notes like these"] if self._more else [])
