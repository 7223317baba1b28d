from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.ops.empty_export import leave_empty


def test_the_rows_of_an_earlier_run_go_and_all_else_stays(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "notes.txt"):
        (tmp_path / name).write_text("x")
    leave_empty(tmp_path, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_overwrite_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("x")
    leave_empty(tmp_path, overwrite=False)
    assert (tmp_path / "a.json").exists()


@pytest.mark.parametrize("before", ["nothing", "zero_bytes"])
def test_the_folder_is_there(tmp_path: Path, before: str) -> None:
    folder = tmp_path / "deep" / "out"
    if before == "zero_bytes":
        folder.parent.mkdir()
        folder.write_text("")
    leave_empty(folder, overwrite=True)
    assert folder.is_dir() and not list(folder.iterdir())
