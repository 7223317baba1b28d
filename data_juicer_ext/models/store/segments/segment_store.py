"""The response store for Ray and for object storage: segments in the run folder, which are only added to.

A segment is a file of JSON lines, each with a checksum. A process keeps only where each answer lies,
not its text, and builds that anew from the files when it opens. A killed writer leaves at most a
last line that is cut off: nobody was told that it was stored, and readers skip it.
"""

import asyncio
import atexit
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.models.store.interface import GroupStats, PerProcess, Selection, Stored, StoreError, StoreStats
from data_juicer_ext.models.store.segments.line_format import line_of, stored_in
from data_juicer_ext.models.store.segments.open_segments import OpenSegments
from data_juicer_ext.models.types import Answer


class SegmentStore:
    """Stored answers in the segments at `place`, a folder or an address of object storage; made if it is missing.

    `read_only` opens it beside its owner: `put` and `prune` are refused. What other writers have
    added since shows after `refresh`. Raises StoreError.

    On object storage an answer is an object of its own, or of all that came at the same time, until
    many are joined into one; what is read lies on this machine too (see `object_storage`). Nothing
    there tells whether others write: `prune` is only for when no run is going on.
    """

    def __init__(self, place: str | Path, read_only: bool = False) -> None:
        self.place = str(place)
        self.read_only = read_only
        self._here = PerProcess(lambda: OpenSegments(place))
        self.refresh()
        if not read_only:
            self._here.get().adopt()
        atexit.register(self.close)

    def get(self, key: str) -> Answer | None:
        """The answer under `key`, marked `from_store`; None if there is none."""
        line = self._here.get().line(key)
        return None if line is None else stored_in(line, self.place).answer

    def put(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """Store an answer; on disk when this returns. The first answer under a key stays."""
        here = self._writable()
        here.commits.submit((key, line_of(key, answer, about))).result()
        here.syncs.submit(None).result()

    async def put_async(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """As `put`, without blocking the event loop. Written even if the caller is cancelled."""
        here = self._writable()
        await asyncio.wrap_future(here.commits.submit((key, line_of(key, answer, about))))
        await asyncio.wrap_future(here.syncs.submit(None))

    def lines(self, keys: Sequence[str]) -> list[bytes | None]:
        """The lines that hold the answers under `keys`, in their order; None where there is none."""
        here = self._here.get()
        return [here.line(key) for key in keys]

    async def put_lines(self, entries: Sequence[tuple[str, bytes]]) -> None:
        """Store lines, each of `line_of` for its key, as `put_async` does; those under keys that are held stay out."""
        here = self._writable()
        waiting = [here.commits.submit(entry) for entry in entries if not here.holds(entry[0])]
        if waiting:
            await asyncio.gather(*map(asyncio.wrap_future, waiting))
            await asyncio.wrap_future(here.syncs.submit(None))

    def refresh(self) -> None:
        """Take in what other writers have stored since this store was opened or refreshed."""
        self._here.get().refresh()

    def entries(self) -> Iterator[Stored]:
        """All stored answers, oldest segment first."""
        here = self._here.get()
        here.refresh()
        for key in here.stored_keys():
            line = here.line(key)
            if line is not None:
                yield stored_in(line, self.place)

    def stats(self) -> StoreStats:
        """How much is stored, for which models and tasks."""
        groups: dict[tuple[str, str], GroupStats] = {}
        created: list[float] = []
        for stored in self.entries():
            group = (stored.answer.model, stored.said("task"))
            groups[group] = groups.get(group, GroupStats(*group)).plus(stored.answer)
            created.append(stored.created)
        size = self._here.get().size()
        in_order = tuple(groups[group] for group in sorted(groups))
        return StoreStats(len(created), size, min(created, default=0.0), max(created, default=0.0), in_order)

    def prune(self, selection: Selection) -> int:
        """Delete the selected answers for good and give back their space; how many there were.

        The rest is written anew. Refused while another process writes into the folder.
        """
        return self._writable().rewrite(lambda line: not selection.takes(stored_in(line, self.place)))

    def close(self) -> None:
        """Write what is still waiting and let go of the files."""
        atexit.unregister(self.close)
        self._here.get().close()

    def _writable(self) -> OpenSegments:
        if self.read_only:
            raise StoreError(f"the response store {self.place} was opened for reading only")
        return self._here.get()
