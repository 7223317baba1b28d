"""Papers at addresses, as paths; and a storage that fails against a file that is missing."""

from __future__ import annotations

import errno
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from data_juicer_ext.storage import file_access, papers
from data_juicer_ext.storage.papers import StorageError, here
from tests.s3_server import S3
from tests.storage.down import take_down

MANY = 1 << 20
REPO = Path(__file__).resolve().parents[2]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made; empty when no paper is being read."""
    folder = tmp_path / "room"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(params=["memory", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return f"memory://{tmp_path.name}/papers"
    made: S3 = request.getfixturevalue("s3")
    return made.at("papers")


def test_a_path_is_itself(tmp_path: Path) -> None:
    with here(tmp_path / "gone", 0) as path:
        assert path == tmp_path / "gone"
    with here(f"file://{tmp_path}", 0) as path:
        assert path == tmp_path


def test_an_object_is_a_copy_for_a_time(folder: str, room: Path) -> None:
    file_access.write(f"{folder}/2101.00001.tar.gz", b"paper")
    with here(f"{folder}/2101.00001.tar.gz", 5) as path:
        assert path.name == "2101.00001.tar.gz" and path.read_bytes() == b"paper"
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert not path.exists() and not list(room.iterdir())


def test_a_folder_is_a_copy_of_its_tree(folder: str, room: Path) -> None:
    for name in ("p/ms.tex", "p/figures/a.png", "p/figures/deep/b.png", "p2/ms.tex"):
        file_access.write(f"{folder}/{name}", name.encode())
    for address in (f"{folder}/p", f"{folder}/p/"):
        with here(address, MANY, 3) as path:
            found = {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert path.name == "p"
    assert found == {name: f"p/{name}".encode() for name in ("ms.tex", "figures/a.png", "figures/deep/b.png")}
    assert not list(room.iterdir())


def test_a_copy_goes_whatever_happens(folder: str, room: Path) -> None:
    file_access.write(f"{folder}/a", b"a")
    with pytest.raises(KeyError), here(f"{folder}/a", 1):
        raise KeyError
    assert not list(room.iterdir())


def test_a_copy_that_cannot_go_does_not_cost_the_row(folder: str, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_access.write(f"{folder}/a", b"a")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTEMPTY, "a file came in the meantime")

    with monkeypatch.context() as patched, here(f"{folder}/a", 1) as path:
        patched.setattr(os, "rmdir", full)
        assert path.read_bytes() == b"a"


def test_nothing_there_is_told_by_its_address(folder: str, room: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, here(f"{folder}/gone", MANY, 9):
        pass
    assert error.value.filename == f"{folder}/gone" and not list(room.iterdir())
    with pytest.raises(FileNotFoundError), here("s3://no-such-bucket/x", MANY, 9):
        pass


def test_too_much_is_not_fetched(folder: str, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        file_access.write(f"{folder}/p/{name}", b"four")
    monkeypatch.setattr(file_access, "fetch", None)
    for address, most_bytes, most_files, words in (
        (f"{folder}/p/a", 3, 9, "more than 3 bytes"), (f"{folder}/p", 11, 9, "more than 11 bytes"),
        (f"{folder}/p", 12, 2, "more than 2 files"),
    ):  # fmt: skip
        with pytest.raises(OSError, match=words) as error, here(address, most_bytes, most_files):
            pass
        assert error.value.errno == errno.EFBIG and error.value.filename == address
    with pytest.raises(IsADirectoryError), here(f"{folder}/p", MANY):
        pass
    assert not list(room.iterdir())


def test_no_key_leaves_the_folder(s3: S3, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are any text; those below are as another program may have written them."""
    long = "x" * 300
    names = ("../up", "a/../../up", "./dot", "/absolute", "nul\0", long, "ms.tex", "dir", "dir/in", "dir/..", "e\u0301")
    monkeypatch.setattr(file_access, "tree", lambda *_: dict.fromkeys(names, 1))
    monkeypatch.setattr(file_access, "size", lambda _: None)
    fetched: dict[str, Path] = {}
    monkeypatch.setattr(file_access, "fetch", fetched.update)
    with here(s3.at("p"), MANY, MANY) as path:
        assert path.parent.parent == room
    assert {str(target.relative_to(path)) for target in fetched.values()} == {"ms.tex", "dir/in", "e\u0301"}
    assert set(fetched) == {s3.at(f"p/{name}") for name in ("ms.tex", "dir/in", "e\u0301")}


