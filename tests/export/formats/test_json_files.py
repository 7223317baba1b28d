"""Lines of JSON: one file per split, and the sidecar's places of samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.export.formats import json_files
from data_juicer_ext.export.formats.json_files import SIDECAR, LineFiles, json_line
from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.row_kinds import PAIRS
from tests.export.made_runs import row


def written(folder: Path, form: str, *splits: str) -> dict[str, list[str]]:
    """The files of rows in these splits, without images."""
    files = LineFiles(folder, ExportOptions(form), PAIRS)
    for number, split in enumerate(splits):
        files.add(split, row(number, "a.png", row_id=f"qa-{number}"), [])
    return files.end()


def places(folder: Path) -> list[tuple[Any, ...]]:
    told = map(json.loads, (folder / SIDECAR).read_text().splitlines())
    return [(one["split"], one["samples"][0]["file"], one["samples"][0]["line"]) for one in told]


def test_lines_are_counted_in_the_file_of_their_split(tmp_path: Path) -> None:
    assert written(tmp_path, "ms-swift", "train", "train", "test") == {"train": ["train.jsonl"], "test": ["test.jsonl"]}
    assert places(tmp_path) == [("train", "train.jsonl", 1), ("train", "train.jsonl", 2), ("test", "test.jsonl", 1)]
    assert len((tmp_path / "train.jsonl").read_text().splitlines()) == 2


def test_a_full_file_goes_on_in_the_next_for_openai_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "CHAT_EXAMPLES", 2)
    (tmp_path / "chat").mkdir()
    names = ["train.jsonl", "train-2.jsonl", "train-3.jsonl"]
    assert written(tmp_path / "chat", "openai", *["train"] * 5) == {"train": names}
    assert [file for _, file, _ in places(tmp_path / "chat")] == [names[0]] * 2 + [names[1]] * 2 + [names[2]]
    assert written(tmp_path, "ms-swift", *["train"] * 5) == {"train": ["train.jsonl"]}


def test_rows_as_lines_need_no_sidecar(tmp_path: Path) -> None:
    written(tmp_path, "jsonl", "train")
    assert [path.name for path in tmp_path.iterdir()] == ["train.jsonl"]


def test_a_list_is_one_value_whatever_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(json_files.TRAINERS, "llava", lambda dialogue, pictures, order: {"id": dialogue.id, "é": 1})
    assert written(tmp_path, "llava", "train", "train", "test") == {"train": ["train.json"], "test": ["test.json"]}
    text = (tmp_path / "train.json").read_text()
    assert [one["id"] for one in json.loads(text)] == ["qa-0", "qa-1"] and text.isascii()
    assert text.startswith('[\n{"id"') and text.endswith("}\n]\n") and text.count("\n") == 4


def test_a_line_of_json() -> None:
    assert json_line({"a": "é\u2028\u2029\x85"}) == '{"a": "é\\u2028\\u2029\\u0085"}\n'
    assert json_line({"a": "é"}, ascii_only=True) == '{"a": "\\u00e9"}\n'
