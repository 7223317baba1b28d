from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from data_juicer_ext.runs.exported_rows import Merged, read_rows
from data_juicer_ext.storage.json_lines import JsonLinesError
from tests.host import write_rows


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


def test_shards_of_one_file_stand_beside_their_statistics(tmp_path: Path) -> None:
    for name in ("pairs-00-of-02.jsonl", "pairs-01-of-02.jsonl", "pairs-00-of-02_stats.jsonl", "pairs-00-of-02.json"):
        (tmp_path / name).write_text(lines(name))
    rows = [row["row_id"] for row in read_rows(tmp_path / "pairs.jsonl")]
    assert rows == ["pairs-00-of-02.jsonl", "pairs-01-of-02.jsonl"]


def test_of_a_folder_only_files_of_rows_are_read_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "d.json").mkdir()
    for name in ("sub/b.jsonl", "a.json", "c.txt"):
        (tmp_path / name).write_text(lines(name))
    assert [row["row_id"] for row in read_rows(tmp_path)] == ["a.json", "sub/b.jsonl"]


def test_rows_without_an_id_are_all_given_and_another_name_may_tell_them_apart(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(lines("a", "a", "") + '{"n": 1}\n\n{"n": 1}\n{"row_id": 0}\n')
    assert len(list(read_rows(path))) == 5
    assert len(list(read_rows(path, known_by=lambda row: ("one",)))) == 1
    assert len(list(read_rows(path, known_by=lambda row: ("",)))) == 6


@pytest.mark.parametrize(
    ("line", "says"), [("[1]", "not a JSON object"), ("[" * 100_000, "not JSON"), ("x", "not JSON")]
)
def test_each_broken_line_is_told_and_the_others_come(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{line}\n" + lines("a"))
    told: list[str] = []
    assert [row["row_id"] for row in read_rows(path, broken=told.append)] == ["a"]
    assert len(told) == 1 and told[0].startswith(f"{path}:1: {says}")
    with pytest.raises(ValueError, match=says):
        list(read_rows(path))


def test_a_file_that_is_no_utf_8_is_an_error_unless_broken_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b'{"row_id": "\xff"}\n')
    with pytest.raises(JsonLinesError, match=r"pairs\.jsonl:1: not JSON .*utf-8"):
        list(read_rows(path))
    assert [row["row_id"] for row in read_rows(path, broken=print)] == ["\ufffd"]


def ids(path: Path) -> list[str]:
    return [json.loads(line)["row_id"] for line in path.read_text().splitlines()]


def test_a_row_stands_once_however_often_it_was_exported(tmp_path: Path) -> None:
    one = write_rows(tmp_path / "one.jsonl", [{"row_id": "a"}, {"row_id": "b"}, {"row_id": "a"}])
    folder = tmp_path / "two"
    folder.mkdir()
    write_rows(folder / "x.json", [{"row_id": "b"}, {"row_id": "c"}])
    merged = Merged(tmp_path / "pairs.jsonl")
    merged.rebuild([one])
    merged.add(folder)
    merged.add(folder)
    assert ids(merged.path) == ["a", "b", "c"] and merged.count == 3
    merged.rebuild([folder, one, tmp_path / "missing"])
    assert ids(merged.path) == ["b", "c", "a"] and merged.count == 3


def test_what_a_kill_left_behind_is_gone_after_a_rebuild(tmp_path: Path) -> None:
    one = write_rows(tmp_path / "one.jsonl", [{"row_id": "a"}])
    (tmp_path / "pairs.jsonl").write_text('{"row_id": "a"}\n{"row_id": "hal')
    merged = Merged(tmp_path / "pairs.jsonl")
    merged.rebuild([one])
    assert ids(merged.path) == ["a"]


def test_undecided_rows_stand_once_a_listing(tmp_path: Path) -> None:
    def row(row_id: str, tag: str) -> dict[str, Any]:
        return {"row_id": row_id, "undecided": {"tag": tag}}

    one = write_rows(tmp_path / "one.jsonl", [row("a", "s"), row("a", "t"), row("a", "s")])
    merged = Merged(tmp_path / "undecided.jsonl")
    merged.rebuild([one])
    assert ids(merged.path) == ["a", "a"]


def test_rows_without_an_id_are_all_kept_and_stats_left_out(tmp_path: Path) -> None:
    one = write_rows(tmp_path / "one.jsonl", [{"text": "x", "__dj__stats__": {"n": 1}}, {"text": "x"}])
    merged = Merged(tmp_path / "pairs.jsonl")
    merged.rebuild([one])
    assert merged.path.read_text() == '{"text": "x"}\n' * 2
    with_stats = Merged(tmp_path / "with.jsonl", with_stats=True)
    with_stats.rebuild([one])
    assert "__dj__stats__" in with_stats.path.read_text()
