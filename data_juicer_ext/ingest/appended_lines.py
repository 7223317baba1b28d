"""JSON Lines files that are only added to, and what stands in them after a run was killed."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import to_json
from data_juicer_ext.storage.atomic_file import replace_lines
from data_juicer_ext.storage.json_lines import read_json_lines

_CHUNK = 1 << 16


class JsonLines:
    """A JSON Lines file: a row that was added is in it whole, whenever the process ends."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it; a torn last line of a run that was killed is cut off."""
        self.path = path
        _cut_torn_line(path)
        self._file = path.open("a", encoding="utf-8")

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows in the file. Raises JsonLinesError for a line that is no JSON object."""
        self._file.flush()
        yield from read_json_lines(self.path)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._file.write(to_json(row) + "\n")
        self._file.flush()

    def keep(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Leave out the rows that are not wanted; the file is replaced as a whole."""
        replace_lines(self.path, (to_json(row) + "\n" for row in self.rows() if wanted(row)))
        self._file.close()
        self._file = self.path.open("a", encoding="utf-8")

    def close(self) -> None:
        """Close the file, with all of it on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = size = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - _CHUNK)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            file.truncate(end)
