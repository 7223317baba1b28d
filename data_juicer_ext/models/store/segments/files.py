"""The files of a response store's segments, and those in a plain folder.

A segment has one writer for its whole life and only ever grows, so no two processes write to the same file. On a plain
folder a process appends to a segment of its own; `object_storage` serves object storage.
"""

import contextlib
import errno
import fcntl
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".jsonl"
_BEGIN_TRIES = 5
_READ = 16 * 1024  # bytes: one read is enough for nearly every answer


@dataclass(frozen=True)
class Joined:
    """A segment of `size` bytes that holds the lines of others, which are still there.

    `shifts`: how many bytes further on in it the lines of each of them lie.
    """

    name: str
    size: int
    shifts: Mapping[str, int]


def new_name(begun: str = "") -> str:
    """The name of a new segment, which sorts where the segment `begun` does, else after all that there are."""
    # Names sort by the time a segment was begun: of two answers under one key the older one counts.
    when = begun.partition(".")[0] or f"{time.time_ns():019d}"
    return f"{when}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}{SUFFIX}"


class LocalFiles:
    """Segments in a folder on a local or shared disk. A writer locks its segment while it lives. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)
        self._folder = folder
        self._name, self._file, self._end = "", -1, 0
        self._claimed: list[int] = []

    def names(self) -> list[str]:
        """The names of all segments, in the order they were begun."""
        try:
            return sorted(entry.name for entry in self._folder.iterdir() if entry.name.endswith(SUFFIX))
        except FileNotFoundError:
            return []

    def append(self, lines: bytes, first_line: bytes) -> tuple[str, int]:
        """Write `lines` to the end of this writer's segment, which begins with `first_line`.

        Gives the segment's name and where in it the lines begin. They outlive this process from then on,
        and the machine once `to_force` was called and what it gave.
        """
        if self._file >= 0 and os.fstat(self._file).st_nlink == 0:
            self.end_segment()
            raise OSError(errno.ESTALE, "a segment was removed while it was written", self._name)
        if self._file < 0:
            self._begin()
            lines, skipped = first_line + lines, len(first_line)
        else:
            skipped = 0
        begin = self._end
        try:
            _write_all(self._file, lines)
        except OSError:
            self._abandon(begin)
            raise
        self._end += len(lines)
        return self._name, begin + skipped

    def to_force(self) -> Callable[[], None]:
        """What forces all that was appended so far to disk; may be called while more is appended."""
        if self._file < 0:
            return lambda: None
        file = os.dup(self._file)  # the segment may end meanwhile

        def force() -> None:
            try:
                os.fsync(file)
            finally:
                os.close(file)

        return force

    def _begin(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        for _ in range(_BEGIN_TRIES):
            self._name, self._end = new_name(), 0
            self._file = os.open(self._folder / self._name, flags, 0o644)
            if _lock(self._file) is not False and (self._folder / self._name).exists():
                return _sync_folder(self._folder)
            self.end_segment()  # whoever cleans up the folder took the new file for an abandoned one
        raise OSError("its new segments are removed as soon as they are made")

    def _abandon(self, end: int) -> None:
        """After a failed write: leave no half line in front of later ones."""
        with contextlib.suppress(OSError):  # then it stays the last line, where readers expect a half one
            os.ftruncate(self._file, end)
            os.fsync(self._file)
        self.end_segment()

    def end_segment(self) -> None:
        """Append no more to the present segment; the next `append` begins another."""
        for file in (self._file, *self._claimed):
            if file >= 0:
                os.close(file)
        self._file, self._claimed = -1, []

    def lines(self, name: str, offset: int) -> Iterator[bytes]:
        """The lines of a segment from `offset` on, each with its line feed; a cut last one has none."""
        with (self._folder / name).open("rb") as file:
            file.seek(offset)
            yield from file

    def read_line(self, name: str, offset: int) -> bytes:
        """The line that begins at `offset`, with its line feed."""
        with (self._folder / name).open("rb", buffering=_READ) as file:
            file.seek(offset)
            return file.readline()

    def size(self, name: str) -> int:
        """The bytes of a segment."""
        return (self._folder / name).stat().st_size

    def claim(self, name: str) -> bool:
        """Whether no running process writes to a segment (any more); it then stays so."""
        file = os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC)
        self._claimed.append(file)
        return _lock(file) is True

    def delete(self, names: Sequence[str]) -> None:
        """Remove segments, as far as they are there."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    def adopt(self) -> None:
        """Take many small segments that earlier writers have left as one's own, to be joined."""
        # A segment grows here: there are never many.

    def join_is_due(self) -> bool:
        """Whether there are segments that `join` would join."""
        return False

    def join(self) -> Joined | None:
        """Write the next segments that are due as one; None if none are. May be called while more is appended.

        Raises StoreError if one of them is damaged.
        """
        return None


def _lock(file: int) -> bool | None:
    """Lock a file for this process; False if another one has it, None where locks do not exist."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def _sync_folder(folder: Path) -> None:
    """Make the folder's list of files durable too: a file that no folder names is lost in a power cut."""
    file = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems cannot
            os.fsync(file)
    finally:
        os.close(file)
