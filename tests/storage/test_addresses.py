"""Addresses of object storage and paths, as text."""

from __future__ import annotations

import pytest

from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import is_below, is_remote, under, wrong_address


@pytest.mark.parametrize(
    "place",
    ["http://127.0.0.1:1/a.png", "https://a/b", "ftp://a/b", "github://a/b", "a://", "webhdfs://h:1/a",
     "s3://x::file:///etc/passwd"],
)  # fmt: skip
def test_no_server_of_the_web_is_asked(place: str) -> None:
    assert not is_remote(place) and file_access.size(place) is None
    with pytest.raises(FileNotFoundError):
        file_access.read(place)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("s3://bucket/run", ""), ("s3://bucket", ""), ("/a/b", ""), ("run", ""), ("file:///a", ""), ("./a:/b", ""),
        ("s3://", "is no address"), ("s3:/bucket/run", "is no address"), ("S3://bucket/run", "is no address"),
        ("http://h/run", "is no address"), ("s3:///run", "is no address"), ("s3://key:word@bucket/run", "a key in an"),
    ],
)  # fmt: skip
def test_addresses_that_will_not_do(text: str, says: str) -> None:
    found = wrong_address(text)
    assert (says in found if says else found == "") and "word" not in found


@pytest.mark.parametrize("name", ["", "/a", "../a", "a/../../b", "a\x00"])
def test_names_that_leave_their_folder(name: str) -> None:
    assert not is_below(name) and is_below("a/..b/c")


@pytest.mark.parametrize(
    ("folder", "name", "place"),
    [
        ("s3://b/p", "1.tar.gz", "s3://b/p/1.tar.gz"), ("s3://b/p/", "a/1", "s3://b/p/a/1"),
        ("/papers", "s3://b/1", "s3://b/1"), ("s3://b", "/papers/1", "/papers/1"),
        ("/papers", "1", "/papers/1"), ("file:///papers", "1", "/papers/1"), ("/papers", "/other/1", "/other/1"),
    ],
)  # fmt: skip
def test_a_name_below_a_folder(folder: str, name: str, place: str) -> None:
    assert under(folder, name) == place
