"""What of a folder is a file of the paper."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from data_juicer_ext.latex.source.folder import list_files
from tests.latex.papers import write


def test_files_by_their_path(tmp_path: Path) -> None:
    write(tmp_path, {"ms.tex": "", "b/c/x.png": "", "b/a.png": "", ".git/config": ""})
    assert list_files(tmp_path, 100) == ({name: name for name in ("ms.tex", "b/a.png", "b/c/x.png")}, [])


def test_links_that_lead_out_or_nowhere_or_round_in_circles(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"")
    folder = write(tmp_path / "p", {"ms.tex": "", "figs/a.png": ""})
    (folder / "b.png").symlink_to("figs/a.png")
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "loop").symlink_to(folder)
    (folder / "figs" / "up").symlink_to("..")
    (folder / "gone.png").symlink_to("nothing.png")
    (folder / "self.png").symlink_to("self.png")
    (folder / "zero").symlink_to("/dev/zero")
    files, notes = list_files(folder, 100)
    assert sorted(files) == ["b.png", "figs/a.png", "ms.tex"]
    assert sorted(notes) == [
        "file refused: 'figs/up': it is a link to a folder",
        "file refused: 'gone.png': it is a link that leads nowhere",
        "file refused: 'loop': it is a link to a folder",
        "file refused: 'out.png': it is a link out of the paper's folder",
        "file refused: 'self.png': it is a link that leads nowhere",
        "file refused: 'zero': it is a link out of the paper's folder",
    ]


def test_pipes_and_sockets(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.tex")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.tex"))
        files, notes = list_files(tmp_path, 100)
    assert not files
    assert notes == [f"file refused: {name!r}: it is a device, a pipe or a socket" for name in ("pipe.tex", "s.tex")]


def test_a_folder_of_very_many_files_is_looked_at_in_part(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.tex": "" for number in range(30)})
    files, notes = list_files(tmp_path, 20)
    assert len(files) == 20 and notes == ["the folder holds more than 20 files; the rest was not looked at"]


def test_folders_as_deep_as_the_system_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ms.tex").touch()
    monkeypatch.chdir(tmp_path)
    for _ in range(1200):
        Path("d").mkdir()
        monkeypatch.chdir("d")
    Path("deep.tex").touch()
    files, notes = list_files(tmp_path, 5000)
    Path("deep.tex").unlink()
    for _ in range(1200):
        monkeypatch.chdir("..")
        Path("d").rmdir()
    assert "ms.tex" in files
    assert len(files) + len(notes) == 2


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xe9t\xe9.png")
    (tmp_path / odd).touch()
    (tmp_path / "ü.png").touch()
    assert list_files(tmp_path, 10)[0] == {"été.png": odd, "ü.png": "ü.png"}


def test_a_folder_that_can_not_be_read_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.tex").write_text("x")
    scan = os.scandir

    def scanned(folder: Path) -> object:
        if folder.name == "a":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scanned)
    files, notes = list_files(tmp_path, 99)
    assert list(files) == ["b/x.tex"] and "the folder can't be read (Permission denied)" in notes[0]
