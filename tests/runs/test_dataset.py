from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_juicer_ext.runs.dataset import DatasetError, dataset_files, read_dataset

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


@pytest.mark.parametrize("name", ["p.json", "p.json.gz"])
def test_an_array_may_begin_after_white_space_and_lines_may_not_be_one(tmp_path: Path, name: str) -> None:
    text = "\n " + json.dumps(ROWS)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    assert list(read_dataset(tmp_path / name)) == ROWS
    (tmp_path / "p.jsonl").write_text(json.dumps(ROWS) + "\n")
    with pytest.raises(DatasetError, match=r"p\.jsonl:1: not a JSON object; .* every line is a row"):
        list(read_dataset(tmp_path / "p.jsonl"))


def test_blank_lines_count_in_the_number_of_a_bad_one(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('\n{"a": 1}\n\n{bad\n')
    with pytest.raises(DatasetError, match=r"p\.jsonl:4: not JSON .*; mend or remove that line"):
        list(read_dataset(tmp_path / "p.jsonl"))


def test_a_gzip_file_that_was_cut_off_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(LINES.encode() * 100)[:-20])
    with pytest.raises(DatasetError, match="not readable"):
        list(read_dataset(tmp_path / "p.jsonl.gz"))


def test_many_rows_of_a_parquet_file_all_come_in_order(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": list(range(600))}), tmp_path / "p.parquet")
    assert [row["n"] for row in read_dataset(tmp_path / "p.parquet")] == list(range(600))


def test_files_of_a_folder_come_sorted_and_folders_with_such_names_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    for name in ("b.jsonl", "a.jsonl", "x.json/c.json", "d.csv"):
        (tmp_path / name).write_text('{"a": 1}\n')
    assert [path.name for path in dataset_files(tmp_path)] == ["a.jsonl", "b.jsonl", "c.json"]
