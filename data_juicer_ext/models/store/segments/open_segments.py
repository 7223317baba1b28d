"""The segments of a store as one process has them open: where every answer lies, and what it appends.

Answers are written by one thread and forced to disk by another, many at once; a third joins small segments.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from data_juicer_ext.models.store.interface import GroupCommit, StoreError, check_key
from data_juicer_ext.models.store.segments.files import LocalFiles
from data_juicer_ext.models.store.segments.index import SegmentIndex
from data_juicer_ext.models.store.segments.line_format import FIRST_LINE, key_of_line
from data_juicer_ext.models.store.segments.object_storage import segment_files

_LOG = logging.getLogger(__name__)

_REFRESH_TRIES = 3
_COPIED_AT_ONCE = 1000


class OpenSegments:
    """What one process holds of a store: where every answer lies, and the segment it appends to."""

    def __init__(self, place: str | Path) -> None:
        self._place = str(place)
        self._lock = threading.RLock()  # never held while data is forced to disk, so that `get` stays quick
        self._appending = threading.Lock()
        self._joining = threading.Lock()  # the first of the three to be taken
        self._files_or_none: LocalFiles | None = None
        self._closed = self._closing = False
        self._index = SegmentIndex()
        # Written and forced to disk apart: a written line outlives the process, and while the disk takes its
        # time over earlier ones, answers that come must not wait in memory.
        self.commits = GroupCommit(self._write)
        self.syncs: GroupCommit[None] = GroupCommit(self._sync)
        self.joins: GroupCommit[None] = GroupCommit(self._join)

    @property
    def _files(self) -> LocalFiles:
        if self._closed:
            raise StoreError(f"the response store {self._place} was closed")
        if self._files_or_none is None:
            self._files_or_none = segment_files(self._place)
        return self._files_or_none

    def stored_keys(self) -> list[str]:
        with self._lock:
            return [key.hex() for key in self._index.held()]

    def holds(self, key: str) -> bool:
        """Whether there is an answer under `key`."""
        with self._lock:
            return bytes.fromhex(check_key(key)) in self._index

    def size(self) -> int:
        with self._lock, _explained(self._place):
            return sum(self._files.size(name) for name in self._files.names())

    def line(self, key: str) -> bytes | None:
        """The line of the answer under `key`, None if there is none."""
        wanted = bytes.fromhex(check_key(key))
        with self._lock, _explained(self._place):
            if wanted not in self._index:
                return None
            try:
                return self._read(wanted)
            except FileNotFoundError:  # its segment was written anew by a clean-up, or joined by another process
                self._index = SegmentIndex()
                self.refresh()
                return self._read(wanted) if wanted in self._index else None

    def _read(self, wanted: bytes) -> bytes:
        return self._files.read_line(*self._index.find(wanted))

    def refresh(self) -> None:
        with self._lock, _explained(self._place):
            for _ in range(_REFRESH_TRIES):
                try:
                    names = self._files.names()
                    self._index.keep_only(names)
                    for name in names:
                        self._scan(name)
                    return
                except FileNotFoundError:  # a clean-up went on meanwhile
                    self._index = SegmentIndex()
            raise StoreError(f"the response store {self._place} changes while it is read: try again")

    def _scan(self, name: str) -> None:
        offset = self._index.ends.get(name, 0)
        for line in self._files.lines(name, offset):
            if not line.endswith(b"\n"):
                break  # cut off, or still being written: looked at again by the next refresh
            key = key_of_line(line, f"{self._place}/{name}, byte {offset}")
            if key is not None:
                self._index.add(name, key, offset)
            offset += len(line)
        self._index.ends[name] = offset

    def _write(self, batch: list[tuple[str, bytes]]) -> None:
        with self._appending, _explained(self._place):
            name, offset = self._files.append(b"".join(line for _, line in batch), FIRST_LINE)
            with self._lock:
                for key, line in batch:
                    self._index.add(name, bytes.fromhex(key), offset)
                    offset += len(line)
                self._index.ends[name] = offset
        if self._files.join_is_due():
            self.joins.submit(None)

    def adopt(self) -> None:
        """Have the many small segments joined that earlier writers have left, while work goes on."""
        with _explained(self._place):
            self._files.adopt()
        if self._files.join_is_due():
            self.joins.submit(None)

    def _join(self, _: list[None]) -> None:
        try:
            while not self._closing and self._joined_some():
                pass
        except OSError as error:  # nothing is lost: there are more segments than need be
            _LOG.warning("segments of the response store %s are not joined for now: %s", self._place, error)

    def _joined_some(self) -> bool:
        with self._joining:
            joined = self._files.join()
            if joined is None:
                return False
            with self._lock:
                self._index.move(joined)
            self._files.delete(list(joined.shifts))
            return True

    def _sync(self, _: list[None]) -> None:
        with _explained(self._place):
            with self._appending:
                force = self._files.to_force()
            force()

    def rewrite(self, keep: Callable[[bytes], bool]) -> int:
        """Write the lines to keep into new segments and delete the old ones; how many were not kept."""
        with self._joining, self._appending, self._lock, _explained(self._place):
            self._files.end_segment()
            old = self._files.names()
            try:
                self._claim(old)
                self.refresh()
                removed = self._copy(keep)
                self._files.to_force()()
                self._files.delete(old if removed else ())
            finally:
                self._files.end_segment()
            self._index = SegmentIndex()
            self.refresh()
            return removed

    def _claim(self, names: list[str]) -> None:
        for name in names:
            if not self._files.claim(name):
                raise StoreError(
                    f"the response store {self._place} is in use ({name}): try again when no run is going on"
                )

    def _copy(self, keep: Callable[[bytes], bool]) -> int:
        held = self._index.held()
        kept = [key for key in held if keep(self._read(key))]
        if len(kept) < len(held):
            for start in range(0, len(kept), _COPIED_AT_ONCE):
                lines = b"".join(self._read(key) for key in kept[start : start + _COPIED_AT_ONCE])
                self._files.append(lines, FIRST_LINE)
        return len(held) - len(kept)

    def close(self) -> None:
        self.commits.close()
        self.syncs.close()
        self._closing = True
        self.joins.close()
        with self._lock:
            if self._files_or_none is not None:
                self._files_or_none.end_segment()
            self._closed = True


@contextmanager
def _explained(place: str) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"the response store {place} cannot be used ({error}): check the place, its rights and the room there"
        ) from error
