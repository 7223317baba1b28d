"""Rows of an export, be it one file (default executor) or a folder (Ray), and one file made of those of all shards."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.storage.atomic_file import replace_lines
from data_juicer_ext.storage.json_lines import read_json_lines

_SUFFIXES = (".json", ".jsonl", ".parquet")


class ParquetError(DjExtError, ValueError):
    """A file that is no Parquet, or a damaged one; the message names it."""


def row_id_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What a row is known by: its `row_id`."""
    return (str(row.get("row_id") or ""),)


def read_rows(
    path: Path,
    known_by: Callable[[dict[str, Any]], tuple[str, ...]] = row_id_of,
    broken: Callable[[str], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows of an export, each once. A missing path or a 0-byte file has none.

    `known_by` gives what a row is known by; rows whose first part of that is "" are all given.
    A line that is not a JSON object is told to `broken` and left out, as while a run writes the export the last
    line may be cut; without `broken` it raises JsonLinesError, naming file and line. Raises ParquetError, OSError.
    """
    seen: set[tuple[str, ...]] = set()
    for file in export_files(path):
        for row in read_parquet(file) if file.suffix == ".parquet" else read_json_lines(file, broken):
            key = known_by(row)
            if not key[0] or key not in seen:
                seen.add(key)
                yield row


def export_files(path: Path) -> list[Path]:
    """The files that hold an export's rows, without the files of statistics beside them."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if path.is_file():
        return [path]
    shards = sorted(path.parent.glob(f"{path.stem}-*-of-*{path.suffix}"))
    return [file for file in shards if not file.stem.endswith("_stats")]


def read_parquet(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file; a 0-byte file has none. Raises ParquetError."""
    if not file.stat().st_size:
        return
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    try:
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=256):
            yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise ParquetError(f"{file} is not readable as Parquet ({error})") from error


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
