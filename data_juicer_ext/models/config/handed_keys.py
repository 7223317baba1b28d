"""Keys that were handed to this process in memory, for the variables that its environment lacks.

They go from process to process as the argument or the value of a method call, and stand in no
environment, runtime environment, file or log.
"""

from collections.abc import Mapping


class Keys:
    """Keys by the name of their environment variable, "" where it is known to hold none; shows the names only."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        self._keys = dict(keys or {})

    def get(self, name: str) -> str:
        """The key, "" if there is none."""
        return self._keys.get(name, "")

    def knows(self, name: str) -> bool:
        """Whether the key is here, or is known not to exist."""
        return name in self._keys

    def take(self, other: "Keys") -> None:
        """Add the keys of `other`, which replace those of the same name."""
        self._keys.update(other._keys)

    def only(self, name: str) -> "Keys":
        """Just what is known of `name`."""
        return Keys({name: self._keys[name]} if name in self._keys else {})

    def __bool__(self) -> bool:
        return any(self._keys.values())

    def __repr__(self) -> str:
        return f"Keys({', '.join(f'{name}=***' for name, key in self._keys.items() if key)})"


# What this process was handed.
HANDED = Keys()
