"""A file of JSON lines that several processes append to, and that survives their kills."""

import contextlib
import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from data_juicer_ext.rows import to_json
from data_juicer_ext.storage.json_lines import json_objects, leave_out

_HUGE = 1e15  # also keeps out NaN, infinity, and integers that no float can hold


def append_line(path: Path, value: Mapping[str, Any]) -> None:
    """Append one object as one line, and have it on disk when this returns.

    Processes that append to the same file wait for one another. What a killed one left of a line stays a line of its
    own. Raises OSError if it could not be written; then nothing of it is in the file.
    """
    data = to_json(value).replace("\n", " ").encode("utf-8") + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("ab+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # freed when the file is closed, or the process ends
        _write(file, data)
    if is_new:
        _sync_folder(path.parent)


def _write(file: BinaryIO, data: bytes) -> None:
    end = file.seek(0, os.SEEK_END)
    if end:
        file.seek(end - 1)
        data = data if file.read(1) == b"\n" else b"\n" + data
    try:
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            file.truncate(end)
        raise


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def number_in(line: Mapping[str, Any], name: str) -> float | None:
    """The number that an object has under a name; None for anything else, and for numbers that are no use."""
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _HUGE:
        return None
    return float(value)


class LineFile:
    """Reads what is new in a file of JSON lines, whoever wrote it. Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = (0, 0)  # the file's inode, and the bytes of it that have been read

    def fresh(self) -> tuple[bool, list[dict[str, Any]]]:
        """Whether the file is another one than before (or was cut), so that all of it is told anew; and new objects.

        Lines that are not JSON objects, such as one that a kill cut off, are left out.
        """
        inode, read = self._seen
        try:
            with self.path.open("rb") as file:
                about = os.fstat(file.fileno())
                other = about.st_ino != inode or about.st_size < read
                start = 0 if other else read
                if about.st_size == start:
                    self._seen = about.st_ino, start
                    return other, []
                file.seek(start)
                data = file.read()
        except FileNotFoundError:
            self._seen = 0, 0
            return inode != 0, []
        whole, objects = _objects(data)
        self._seen = about.st_ino, start + whole
        return other, objects


def _objects(data: bytes) -> tuple[int, list[dict[str, Any]]]:
    end = data.rfind(b"\n") + 1
    last = _rows([data[end:]])  # a whole object without its line feed, as editors leave it, is no cut-off line
    return len(data) if last else end, [*_rows(data[:end].split(b"\n")), *last]


def _rows(lines: list[bytes]) -> list[dict[str, Any]]:
    return [row for _, row in json_objects(lines, "", leave_out)]
