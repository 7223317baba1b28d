"""Files that are written all or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.scaffold.new_files import NewFiles


def test_all_are_written_and_named(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("old\n")
    draft = NewFiles(tmp_path, {"a/b.py": "é"}, {"rows.jsonl": "shared"}, {"README.md": "more\n"})
    names = ["a/b.py", "rows.jsonl", "README.md"]
    assert draft.write() == names
    written = {path: (tmp_path / path).read_text(encoding="utf-8") for path in names}
    assert written == {"a/b.py": "é", "rows.jsonl": "shared", "README.md": "old\nmore\n"}


def test_a_file_that_is_there_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("mine")
    (tmp_path / "c.py").write_text("mine")
    draft = NewFiles(tmp_path, {"a.py": "new", "b.py": "new", "c.py": "new"}, {"rows": "x"}, {"log": "x"})
    with pytest.raises(ValueError, match=r"^b\.py, c\.py in .* exist already and are left as they are$"):
        draft.write()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.py", "c.py"]


def test_shared_files_that_are_there_stay(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("mine")
    assert NewFiles(tmp_path, shared={"rows": "x", "more": "x"}).write() == ["more"]
    assert (tmp_path / "rows").read_text() == "mine"
