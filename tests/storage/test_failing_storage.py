"""What a storage raises, told by whether it says something about the file or about the storage."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.storage import file_access, papers
from tests.s3_server import S3

ADDRESS = "memory://bucket/file"


class Storage:
    """A file system in which everything fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getattr__(self, name: str) -> Any:
        def fail(*arguments: object, **options: object) -> None:
            raise self.error

        return fail


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(error: Exception) -> None:
        monkeypatch.setattr(file_access, "_files", lambda address: (Storage(error), "bucket/file"))

    return put


@pytest.mark.parametrize(
    ("error", "number", "text"),
    [
        (PermissionError(errno.EACCES, "Access Denied"), errno.EACCES, "Access Denied"),
        (OSError("no  route\nto host"), errno.EIO, "no route to host"),
        (RuntimeError("connection\nlost"), errno.EIO, "connection lost"),
        (RuntimeError(), errno.EIO, "RuntimeError"),
        (UnicodeEncodeError("utf-8", "a", 0, 1, "no"), errno.EILSEQ, "its name is no text"),
        (FileNotFoundError("bucket/file"), errno.ENOENT, "there is no such object"),
        (FileNotFoundError("The bucket does not exist"), errno.ENOENT, "The bucket does not exist"),
    ],
)
def test_every_error_is_an_oserror_with_a_number_a_text_and_the_place(
    failing: Any, error: Exception, number: int, text: str
) -> None:
    failing(error)
    with pytest.raises(OSError) as raised:
        file_access.read(ADDRESS)
    assert (raised.value.errno, raised.value.strerror) == (number, text)
    assert ADDRESS in str(raised.value.filename)


@pytest.mark.parametrize("ask", [papers.read, papers.size, lambda place: list(papers.parts(place, 10))])
def test_a_storage_that_refuses_or_is_down_is_not_taken_for_a_missing_file(failing: Any, ask: Any) -> None:
    for error in (PermissionError(errno.EACCES, "Access Denied"), RuntimeError("down"), OSError(errno.ENOSPC, "full")):
        failing(error)
        with pytest.raises(papers.StorageError, match=f"{ADDRESS} can't be read at the moment"):
            ask(ADDRESS)


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EFBIG, errno.EISDIR, errno.EILSEQ, errno.EPROTO])
def test_what_is_said_of_the_file_is_its_rows_fault(failing: Any, number: int) -> None:
    failing(OSError(number, "of the file"))
    with pytest.raises(OSError) as raised:
        papers.read(ADDRESS)
    assert not isinstance(raised.value, papers.StorageError) and raised.value.errno == number


def test_a_file_here_that_may_not_be_read_is_no_failing_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(file_access, "read", refuse)
    with pytest.raises(PermissionError):
        papers.read("/a/file")


def test_what_can_not_be_written_is_a_failing_storage_at_an_address_alone(failing: Any, tmp_path: Path) -> None:
    failing(FileNotFoundError("bucket"))
    with pytest.raises(papers.StorageError, match=r"can't be written \(there is no such bucket\)"):
        papers.write(ADDRESS, b"")
    failing(PermissionError(errno.EACCES, "Access Denied"))
    with pytest.raises(papers.StorageError, match=r"can't be written \(Access Denied\)"):
        papers.write(ADDRESS, b"")
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as raised:
        papers.write(tmp_path / "file" / "inside", b"")
    assert not isinstance(raised.value, papers.StorageError)


def test_a_folder_has_no_parts(s3: S3) -> None:
    file_access.write(s3.at("run/a"), b"a")
    with pytest.raises(IsADirectoryError):
        list(papers.parts(s3.at("run"), 10))
    with pytest.raises(FileNotFoundError):
        list(papers.parts(s3.at("none"), 10))


def test_what_others_write_is_seen_in_a_folder_that_was_listed_before(s3: S3) -> None:
    import fsspec

    file_access.write(s3.at("run/a"), b"a")
    assert list(file_access.listed(s3.at("run"))) == list(file_access.tree(s3.at("run"))) == ["a"]
    other, key = fsspec.core.url_to_fs(s3.at("run/b"), skip_instance_cache=True)
    other.pipe_file(key, b"b")
    assert list(file_access.listed(s3.at("run"))) == list(file_access.tree(s3.at("run"))) == ["a", "b"]


def test_a_whole_file_is_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "deep" / "file"
    file_access.write(place, b"old")

    def cut(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", cut)
    with pytest.raises(OSError, match="No space"):
        file_access.write(place, b"new")
    assert file_access.read(place) == b"old" and [path.name for path in place.parent.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("address", "error", "text"),
    [
        (ADDRESS, ValueError("no region"), "ValueError: no region"), (ADDRESS, KeyError("x"), "KeyError: 'x'"),
        ("s3://bucket/file", ImportError("No module named 's3fs'"), f"No module named 's3fs': {file_access.EXTRA}"),
        ("gs://bucket/file", ImportError("Install gcsfs"), "Install gcsfs"),
    ],
)  # fmt: skip
def test_a_storage_that_can_not_be_set_up_is_an_oserror_too(
    monkeypatch: pytest.MonkeyPatch, address: str, error: Exception, text: str
) -> None:
    def fail(process: int, root: str) -> None:
        raise error

    monkeypatch.setattr(file_access, "_files_of", fail)
    with pytest.raises(OSError) as raised:
        file_access.read(address)
    assert (raised.value.errno, raised.value.strerror, raised.value.filename) == (errno.EPROTO, text, address)
