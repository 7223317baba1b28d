"""Files at paths and at addresses of object storage."""

import errno
from pathlib import Path

import pytest

from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import is_remote, under
from tests.s3_server import S3


@pytest.fixture(params=["path", "memory", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty folder of each kind."""
    if request.param == "path":
        return str(tmp_path)
    if request.param == "memory":
        return f"memory://{tmp_path.name}/run"
    made: S3 = request.getfixturevalue("s3")
    return made.at("run")


def test_what_was_written_is_read(folder: str) -> None:
    place = under(folder, "images/a.png")
    assert file_access.size(place) is None and not file_access.exists(place)
    file_access.write(place, b"first")
    file_access.write(place, b"second")
    assert file_access.read(place) == b"second" and file_access.size(place) == 6
    assert file_access.exists(place) and file_access.exists(under(folder, "images"))
    assert file_access.size(under(folder, "images")) is None
    with file_access.opened(place) as file:
        assert file.read(3) == b"sec"


def test_a_file_that_is_missing_or_too_large(folder: str) -> None:
    with pytest.raises(FileNotFoundError):
        file_access.read(under(folder, "none"))
    file_access.write(under(folder, "large"), b"x" * 100)
    assert len(file_access.read(under(folder, "large"), 100)) == 100
    with pytest.raises(OSError, match="more than 99 bytes"):
        file_access.read(under(folder, "large"), 99)


@pytest.mark.parametrize("scheme", ["memory", "s3"])
def test_one_writer_creates(scheme: str, s3: S3, tmp_path: Path) -> None:
    address = s3.at("lock") if scheme == "s3" else f"memory://{tmp_path.name}/lock"
    assert file_access.create(address, b"mine")
    assert not file_access.create(address, b"yours")
    assert file_access.read(address) == b"mine"
    file_access.delete([address, address])
    assert file_access.create(address, b"yours")


def test_many_are_deleted_and_no_other(folder: str) -> None:
    if not is_remote(folder):
        return
    names = ["a", "ab", "a*", "[a]", "deep/a"]
    for name in names:
        file_access.write(f"{folder}/{name}", b"x")
    file_access.delete([f"{folder}/{name}" for name in ("a*", "[a]", "deep/a", "none")])
    assert list(file_access.tree(folder)) == ["a", "ab"]
    file_access.delete([f"{folder}/a", f"{folder}/ab"])
    file_access.delete([])
    assert file_access.tree(folder) == {}


def test_listing_fetching_and_sending(s3: S3, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"bb")
    file_access.send(tmp_path / "b", s3.at("run/b"))
    file_access.write(s3.at("run/a"), b"a")
    file_access.write(s3.at("run/deep/c"), b"ccc")
    assert file_access.listed(s3.at("run")) == {"a": 1, "b": 2}
    assert file_access.tree(s3.at("run")) == {"a": 1, "b": 2, "deep/c": 3}
    assert file_access.listed(s3.at("nothing")) == {} == file_access.tree(s3.at("nothing"))
    file_access.fetch({s3.at("run/a"): tmp_path / "x" / "a", s3.at("run/deep/c"): tmp_path / "y" / "c"})
    assert (tmp_path / "x" / "a").read_bytes() == b"a" and (tmp_path / "y" / "c").read_bytes() == b"ccc"
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a", "b", "c"]


def test_an_empty_file(folder: str) -> None:
    place = under(folder, "empty")
    file_access.write(place, b"")
    assert file_access.read(place, 100) == b"" == file_access.read(place) and list(file_access.parts(place, 10)) == []


def test_a_file_in_parts(folder: str) -> None:
    place = under(folder, "file")
    file_access.write(place, b"abcdefg")
    assert list(file_access.parts(place, 3)) == [b"abc", b"def", b"g"]
    with pytest.raises(FileNotFoundError):
        list(file_access.parts(under(folder, "none"), 3))


@pytest.mark.parametrize("scheme", ["memory", "s3"])
def test_what_is_listed_is_bounded_and_begins_as_asked(scheme: str, s3: S3, tmp_path: Path) -> None:
    folder = s3.at("run") if scheme == "s3" else f"memory://{tmp_path.name}/run"
    for name in ("a.1", "a.2", "b.1", "deep/a.3", "deep/er/a.4"):
        file_access.write(f"{folder}/{name}", b"x")
    assert list(file_access.listed(folder, "a.")) == ["a.1", "a.2"]
    assert file_access.tree(folder, 5) == file_access.tree(folder) and len(file_access.tree(folder)) == 5
    with pytest.raises(OSError, match="more than 4 files"):
        file_access.tree(folder, 4)


def test_a_failed_fetch_leaves_nothing_half(s3: S3, tmp_path: Path) -> None:
    file_access.write(s3.at("a"), b"a")
    with pytest.raises(FileNotFoundError):
        file_access.fetch({s3.at("a"): tmp_path / "a", s3.at("none"): tmp_path / "none"})
    assert list(tmp_path.iterdir()) == []


def test_what_storage_raises_is_an_error_of_a_place(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="s3://no-such-bucket/x"):
        file_access.write("s3://no-such-bucket/x", b"")
    with pytest.raises(OSError, match="gcsfs"):
        file_access.read("gs://x/y")


def test_a_name_that_is_no_text(s3: S3) -> None:
    with pytest.raises(OSError, match="its name is no text"):
        file_access.read(s3.at("a\ud800"))


def test_no_room_for_copies_is_told_of_this_machine(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_access.write(s3.at("a"), b"a")

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_access._files(s3.at("a"))[0], "get", full)
    with pytest.raises(OSError, match=f"No space left on device, for copies of .*'{tmp_path}/copies'"):
        file_access.fetch({s3.at("a"): tmp_path / "copies" / "a"})


def test_what_would_stand_in_the_way(s3: S3) -> None:
    assert file_access.unreachable(s3.at("run")) == ""
    assert file_access.unreachable("s3://no-bucket-of-ours/run") == "there is no bucket s3://no-bucket-of-ours"
    assert "gcsfs" in file_access.unreachable("gs://x/run")


@pytest.mark.parametrize(
    ("refused", "listing", "says"),
    [("root", True, ""), ("root", False, ""), ("all", True, "Access Denied"), ("all", False, "")],
)
def test_credentials_that_let_see_little(
    s3: S3, monkeypatch: pytest.MonkeyPatch, refused: str, listing: bool, says: str
) -> None:
    files = file_access._files(s3.at("papers"))[0]
    info = files.info

    def let_in(key: str) -> object:
        if refused == "all" or "/" not in key:
            raise PermissionError(errno.EACCES, "Access Denied")
        return info(key)

    monkeypatch.setattr(files, "info", let_in)
    assert file_access.unreachable(s3.at("papers"), listing) == says
