from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from data_juicer_ext.export.atomic_folder import MARKER, check_target, content_digest, whole_folder


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


def test_an_export_that_was_edited_is_not_deleted(tmp_path: Path) -> None:
    make(tmp_path / "out", x="1")
    (tmp_path / "out" / "deep" / "x").write_text("a card that somebody has written on")
    with pytest.raises(ValueError, match="have been changed since: deep/x"):
        make(tmp_path / "out", overwrite=True, x="2")
    assert "somebody" in (tmp_path / "out" / "deep" / "x").read_text()


def killed(folder: Path, name: str, age: float = 100.0, **files: str) -> Path:
    """What an export leaves that was killed so many seconds ago."""
    make(folder / "made", **files)
    left = (folder / "made").rename(folder / name)
    os.utime(left, (time.time() - age,) * 2)
    return left


def test_what_a_killed_export_left_goes_with_the_next_one_to_the_same_folder(tmp_path: Path) -> None:
    killed(tmp_path, ".out.0123abcd.part", x="half")
    killed(tmp_path, ".other.0123abcd.part", x="half")
    killed(tmp_path, ".out.89abcdef.part", age=0, x="may have just begun")
    (tmp_path / ".out.ffffffff.part").mkdir()
    (tmp_path / ".out.ffffffff.part" / "mine").write_text("of somebody")
    os.utime(tmp_path / ".out.ffffffff.part", (0, 0))
    make(tmp_path / "out", x="1")
    assert {path.name for path in tmp_path.iterdir()} == {
        "out", ".other.0123abcd.part", ".out.89abcdef.part", ".out.ffffffff.part",
    }  # fmt: skip


def test_the_folder_of_an_export_that_still_runs_stays(tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="holds an export already"),
        whole_folder(tmp_path / "out", False, {}) as running,
    ):
        os.utime(running, (0, 0))
        make(tmp_path / "out", x="was faster")
        assert running.is_dir()
    assert (tmp_path / "out" / "deep" / "x").read_text() == "was faster" and not running.exists()


def test_an_export_that_was_being_replaced_comes_back(tmp_path: Path) -> None:
    killed(tmp_path, ".out.0123abcd.old", x="old")
    killed(tmp_path, ".out.0123abcd.part", x="new")
    with pytest.raises(ValueError, match="holds an export already"):
        make(tmp_path / "out", x="newer")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    killed(tmp_path, ".out.0123abcd.old", x="older")
    make(tmp_path / "out", overwrite=True, x="newer")
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "what has been replaced goes"


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    check_target(tmp_path / "out", overwrite=False)
    make(tmp_path / "out", x="1")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "1"


def test_many_strangers_are_told_by_five_of_them(tmp_path: Path) -> None:
    make(tmp_path / "out", x="1")
    for number in range(6):
        (tmp_path / "out" / f"mine{number}").touch()
    with pytest.raises(ValueError, match=r"since: mine0, mine1, mine2, mine3, mine4, \.\.\.; move them away first"):
        check_target(tmp_path / "out", overwrite=True)
    (tmp_path / "out" / "mine5").unlink()
    with pytest.raises(ValueError, match=r"mine3, mine4; move them away first"):
        check_target(tmp_path / "out", overwrite=True)


def test_a_link_in_an_export_and_one_of_its_files_that_is_gone(tmp_path: Path) -> None:
    make(tmp_path / "out", x="1", y="2")
    (tmp_path / "out" / "deep" / "y").unlink()
    check_target(tmp_path / "out", overwrite=True)  # nothing of somebody's would be lost
    (tmp_path / "out" / "deep" / "y").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="deep/y"):
        check_target(tmp_path / "out", overwrite=True)


def test_whether_the_folder_is_free_is_asked_again_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no export wrote"), whole_folder(tmp_path / "out", True, {}) as folder:
        (folder / "x").touch()
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").touch()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_what_is_told_of_an_export_may_be_filled_in_while_it_is_made(tmp_path: Path) -> None:
    about: dict[str, int] = {}
    with whole_folder(tmp_path / "out", False, about) as folder:
        (folder / "x").write_text("123")
        about["rows"] = 7
    told = json.loads((tmp_path / "out" / MARKER).read_text())
    assert told == {"made_by": "dj-ext export", "rows": 7, "files": {"x": 3}}


def test_an_export_that_can_not_take_its_place_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "out", x="old")
    rename = Path.rename

    def refuses(path: Path, target: Path) -> Path:
        if path.suffix == ".part":
            raise OSError(13, "not permitted")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuses)
    with pytest.raises(OSError, match="not permitted"):
        make(tmp_path / "out", overwrite=True, x="new")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    with pytest.raises(OSError, match="not permitted"):
        make(tmp_path / "fresh", x="new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(("age", "is_gone"), [(50.0, False), (70.0, True)])
def test_a_folder_of_less_than_a_minute_may_be_of_an_export_that_just_began(
    tmp_path: Path, age: float, is_gone: bool
) -> None:
    left = killed(tmp_path, ".out.0123abcd.part", age=age, x="half")
    make(tmp_path / "out", x="1")
    assert left.exists() is not is_gone


def test_an_export_whose_replacement_is_still_being_made_does_not_come_back_yet(tmp_path: Path) -> None:
    killed(tmp_path, ".out.0123abcd.old", x="old")
    killed(tmp_path, ".out.0123abcd.part", age=0, x="new")
    make(tmp_path / "out", x="newer")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "newer" and (tmp_path / ".out.0123abcd.old").exists()


def test_the_digest_is_of_names_sizes_content_and_order(tmp_path: Path) -> None:
    for name, text in {"a": "12", "b": "3", "c": "12"}.items():
        (tmp_path / name).write_text(text)
    expected = hashlib.sha256(b"a\x002\x0012b\x001\x003").hexdigest()
    assert content_digest(tmp_path, {"train": ["a"], "test": ["b"]}) == expected
    assert content_digest(tmp_path, {"train": ["a", "b"]}) == expected
    others = [content_digest(tmp_path, {"train": names}) for names in (["b", "a"], ["c", "b"], ["a"])]
    assert len({expected, *others}) == 4
    (tmp_path / "a").write_bytes(b"x" * (1 << 20) + b"y")  # more than is read at once
    large = hashlib.sha256(b"a\x001048577\x00" + b"x" * (1 << 20) + b"y").hexdigest()
    assert content_digest(tmp_path, {"train": ["a"]}) == large


def test_every_replaced_export_that_was_left_is_looked_at(tmp_path: Path) -> None:
    killed(tmp_path, ".out.fedcba98.old", x="old")
    (tmp_path / ".out.0123abcd.old").mkdir()
    (tmp_path / ".out.0123abcd.old" / "mine").write_text("of somebody")
    with pytest.raises(ValueError, match="holds an export already"):
        make(tmp_path / "out", x="newer")
    assert (tmp_path / "out" / "deep" / "x").read_text() == "old"
