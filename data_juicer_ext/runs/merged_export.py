"""One file from the exports of all shards, in which every row stands once."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.storage.atomic_file import replace_lines


class Merged:
    """A file of rows that grows shard by shard; a row is known by `row_id`, and `undecided.tag` if it has one.

    `add` appends, `rebuild` replaces the whole file; a run begins by the latter, so that nothing that
    a kill left behind, a cut line or half a shard, outlives it. Rows without a `row_id` are all kept.
    """

    def __init__(self, path: Path, with_stats: bool = False) -> None:
        self.path, self.with_stats = path, with_stats
        self.count = 0
        self._seen: set[tuple[str, str]] = set()

    def rebuild(self, exports: Iterable[Path]) -> None:
        """Write the rows of all exports anew; the old file stays until the new one is whole."""
        self.count, self._seen = 0, set()
        replace_lines(self.path, chain.from_iterable(map(self._lines, exports)))

    def add(self, export: Path) -> None:
        """Append the rows of one export that are not there yet."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(self._lines(export))

    def _lines(self, export: Path) -> Iterator[str]:
        for row in read_rows(export, known_by=identity):
            key = identity(row)
            if not key[0] or key not in self._seen:
                self._seen.add(key)
                self.count += 1
                yield json.dumps(self._shown(row), ensure_ascii=False) + "\n"

    def _shown(self, row: dict[str, Any]) -> dict[str, Any]:
        return row if self.with_stats else {k: v for k, v in row.items() if not k.startswith("__dj__")}


def identity(row: dict[str, Any]) -> tuple[str, str]:
    """What a row is known by: its id, and where it is undecided, so that one row may be so at two listings."""
    about = row.get("undecided")
    return str(row.get("row_id") or ""), str(about.get("tag", "")) if isinstance(about, dict) else ""
