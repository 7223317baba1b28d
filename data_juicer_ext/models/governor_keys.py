"""Keys that were handed to this process in memory, for the variables that its environment lacks.

They go from process to process as the argument or the value of a method call, and stand in no
environment, runtime environment, file or log.
"""

from __future__ import annotations

from collections.abc import Mapping


class Keys:
    """Keys by the name of their environment variable; shows the names only."""

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        self._keys = {name: key for name, key in (keys or {}).items() if key}

    def get(self, name: str) -> str:
        """The key, "" if there is none."""
        return self._keys.get(name, "")

    def take(self, other: Keys) -> None:
        """Add the keys of `other`, which replace those of the same name."""
        self._keys.update(other._keys)

    def only(self, name: str) -> Keys:
        """Just the key under `name`, if it is there."""
        return Keys({name: self.get(name)})

    def __bool__(self) -> bool:
        return bool(self._keys)

    def __repr__(self) -> str:
        return f"Keys({', '.join(f'{name}=***' for name in self._keys)})"


# What this process was handed.
HANDED = Keys()
