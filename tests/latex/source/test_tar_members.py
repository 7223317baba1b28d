"""Our tar reader beside the standard library's, and headers at which that one hangs."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.latex.source.tar_members import NoHeaderError, TarError, is_tar, tar_members
from tests.latex.archives import header, member, record

END = bytes(1024)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=160)
FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def members(data: bytes) -> list[tuple[str, str, bytes]]:
    return [(found.name, found.refusal, found.read()) for found in tar_members(io.BytesIO(data))]


@given(st.lists(st.tuples(NAMES, st.binary(max_size=1500)), max_size=4), st.sampled_from(FORMATS))
def test_reads_what_the_standard_library_writes(files: list[tuple[str, bytes]], kind: int) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for name, data in files:
            info = tarfile.TarInfo(f"folder/{name}")
            info.size, info.mtime = len(data), 1.5
            try:
                archive.addfile(info, io.BytesIO(data))
            except ValueError:  # ustar has no room for the name
                return
    assert members(out.getvalue()) == [(f"folder/{name}", "", data) for name, data in files]


def test_old_tars_have_no_mark() -> None:
    old = header(b"a.tex", b"3", magic=bytes(8), kind=b"\0") + b"abc" + bytes(509)
    folder = header(b"sub/", magic=bytes(8), kind=b"\0")
    assert is_tar(old[:512])
    assert members(folder + old + END) == [("sub/", "it is a folder", b""), ("a.tex", "", b"abc")]
    assert not is_tar(b"x" * 512) and not is_tar(old[:400]) and not is_tar(b"\\documentclass" + b" " * 600)


def test_a_checksum_of_signed_bytes_counts() -> None:
    block = bytearray(header("é.tex".encode("latin-1")))
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + sum(block[156:]) + 256 - 256)
    assert members(bytes(block) + END) == [("é.tex", "", b"")]


def test_an_end_without_empty_blocks_is_an_end() -> None:
    assert members(member(b"a", b"x")) == [("a", "", b"x")]
    assert members(b"") == []


def test_a_member_that_is_left_is_skipped() -> None:
    data = member(b"a", b"x" * 3_000_000) + member(b"b", b"y") + END
    assert [found.name for found in tar_members(io.BytesIO(data))] == ["a", "b"]
    assert [found.read(2) for found in tar_members(io.BytesIO(data))] == [b"xx", b"y"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (member(b"p", record(b"size", b"-1536"), b"x") + member(b"a", b"x") + END, "size of the member at byte 1024"),
        (header(b"a", b"-0000000512") + END, "size of the member at byte 0"),
        (header(b"a", b"\xff" * 12) + END, "size of the member at byte 0"),
        (header(b"a", b"9999") + END, "size of the member at byte 0"),
        (member(b"a", b"x" * 600)[:900], "ends in the middle of 'a'"),
        (header(b"a", b"\x80" + b"\xff" * 11) + END, "ends in the middle of 'a'"),
        (member(b"p", b"99 path=a\n", b"x") + END, "extended header is broken"),
        (member(b"p", b"1" * 600, b"x") + END, "extended header is broken"),
        (member(b"p", b"0 path=a\n", b"x") + END, "extended header is broken"),
        (header(b"p", b"%o" % 2_000_000, b"L") + bytes(2_000_256), "too long"),
        (header(b"p", kind=b"x") * 200, "too long"),
        (header(b"a", b"0", b"S", b"ustar  \0", bytes(217) + b"\1"), "ends in the middle of"),
        (bytes(header(b"a"))[:300], "in the middle of a header"),
    ],
)
def test_broken_tars_are_told_by_place(data: bytes, words: str) -> None:
    with pytest.raises(TarError, match=words):
        members(data)


def test_what_stood_before_another_thing_is_whole() -> None:
    found = tar_members(io.BytesIO(member(b"a", b"x") + b"junk" * 300))
    assert next(found).name == "a"
    with pytest.raises(NoHeaderError, match="at byte 1024"):
        next(found)


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_long_name_is_whole_and_that_of_one_member_alone(kind: int) -> None:
    out, name = io.BytesIO(), "folder/" + "n" * 150 + ".tex"
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for each in (name, "b.tex"):
            archive.addfile(tarfile.TarInfo(each))
    assert [found for found, *_ in members(out.getvalue())] == [name, "b.tex"]
