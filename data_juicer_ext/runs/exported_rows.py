"""Rows of an export, be it one file (default executor) or a folder of shards (Ray)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
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