def test_an_empty_object_that_marks_a_folder(s3: S3, room: Path) -> None:
    file_access.write(s3.at("p"), b"")
    file_access.write(s3.at("p/ms.tex"), b"x")
    file_access.write(s3.at("empty"), b"")
    with here(s3.at("p"), MANY, MANY) as path:
        assert [file.name for file in path.iterdir()] == ["ms.tex"]
    with here(s3.at("empty"), MANY, MANY) as path:
        assert path.read_bytes() == b""
    with pytest.raises(OSError, match="is a whole bucket"), here(s3.at(), MANY, MANY):
        pass


def test_keys_with_dots_in_a_real_bucket(s3: S3, room: Path, tmp_path: Path) -> None:
    for key in ("p/ms.tex", "p/../../../escaped", "p/a/../b"):
        file_access.write(s3.at(key), b"x")
    with here(s3.at("p"), MANY, MANY) as path:
        assert [file.name for file in path.rglob("*")] == ["ms.tex"]
    assert not (tmp_path / "escaped").exists() and not (room / "escaped").exists()


def test_an_own_name_that_no_file_can_have(s3: S3) -> None:
    file_access.write(s3.at("p/" + "x" * 300), b"long")
    with here(s3.at("p/" + "x" * 300), MANY) as path:
        assert path.read_bytes() == b"long"


def test_a_storage_that_fails_is_no_missing_file(s3: S3, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_access.write(s3.at("a"), b"a")
    take_down(monkeypatch)
    for ask in (papers.read, papers.size, lambda place: here(place, MANY, MANY).__enter__()):
        with pytest.raises(StorageError) as error:
            ask(s3.at("a"))
        assert str(error.value) == f"{s3.at('a')} can't be read at the moment (Connection refused)"
    with pytest.raises(StorageError, match=r"can't be written \(Connection refused\)"):
        papers.write(s3.at("b"), b"b")
    assert not list(room.iterdir())


@pytest.mark.slow
def test_a_server_that_is_not_there(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library itself raises then, in a process that never met the server."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        env = {**os.environ, **s3.env, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{taken.getsockname()[1]}"}
        script = "from data_juicer_ext.storage import papers; papers.read('s3://bucket/paper.pdf')"
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, cwd=REPO)
    last = done.stderr.splitlines()[-1]
    assert "StorageError: s3://bucket/paper.pdf can't be read at the moment (Could not connect" in last


def test_what_cannot_be_an_address_is_the_rows_fault(s3: S3) -> None:
    for address in ("gs://x/y", "s3://No_Such:Bucket!/x"):
        with pytest.raises(OSError) as error:
            papers.read(address)
        assert not isinstance(error.value, StorageError)


def test_writing_that_fails_names_the_place(s3: S3) -> None:
    with pytest.raises(StorageError, match=r"s3://no-such-bucket/x can't be written \(there is no such bucket\)"):
        papers.write("s3://no-such-bucket/x", b"")
    with pytest.raises(FileExistsError):
        papers.write(f"{__file__}/x", b"")


def test_it_goes_through_processes() -> None:
    error = pickle.loads(pickle.dumps(StorageError(errno.ENOENT, "can't be read", "s3://b/x")))
    assert isinstance(error, StorageError) and str(error) == "s3://b/x can't be read" and error.errno == errno.ENOENT


def test_no_room_for_copies_is_no_missing_paper(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_access.write(s3.at("a"), b"a")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StorageError, match="can't be copied here"), here(s3.at("a"), MANY):
        pass


def test_images_of_a_run_folder(tmp_path: Path, s3: S3) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "a.png").touch()
    assert papers.found_image(str(images / "a.png"), tmp_path) == str(images / "a.png")
    assert papers.found_image("/moved/images/a.png", images) == str(images / "a.png")
    assert papers.found_image(s3.at("run/images/a.png"), images) == str(images / "a.png")
    assert papers.found_image(s3.at("run/images/b.png"), images) == s3.at("run/images/b.png")
    assert papers.found_image("/moved/images/b.png", s3.at("run/images")) == s3.at("run/images/b.png")


def test_where_relative_paths_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert papers.root_folder("s3://b/papers") == "s3://b/papers"
    assert papers.root_folder("papers") == str(tmp_path / "papers")
