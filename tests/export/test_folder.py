from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.export.folder import MARKER, check_target, whole_folder


def make(target: Path, overwrite: bool = False, **files: str) -> None:
    with whole_folder(target, overwrite, {"rows": {}}) as folder:
        (folder / "deep").mkdir()
        for name, text in files.items():
            (folder / "deep" / name).write_text(text)


def test_a_folder_is_there_when_it_is_whole(tmp_path: Path) -> None:
    make(tmp_path / "a" / "out", x="1")
    told = json.loads((tmp_path / "a" / "out" / MARKER).read_text())
    assert told["files"] == {"deep/x": 1} and told["rows"] == {}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["out"], "nothing lies beside it"


def test_what_ends_badly_leaves_nothing(tmp_path: Path) -> None:
    make(tmp_path / "out", x="old")
    for target in ("out", "new"):
        with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / target, True, {}) as folder:
            (folder / "half").write_text("half")
            raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "deep" / "x").read_text() == "old"


def test_an_export_is_replaced_only_when_that_is_asked_for(tmp_path: Path) -> None:
    make(tmp_path / "out", x="old", y="old")
    with pytest.raises(ValueError, match="--overwrite"):
        make(tmp_path / "out", x="new")
    make(tmp_path / "out", overwrite=True, x="new")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "new" and not (tmp_path / "out" / "deep" / "y").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_not_ours_is_never_deleted(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "mine").write_text("mine")
    (tmp_path / "marked").mkdir()
    (tmp_path / "marked" / MARKER).write_text('{"made_by": "somebody", "files": {}}')
    make(tmp_path / "out", x="1")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "out")
    for target, says in (("papers", "no export wrote"), ("marked", "no export wrote"), ("out", "notes.txt"),
                         ("file", "is no folder"), ("link", "is no folder")):  # fmt: skip
        with pytest.raises(ValueError, match=says):
            make(tmp_path / target, overwrite=True)
    assert (tmp_path / "papers" / "mine").read_text() == (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    check_target(tmp_path / "out", overwrite=False)
    make(tmp_path / "out", x="1")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "1"
