from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.latex.source.decompression import Decompressed, UnpackedTooLargeError, is_compressed

COMPRESS = [gzip.compress, bz2.compress, lzma.compress]


def content(data: bytes, most: int = 1 << 30, size: int = 1000) -> bytes:
    stream = io.BufferedReader(Decompressed(io.BytesIO(data), most), size)  # type: ignore[arg-type]
    return b"".join(iter(lambda: stream.read(size), b""))


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=4), st.sampled_from(COMPRESS), st.integers(1, 5000))
def test_parts_in_a_row_are_one_content(parts: list[bytes], compress: Callable[[bytes], bytes], size: int) -> None:
    packed = b"".join(map(compress, parts))
    assert is_compressed(packed)
    assert content(packed, size=size) == b"".join(parts)


@pytest.mark.parametrize("compress", COMPRESS)
def test_what_is_not_whole(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(b"many words " * 50_000)
    for cut in (8, len(packed) // 2, len(packed) - 1):
        with pytest.raises(EOFError, match="cut off"):
            content(packed[:cut])


@pytest.mark.parametrize("compress", COMPRESS)
@pytest.mark.parametrize(
    ("behind", "garbage"), [(b"", False), (bytes(700), False), (b"\0\0<html>", True), (b"x", True)]
)
def test_what_follows(compress: Callable[[bytes], bytes], behind: bytes, garbage: bool) -> None:
    layer = Decompressed(io.BytesIO(compress(b"abc") + behind), 1000)
    assert layer.read(100) == b"abc"
    assert layer.read(100) == b""
    assert layer.garbage == garbage


@pytest.mark.parametrize("compress", COMPRESS)
def test_no_more_than_allowed(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(bytes(5_000_000))
    assert len(content(packed, 5_000_000)) == 5_000_000
    with pytest.raises(UnpackedTooLargeError):
        content(packed, 4_999_999)


def test_parts_without_content_are_counted() -> None:
    with pytest.raises(OSError, match="more than 10000 compressed parts"):
        content(gzip.compress(b"") * 11_000)


def test_an_xz_header_cannot_ask_for_gigabytes() -> None:
    greedy = lzma.compress(b"abc", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}])
    with pytest.raises(lzma.LZMAError):
        content(greedy)
