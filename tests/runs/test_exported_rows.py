from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from data_juicer_ext.runs.exported_rows import read_rows


def lines(*ids: str) -> str:
    return "".join(json.dumps({"row_id": i}) + "\n" for i in ids)


def test_one_file(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(lines("a", "b"))
    (tmp_path / "pairs_stats.jsonl").write_text(lines("x"))
    assert [row["row_id"] for row in read_rows(tmp_path / "pairs.jsonl")] == ["a", "b"]


def test_a_folder_of_shards_knows_a_row_by_its_id(tmp_path: Path) -> None:
    (tmp_path / "0_1.json").write_text(lines("a", "b"))
    (tmp_path / "0_2.json").write_text(lines("b", "c"))
    assert [row["row_id"] for row in read_rows(tmp_path)] == ["a", "b", "c"]


def test_parquet(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"row_id": ["a", "b"], "options": [["x"], ["y", "z"]]}), tmp_path / "p.parquet")
    assert [row["options"] for row in read_rows(tmp_path / "p.parquet")] == [["x"], ["y", "z"]]
    (tmp_path / "empty.parquet").touch()
    assert list(read_rows(tmp_path / "empty.parquet")) == []


@pytest.mark.parametrize("make", ["nothing", "zero_bytes", "empty_folder"])
def test_no_rows(tmp_path: Path, make: str) -> None:
    path = tmp_path / "out"
    if make == "zero_bytes":
        path.write_text("")
    elif make == "empty_folder":
        path.mkdir()
    assert list(read_rows(path)) == []


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(lines("a") + "{broken\n")
    with pytest.raises(ValueError, match=r"pairs\.jsonl:2: not JSON"):
        list(read_rows(tmp_path / "pairs.jsonl"))


def test_broken_lines_can_be_left_out_while_the_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(lines("a").encode() + b'{"row_id": "\xe2\x82')
    told: list[str] = []
    assert [row["row_id"] for row in read_rows(tmp_path / "pairs.jsonl", broken=told.append)] == ["a"]
    assert len(told) == 1 and "pairs.jsonl:2" in told[0]
