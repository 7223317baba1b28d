"""The response store of a run folder, for whichever executor runs into it.

In a folder: one machine writes a SQLite file; on Ray every worker process appends to a segment file of its own in the
shared run folder. Each also reads what the other kind has left, so that a run that moves from a laptop to a cluster
pays for nothing twice. On object storage both write segments, and on Ray one actor does so for all workers.
"""

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from data_juicer_ext.models.store.administration import (
    FOLDER,
    SEGMENTS_FOLDER,
    SQLITE_FILE,
    Store,
    remote_segments,
)
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.models.store.store_actor import ActorStore, start
from data_juicer_ext.models.types import Answer
from data_juicer_ext.storage.addresses import as_path, is_remote


class RunStore:
    """As much of a store as calls need, in a run folder: a path, or an address of object storage.

    On Ray, a run folder that is a path has to be there. Raises StoreError.
    """

    def __init__(self, place: str | Path, on_ray: bool) -> None:
        self._other: Store | None = None
        self._own: Store | ActorStore
        if is_remote(place):
            segments = remote_segments(str(place))
            self._own = ActorStore(segments) if on_ray else SegmentStore(segments)
        else:
            self._own, self._other = _in_folder(as_path(place), on_ray)
        # Others write beside this process only into a folder that the workers of a Ray share.
        self._shared = self._own if on_ray and isinstance(self._own, SegmentStore) else None

    async def get_async(self, key: str) -> Answer | None:
        """The answer under `key`, marked `from_store`; None if there is none. Raises StoreError."""
        if isinstance(self._own, ActorStore):
            return await self._own.get_async(key)
        found = self._own.get(key)  # a read of a file on this machine: quicker than handing it to a thread
        return found if found is not None or self._other is None else self._other.get(key)

    async def put_async(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """Store an answer; on disk when this returns. Raises StoreError."""
        await self._own.put_async(key, answer, about)

    def refresh(self) -> None:
        """See what other processes have stored since; a task that Ray runs again finds its answers."""
        if self._shared is not None:
            self._shared.refresh()

    def close(self) -> None:
        """Close the files."""
        for store in (self._own, self._other):
            if store is not None:
                store.close()


def _in_folder(run_dir: Path, on_ray: bool) -> tuple[Store, Store | None]:
    """The store of this executor in a run folder, and the one that the other kind has left, if any."""
    if on_ray and not run_dir.is_dir():  # a node with a store of its own would pay for all again
        raise StoreError(
            f"{socket.gethostname()} does not see the run folder {run_dir}: it must lie where all nodes of the "
            "cluster share it"
        )
    folder = run_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    sqlite, segments = folder / SQLITE_FILE, folder / SEGMENTS_FOLDER
    if on_ray:
        return SegmentStore(segments), SqliteStore(sqlite) if sqlite.is_file() else None
    return SqliteStore(sqlite), SegmentStore(segments, read_only=True) if segments.is_dir() else None


def start_for_workers(place: str | Path) -> None:
    """Called by the driver of a Ray job before its first task: start what its workers share of a run folder's store.

    Does nothing where that is a path. Returns at once. Raises StoreError.
    """
    if is_remote(place):
        start(remote_segments(str(place)))
