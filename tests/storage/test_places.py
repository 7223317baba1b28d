"""Files at paths and at addresses of object storage."""

import errno
from pathlib import Path

import pytest

from data_juicer_ext.storage import places
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
    assert places.size(place) is None and not places.exists(place)
    places.write(place, b"first")
    places.write(place, b"second")
    assert places.read(place) == b"second" and places.size(place) == 6
    assert places.exists(place) and places.exists(under(folder, "images"))
    assert places.size(under(folder, "images")) is None
    with places.opened(place) as file:
        assert file.read(3) == b"sec"


def test_a_file_that_is_missing_or_too_large(folder: str) -> None:
    with pytest.raises(FileNotFoundError):
        places.read(under(folder, "none"))
    places.write(under(folder, "large"), b"x" * 100)
    assert len(places.read(under(folder, "large"), 100)) == 100
    with pytest.raises(OSError, match="more than 99 bytes"):
        places.read(under(folder, "large"), 99)


@pytest.mark.parametrize("scheme", ["memory", "s3"])
def test_one_writer_creates(scheme: str, s3: S3, tmp_path: Path) -> None:
    address = s3.at("lock") if scheme == "s3" else f"memory://{tmp_path.name}/lock"
    assert places.create(address, b"mine")
    assert not places.create(address, b"yours")
    assert places.read(address) == b"mine"
    places.delete([address, address])
    assert places.create(address, b"yours")


def test_many_are_deleted_and_no_other(folder: str) -> None:
    if not is_remote(folder):
        return
    names = ["a", "ab", "a*", "[a]", "deep/a"]
    for name in names:
        places.write(f"{folder}/{name}", b"x")
    places.delete([f"{folder}/{name}" for name in ("a*", "[a]", "deep/a", "none")])
    assert list(places.tree(folder)) == ["a", "ab"]
    places.delete([f"{folder}/a", f"{folder}/ab"])
    places.delete([])
    assert places.tree(folder) == {}


def test_listing_fetching_and_sending(s3: S3, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"bb")
    places.send(tmp_path / "b", s3.at("run/b"))
    places.write(s3.at("run/a"), b"a")
    places.write(s3.at("run/deep/c"), b"ccc")
    assert places.listed(s3.at("run")) == {"a": 1, "b": 2}
    assert places.tree(s3.at("run")) == {"a": 1, "b": 2, "deep/c": 3}
    assert places.listed(s3.at("nothing")) == {} == places.tree(s3.at("nothing"))
    places.fetch({s3.at("run/a"): tmp_path / "x" / "a", s3.at("run/deep/c"): tmp_path / "y" / "c"})
    assert (tmp_path / "x" / "a").read_bytes() == b"a" and (tmp_path / "y" / "c").read_bytes() == b"ccc"
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a", "b", "c"]


def test_an_empty_file(folder: str) -> None:
    place = under(folder, "empty")
    places.write(place, b"")
    assert places.read(place, 100) == b"" == places.read(place) and list(places.parts(place, 10)) == []


def test_a_file_in_parts(folder: str) -> None:
    place = under(folder, "file")
    places.write(place, b"abcdefg")
    assert list(places.parts(place, 3)) == [b"abc", b"def", b"g"]
    with pytest.raises(FileNotFoundError):
        list(places.parts(under(folder, "none"), 3))


@pytest.mark.parametrize("scheme", ["memory", "s3"])
def test_what_is_listed_is_bounded_and_begins_as_asked(scheme: str, s3: S3, tmp_path: Path) -> None:
    folder = s3.at("run") if scheme == "s3" else f"memory://{tmp_path.name}/run"
    for name in ("a.1", "a.2", "b.1", "deep/a.3", "deep/er/a.4"):
        places.write(f"{folder}/{name}", b"x")
    assert list(places.listed(folder, "a.")) == ["a.1", "a.2"]
    assert places.tree(folder, 5) == places.tree(folder) and len(places.tree(folder)) == 5
    with pytest.raises(OSError, match="more than 4 files"):
        places.tree(folder, 4)


def test_a_failed_fetch_leaves_nothing_half(s3: S3, tmp_path: Path) -> None:
    places.write(s3.at("a"), b"a")
    with pytest.raises(FileNotFoundError):
        places.fetch({s3.at("a"): tmp_path / "a", s3.at("none"): tmp_path / "none"})
    assert list(tmp_path.iterdir()) == []


def test_what_storage_raises_is_an_error_of_a_place(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="s3://no-such-bucket/x"):
        places.write("s3://no-such-bucket/x", b"")
    with pytest.raises(OSError, match="gcsfs"):
        places.read("gs://x/y")


def test_a_name_that_is_no_text(s3: S3) -> None:
    with pytest.raises(OSError, match="its name is no text"):
        places.read(s3.at("a\ud800"))


def test_no_room_for_copies_is_told_of_this_machine(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places.write(s3.at("a"), b"a")

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(places._files(s3.at("a"))[0], "get", full)
    with pytest.raises(OSError, match=f"No space left on device, for copies of .*'{tmp_path}/copies'"):
        places.fetch({s3.at("a"): tmp_path / "copies" / "a"})


def test_what_would_stand_in_the_way(s3: S3) -> None:
    assert places.unreachable(s3.at("run")) == ""
    assert places.unreachable("s3://no-bucket-of-ours/run") == "there is no bucket s3://no-bucket-of-ours"
    assert "gcsfs" in places.unreachable("gs://x/run")


@pytest.mark.parametrize(
    ("refused", "listing", "says"),
    [("root", True, ""), ("root", False, ""), ("all", True, "Access Denied"), ("all", False, "")],
)
def test_credentials_that_let_see_little(
    s3: S3, monkeypatch: pytest.MonkeyPatch, refused: str, listing: bool, says: str
) -> None:
    files = places._files(s3.at("papers"))[0]
    info = files.info

    def let_in(key: str) -> object:
        if refused == "all" or "/" not in key:
            raise PermissionError(errno.EACCES, "Access Denied")
        return info(key)

    monkeypatch.setattr(files, "info", let_in)
    assert places.unreachable(s3.at("papers"), listing) == says
