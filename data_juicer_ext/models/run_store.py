"""The response store of a run folder, for whichever executor runs into it.

One machine writes a SQLite file; on Ray every worker process appends to a segment file of its own
in the shared run folder. Each also reads what the other kind has left, so that a run that moves
from a laptop to a cluster pays for nothing twice.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data_juicer_ext.models.segment_store import SegmentStore
from data_juicer_ext.models.sqlite_store import SqliteStore
from data_juicer_ext.models.store import Store, StoreError
from data_juicer_ext.models.store_admin import SEGMENTS_FOLDER, SQLITE_FILE
from data_juicer_ext.models.types import Answer


class RunStore:
    """As much of a store as calls need: `get`, `put_async` and `refresh`. On Ray, the run folder has to be there."""

    def __init__(self, run_dir: Path, on_ray: bool) -> None:
        if on_ray and not run_dir.is_dir():  # a node with a store of its own would pay for all again
            raise StoreError(
                f"{socket.gethostname()} does not see the run folder {run_dir}: it must lie where all nodes of the "
                "cluster share it"
            )
        folder = run_dir / "store"
        folder.mkdir(parents=True, exist_ok=True)
        sqlite, segments = folder / SQLITE_FILE, folder / SEGMENTS_FOLDER
        self._own: Store = SegmentStore(segments) if on_ray else SqliteStore(sqlite)
        self._other: Store | None = None
        if on_ray and sqlite.is_file():
            self._other = SqliteStore(sqlite)
        elif not on_ray and segments.is_dir():
            self._other = SegmentStore(segments, read_only=True)

    def get(self, key: str) -> Answer | None:
        """The answer under `key`, marked `from_store`; None if there is none. Raises StoreError."""
        found = self._own.get(key)
        return found if found is not None or self._other is None else self._other.get(key)

    async def put_async(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """Store an answer; on disk when this returns. Raises StoreError."""
        await self._own.put_async(key, answer, about)

    def refresh(self) -> None:
        """See what other processes have stored since; a task that Ray runs again finds its answers."""
        if isinstance(self._own, SegmentStore):
            self._own.refresh()

    def close(self) -> None:
        """Close the files."""
        for store in (self._own, self._other):
            if store is not None:
                store.close()
