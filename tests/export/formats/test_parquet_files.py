"""Parquet shards: where one ends, what a row group holds, and the columns' types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from data_juicer_ext.export.formats import parquet_files
from data_juicer_ext.export.formats.parquet_files import ParquetFiles
from data_juicer_ext.export.images.exported_images import ExportedImage
from data_juicer_ext.export.options import ExportOptions

COLUMNS = {"row_id": parquet_files.TEXT, "images": parquet_files.TEXT, "image_files": parquet_files.TEXT}


class Sized(ExportedImage):
    """An image of so many bytes that is not read."""

    def data(self) -> bytes:
        return b"x" * self.size


def shards(folder: Path, rows: Sequence[tuple[str, int]], form: str = "hf", **given: Any) -> dict[str, list[list[str]]]:
    """The ids of each split's files, of rows (split, bytes of its image) that are numbered."""
    files = ParquetFiles(folder, ExportOptions(form), given.pop("columns", COLUMNS), **given)
    for number, (split, size) in enumerate(rows):
        files.add(split, {"row_id": str(number)}, [Sized("", f"{number}.png", "image/png", size)])
    return {split: [ids(folder / name) for name in names] for split, names in files.end().items()}


def ids(path: Path) -> list[str]:
    return [str(each) for each in parquet.read_table(path).column("row_id").to_pylist()]


def test_a_shard_ends_before_it_is_too_large_and_with_its_split(tmp_path: Path) -> None:
    rows = [("train", 6), ("train", 4), ("train", 1), ("train", 99), ("test", 1), ("test", 9), ("test", 1)]
    assert shards(tmp_path, rows, shard_bytes=10) == {
        "train": [["0", "1"], ["2"], ["3"]], "test": [["4", "5"], ["6"]],
    }  # fmt: skip
    names = sorted(path.name for path in (tmp_path / "data").iterdir())
    assert names == [
        "test-00000-of-00002.parquet", "test-00001-of-00002.parquet", "train-00000-of-00003.parquet",
        "train-00001-of-00003.parquet", "train-00002-of-00003.parquet",
    ]  # fmt: skip


def test_what_was_written_of_a_shard_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_files, "_GROUP_BYTES", 6)
    assert shards(tmp_path, [("train", 6), ("train", 4), ("train", 1)], shard_bytes=10) == {
        "train": [["0", "1"], ["2"]]
    }


def groups(folder: Path, sizes: Sequence[int]) -> list[int]:
    """How many rows each group of the only file holds."""
    shards(folder, [("train", size) for size in sizes])
    about = parquet.ParquetFile(folder / "data" / "train-00000-of-00001.parquet").metadata
    return [about.row_group(number).num_rows for number in range(about.num_row_groups)]


def test_a_row_group_ends_at_so_many_rows_or_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    assert groups(tmp_path / "a", [1] * 101) == [100, 1]
    (tmp_path / "b").mkdir()
    monkeypatch.setattr(parquet_files, "_GROUP_BYTES", 6)
    assert groups(tmp_path / "b", [5, 1, 5, 1, 1]) == [2, 2, 1]


def test_images_outside_of_the_files_take_no_room_in_them(tmp_path: Path) -> None:
    image = tmp_path / "f.png"
    image.write_bytes(b"x")
    folder = tmp_path / "out"
    folder.mkdir()
    files = ParquetFiles(folder, ExportOptions("parquet", images="copy"), COLUMNS, shard_bytes=1)
    files._copies.add = lambda pictures: [picture.path for picture in pictures]  # type: ignore[method-assign]
    for number in range(3):
        files.add("train", {"row_id": str(number)}, [Sized(str(image), f"{number}.png", "image/png", 99)])
    assert files.end() == {"train": ["data/train-00000-of-00001.parquet"]}
    table = parquet.read_table(folder / "data" / "train-00000-of-00001.parquet")
    assert table.column("image_files").to_pylist() == [["0.png"], ["1.png"], ["2.png"]]
    assert table.column("images").to_pylist()[0] == ["images/0.png"]


def test_columns_have_their_types_and_images_are_the_feature(tmp_path: Path) -> None:
    columns = {"row_id": "text", "n": "whole", "x": "number", "is": "truth", "many": "texts", "images": "texts"}
    types = {name: getattr(parquet_files, kind.upper()) for name, kind in columns.items()}
    shards(tmp_path, [("train", 3)], columns=types)
    path = tmp_path / "data" / "train-00000-of-00001.parquet"
    schema = parquet.read_schema(path)
    told = {name: str(schema.field(name).type) for name in columns}
    assert told == {
        "row_id": "string", "n": "int64", "x": "double", "is": "bool", "many": "list<element: string>",
        "images": "list<element: struct<bytes: binary, path: string>>",
    }  # fmt: skip
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features == {
        "row_id": {"dtype": "string", "_type": "Value"}, "n": {"dtype": "int64", "_type": "Value"},
        "x": {"dtype": "float64", "_type": "Value"}, "is": {"dtype": "bool", "_type": "Value"},
        "many": {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"},
        "images": {"feature": {"_type": "Image"}, "_type": "Sequence"},
    }  # fmt: skip
    assert parquet.read_table(path).column("images").to_pylist() == [[{"bytes": b"xxx", "path": "0.png"}]]


def test_an_export_without_rows_has_no_files(tmp_path: Path) -> None:
    assert shards(tmp_path, []) == {}
