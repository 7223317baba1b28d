"""Which rows a dataset on disk holds: JSON Lines (also .gz), JSON arrays, Parquet, or a folder of them."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.runs.exported_rows import ParquetError, read_parquet
from data_juicer_ext.storage.json_lines import JsonLinesError, json_objects

SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".parquet")


class DatasetError(DjExtError, ValueError):
    """A dataset that can't be run; the message names the file and says what to do."""


def dataset_files(path: Path) -> list[Path]:
    """The files of a dataset, sorted. Raises DatasetError if there are none."""
    if path.is_dir():
        found = sorted(f for f in path.rglob("*") if f.name.endswith(SUFFIXES) and f.is_file())
        if not found:
            raise DatasetError(f"dataset: the folder {path} holds no file that ends in {', '.join(SUFFIXES)}")
        return found
    if not path.is_file():
        raise DatasetError(f"dataset: there is no file {path}")
    if not path.name.endswith(SUFFIXES):
        raise DatasetError(f"dataset: {path} ends in none of {', '.join(SUFFIXES)}")
    return [path]


def read_dataset(path: Path) -> Iterator[dict[str, Any]]:
    """All rows of a dataset, file after file. Raises DatasetError for what is no row, naming file and line."""
    for file in dataset_files(path):
        if file.suffix != ".parquet":
            yield from _json(file)
            continue
        try:
            yield from read_parquet(file)
        except ParquetError as error:
            raise DatasetError(f"dataset: {error}") from error


def _json(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with _open(file) as lines:
            if _is_array(lines, file):
                yield from _array(lines, file)
                return
            for _, row in json_objects(lines, file):
                yield row
    except JsonLinesError as error:
        raise DatasetError(f"dataset: {error}; mend or remove that line: every line is a row, an object") from error
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise DatasetError(f"dataset: {file} is not readable as UTF-8 text ({error})") from error


def _open(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return cast(IO[str], gzip.open(file, "rt", encoding="utf-8"))
    return file.open(encoding="utf-8")


def _is_array(lines: IO[str], file: Path) -> bool:
    start = lines.read(256).lstrip()[:1] if file.name.removesuffix(".gz").endswith(".json") else ""
    lines.seek(0)
    return start == "["


def _array(lines: IO[str], file: Path) -> Iterator[dict[str, Any]]:
    try:
        rows = json.load(lines)
    except ValueError as error:
        raise DatasetError(f"dataset: {file} is not JSON ({error})") from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise DatasetError(f"dataset: item {number} of {file} is not an object with columns")
        yield row
