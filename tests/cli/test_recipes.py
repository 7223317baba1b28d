"""`dj-ext recipes`: a folder to try everything in, filled once and never overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.ops.recipe.recipe_check import check
from data_juicer_ext.prompts import shipped_folder


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_lists_recipes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes"]) == 0
    listed = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert all(path.is_file() for path in listed) and "quickstart.yaml" in {path.name for path in listed}


def test_what_it_copies_is_all_that_the_demos_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new" / "demo"
    assert main(["recipes", "--to", str(folder)]) == 0
    monkeypatch.chdir(folder)
    assert check(Path("recipes/quickstart.yaml")) == check(Path("recipes/quickstart_scifigqual.yaml")) == []
    copied = files(folder)
    for name in ("recipes", "prompts", "examples"):
        there = {f"{name}/{path}" for path in files(shipped_folder(name)) if "__pycache__" not in path}
        assert there == {path for path in copied if path.startswith(f"{name}/")}


def test_a_second_time_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", "--to", str(tmp_path)]) == 0
    before = files(tmp_path)
    capsys.readouterr()
    assert main(["recipes", "--to", str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3 and all(": 0 files, " in line and "were there already" in line for line in said)
    assert files(tmp_path) == before


def test_files_of_the_users_own_stay_and_what_is_missing_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recipes").mkdir()
    own, changed = tmp_path / "recipes" / "mine.yaml", tmp_path / "recipes" / "quickstart.yaml"
    own.write_text("mine")
    changed.write_text("changed")
    assert main(["recipes", "--to", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert f"{changed}: left as they are" in said and "name another folder" in said
    assert own.read_text() == "mine" and changed.read_text() == "changed"
    assert (tmp_path / "recipes" / "verisciqa.yaml").is_file() and (tmp_path / "examples" / "papers.jsonl").is_file()


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f").touch()
    assert main(["recipes", "--to", str(tmp_path / "f")]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err
