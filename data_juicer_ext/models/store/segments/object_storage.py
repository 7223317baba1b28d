"""Segments as objects of object storage, with a copy of each on this machine.

Objects can't be appended to, so every commit is an object; later many are joined into one. Each is
copied here once, into a folder that all processes of this user share, and read from there.
"""

import errno
import io
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.compaction import Joins
from data_juicer_ext.models.store.segments.files import SUFFIX, Joined, LocalFiles, new_name
from data_juicer_ext.models.store.segments.line_format import FIRST_LINE, key_of_line
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import as_path, is_remote, under
from data_juicer_ext.storage.cache import cache_folder

_LIST_TRIES = 10
_FETCHED_AT_ONCE = 256


def segment_files(place: str | Path) -> LocalFiles:
    """The files at a path, or at an address of object storage (`s3://...`, `memory://...`)."""
    return MirroredFiles(str(place)) if is_remote(place) else LocalFiles(as_path(place))


class MirroredFiles(LocalFiles):
    """Segments at an address, one for each commit until they are joined; read from the copies on this machine.

    An object is whole and never changes, so the processes that share the copies need not agree. Nothing tells whether
    another writer is at work: whoever joins or deletes what others hold leaves them to look for it again.
    """

    def __init__(self, address: str) -> None:
        super().__init__(cache_folder(address))
        self.place = address
        self._joins, self._lock = Joins(), threading.Lock()

    def names(self) -> list[str]:
        for _ in range(_LIST_TRIES):
            # Looked at before the objects are listed: what another process writes meanwhile is not taken for gone.
            held = self._held()
            there = self._listed()
            for name in held.keys() - there.keys():
                (self._folder / name).unlink(missing_ok=True)
            try:
                self._fetch([name for name, size in there.items() if held.get(name) != size])
            except FileNotFoundError:
                continue  # joined by its writer since it was listed
            return list(there)
        raise OSError(errno.EAGAIN, "its objects change faster than they are read", self.place)

    def _held(self) -> dict[str, int]:
        sizes = {}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    try:
                        sizes[entry.name] = entry.stat().st_size
                    except FileNotFoundError:
                        continue  # another process has removed it since
        return sizes

    def _listed(self) -> dict[str, int]:
        return {name: size for name, size in file_access.listed(self.place).items() if name.endswith(SUFFIX)}

    def _fetch(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), _FETCHED_AT_ONCE):
            some = names[start : start + _FETCHED_AT_ONCE]
            file_access.fetch({self._address(name): self._folder / name for name in some})

    def append(self, lines: bytes, first_line: bytes) -> tuple[str, int]:
        name = new_name()
        self._write(name, first_line + lines)
        with self._lock:
            self._joins.wrote(name, len(first_line) + len(lines))
        return name, len(first_line)

    def _write(self, name: str, data: bytes) -> None:
        file_access.write(self._address(name), data)
        file_access.write(self._folder / name, data)

    def claim(self, name: str) -> bool:
        return True

    def delete(self, names: Sequence[str]) -> None:
        file_access.delete([self._address(name) for name in names])
        super().delete(names)

    def adopt(self) -> None:
        with self._lock:
            self._joins.adopt(self._held())

    def join_is_due(self) -> bool:
        with self._lock:
            return bool(self._joins.next())

    def join(self) -> Joined | None:
        while True:
            with self._lock:
                names = self._joins.next()
            if not names:
                return None
            # What was deleted meanwhile must not come back.
            there = self._listed()
            left = [name for name in names if name in there]
            try:
                joined = self._join(left) if len(left) > 1 else None
            except StoreError:
                self._done(names, None)  # damaged: it stays where it is
                raise
            self._done(names, joined)
            if joined:
                return joined

    def _done(self, names: Sequence[str], joined: Joined | None) -> None:
        with self._lock:
            self._joins.done(names, *((joined.name, joined.size) if joined else ()))

    def _join(self, names: Sequence[str]) -> Joined:
        self._fetch([name for name in names if not (self._folder / name).exists()])
        parts, shifts, end = [FIRST_LINE], dict[str, int](), len(FIRST_LINE)
        for name in names:
            lines = self._checked_lines(name)
            shifts[name] = end - len(FIRST_LINE)
            parts.append(lines)
            end += len(lines)
        name = new_name(begun=names[0])
        self._write(name, b"".join(parts))
        return Joined(name, end, shifts)

    def _checked_lines(self, name: str) -> bytes:
        """The whole lines of a segment after its first one; as the others are deleted, a bad copy must not be kept."""
        path = self._folder / name
        data = path.read_bytes()
        data = data[: data.rfind(b"\n") + 1]
        offset = 0
        for line in io.BytesIO(data):
            key_of_line(line, f"{path}, byte {offset}")
            offset += len(line)
        if data and not data.startswith(FIRST_LINE):
            raise StoreError(f"the response store is damaged at {self._address(name)}: it has no first line")
        return data[len(FIRST_LINE) :]

    def _address(self, name: str) -> str:
        return under(self.place, name)
