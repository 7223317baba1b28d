"""The response store for Ray: append-only segments in the run folder, under one owner.

A segment is a file of JSON lines, each with a checksum. The owner (an actor) keeps only where each
answer lies, not its text, and builds that anew from the files when it opens. A killed writer leaves
at most a last line that is cut off: nobody was told that it was stored, and readers skip it.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data_juicer_ext.models.segment_files import SegmentFiles, segment_files
from data_juicer_ext.models.segment_lines import FIRST_LINE, key_of_line, line_of, stored_in
from data_juicer_ext.models.store import (
    GroupCommit,
    GroupStats,
    PerProcess,
    Selection,
    Stored,
    StoreError,
    StoreStats,
    check_key,
)
from data_juicer_ext.models.types import Answer

_OFFSET_BITS = 44  # of a position: a segment may grow to 16 TiB
_OFFSET_MASK = (1 << _OFFSET_BITS) - 1
_REFRESH_TRIES = 3
_COPIED_AT_ONCE = 1000


class SegmentStore:
    """Stored answers in the segments at `place`, a folder or an fsspec URL; made if it is missing.

    `read_only` opens it beside its owner: `put` and `prune` are refused. What other writers have
    added since shows after `refresh`. Raises StoreError.
    """

    def __init__(self, place: str | Path, read_only: bool = False) -> None:
        self.place = str(place)
        self.read_only = read_only
        self._here = PerProcess(lambda: _Segments(place))
        self.refresh()
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

    def _writable(self) -> _Segments:
        if self.read_only:
            raise StoreError(f"the response store {self.place} was opened for reading only")
        return self._here.get()


class _Segments:
    """What one process holds of a store: where every answer lies, and the segment it appends to."""

    def __init__(self, place: str | Path) -> None:
        self._place = str(place)
        self._lock = threading.RLock()  # never held while data is forced to disk, so that `get` stays quick
        self._appending = threading.Lock()
        self._files_or_none: SegmentFiles | None = None
        self._closed = False
        self._forget_all()
        # Written and forced to disk apart: a written line outlives the process, and while the disk takes its
        # time over earlier ones, answers that come must not wait in memory.
        self.commits = GroupCommit(self._write)
        self.syncs: GroupCommit[None] = GroupCommit(self._sync)

    def _forget_all(self) -> None:
        # A position is the segment's number and the offset in one int: a third of a tuple's memory.
        self._positions: dict[bytes, int] = {}
        self._names: list[str] = []
        self._ends: dict[str, int] = {}

    @property
    def _files(self) -> SegmentFiles:
        if self._closed:
            raise StoreError(f"the response store {self._place} was closed")
        if self._files_or_none is None:
            self._files_or_none = segment_files(self._place)
        return self._files_or_none

    def stored_keys(self) -> list[str]:
        with self._lock:
            return [key.hex() for key in self._positions]

    def size(self) -> int:
        with self._lock, _explained(self._place):
            return sum(self._files.size(name) for name in self._files.names())

    def line(self, key: str) -> bytes | None:
        """The line of the answer under `key`, None if there is none."""
        wanted = bytes.fromhex(check_key(key))
        with self._lock, _explained(self._place):
            if wanted not in self._positions:
                return None
            try:
                return self._read(wanted)
            except FileNotFoundError:  # its segment was written anew by a clean-up
                self._forget_all()
                self.refresh()
                return self._read(wanted) if wanted in self._positions else None

    def _read(self, wanted: bytes) -> bytes:
        position = self._positions[wanted]
        name, offset = self._names[position >> _OFFSET_BITS], position & _OFFSET_MASK
        return self._files.read_line(name, offset)

    def refresh(self) -> None:
        with self._lock, _explained(self._place):
            for _ in range(_REFRESH_TRIES):
                try:
                    for name in self._files.names():
                        self._scan(name)
                    return
                except FileNotFoundError:  # a clean-up went on meanwhile
                    self._forget_all()
            raise StoreError(f"the response store {self._place} changes while it is read: try again")

    def _scan(self, name: str) -> None:
        offset = self._ends.get(name, 0)
        for line in self._files.lines(name, offset):
            if not line.endswith(b"\n"):
                break  # cut off, or still being written: looked at again by the next refresh
            self._take(name, offset, line)
            offset += len(line)
        self._ends[name] = offset

    def _take(self, name: str, offset: int, line: bytes) -> None:
        key = key_of_line(line, f"{self._place}/{name}, byte {offset}")
        if key is not None:
            self._remember(name, key, offset)

    def _remember(self, name: str, key: bytes, offset: int) -> None:
        if not self._names or self._names[-1] != name:
            self._names.append(name)
        self._positions.setdefault(key, (len(self._names) - 1) << _OFFSET_BITS | offset)

    def _write(self, batch: list[tuple[str, bytes]]) -> None:
        with self._appending, _explained(self._place):
            name, offset = self._files.append(b"".join(line for _, line in batch), FIRST_LINE)
            with self._lock:
                for key, line in batch:
                    self._remember(name, bytes.fromhex(key), offset)
                    offset += len(line)
                self._ends[name] = offset

    def _sync(self, _: list[None]) -> None:
        with _explained(self._place):
            with self._appending:
                force = self._files.to_force()
            force()

    def rewrite(self, keep: Callable[[bytes], bool]) -> int:
        """Write the lines to keep into new segments and delete the old ones; how many were not kept."""
        with self._appending, self._lock, _explained(self._place):
            self._files.end_segment()
            old = self._files.names()
            try:
                self._claim(old)
                self.refresh()
                removed = self._copy(keep)
                self._files.to_force()()
                for name in old if removed else ():
                    self._files.delete(name)
            finally:
                self._files.end_segment()
            self._forget_all()
            self.refresh()
            return removed

    def _claim(self, names: list[str]) -> None:
        for name in names:
            if not self._files.claim(name):
                raise StoreError(
                    f"the response store {self._place} is in use ({name}): try again when no run is going on"
                )

    def _copy(self, keep: Callable[[bytes], bool]) -> int:
        positions = list(self._positions)
        kept = [key for key in positions if keep(self._read(key))]
        if len(kept) < len(positions):
            for start in range(0, len(kept), _COPIED_AT_ONCE):
                lines = b"".join(self._read(key) for key in kept[start : start + _COPIED_AT_ONCE])
                self._files.append(lines, FIRST_LINE)
        return len(positions) - len(kept)

    def close(self) -> None:
        self.commits.close()
        self.syncs.close()
        with self._lock:
            if self._files_or_none is not None:
                self._files_or_none.end_segment()
            self._closed = True


@contextmanager
def _explained(place: str) -> Iterator[None]:
    """Turns the exceptions of files into a StoreError that says what to do."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"the response store {place} cannot be used ({error}): check the place, its rights and the room there"
        ) from error
