from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_juicer_ext.runs.dataset import DatasetError, read_dataset

ROWS: list[dict[str, Any]] = [{"paper_id": "a", "n": None}, {"paper_id": "b", "n": 2}]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def write(folder: Path, kind: str) -> Path:
    path = folder / f"papers.{kind}"
    if kind == "jsonl.gz":
        path.write_bytes(gzip.compress(LINES.encode()))
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_text(LINES + "\n  \n" if kind == "jsonl" else json.dumps(ROWS, indent=1))
    return path


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "json", "parquet"])
def test_every_kind_of_file_gives_its_rows_with_their_nulls(tmp_path: Path, kind: str) -> None:
    assert list(read_dataset(write(tmp_path, kind))) == ROWS


def test_json_lines_may_be_called_json(tmp_path: Path) -> None:
    (tmp_path / "papers.json").write_text(LINES)
    assert list(read_dataset(tmp_path / "papers.json")) == ROWS


def test_a_folder_gives_the_rows_of_all_its_files(tmp_path: Path) -> None:
    write(tmp_path, "jsonl")
    (tmp_path / "more").mkdir()
    write(tmp_path / "more", "parquet")
    (tmp_path / "README.md").write_text("not data")
    assert list(read_dataset(tmp_path)) == ROWS + ROWS


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.jsonl", b'{"a": 1}\n{"a": \n', r"p\.jsonl:2: not JSON"),
        ("p.jsonl", b"[1]\n", r"p\.jsonl:1: not a JSON object"),
        ("p.jsonl", b'{"a": "\xff"}\n', "not readable as UTF-8"),
        ("p.json", b'[{"a": 1}, 2]', "item 2 of"),
        ("p.json", b'[{"a": 1}', "is not JSON"),
        ("p.jsonl.gz", b"no gzip", "not readable"),
        ("p.parquet", b"no parquet", "not readable as Parquet"),
        ("p.csv", b"a,b", "ends in none of"),
    ],
)
def test_what_is_no_dataset_is_named(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=says):
        list(read_dataset(tmp_path / name))


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no file"):
        list(read_dataset(tmp_path / "papers.jsonl"))
    with pytest.raises(DatasetError, match="holds no file"):
        list(read_dataset(tmp_path))
