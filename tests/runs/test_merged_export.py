from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data_juicer_ext.runs.exported_rows import Merged
from tests.host import write_rows


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
