"""Encodings and line ends."""

from __future__ import annotations

import pytest

from data_juicer_ext.latex.source.encoding import declared_encoding, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Überblick".encode(), "Überblick"),
        (b"\xef\xbb\xbfabc", "abc"),
        ("abc".encode("utf-16"), "abc"),
        ("Überblick".encode("latin-1"), "Überblick"),
        ("“quoted”".encode("cp1252"), "“quoted”"),
        (b"\x81\x8d\xff", "\x81\x8dÿ"),
        (b"\\usepackage[cp1250]{inputenc} \xea", "\\usepackage[cp1250]{inputenc} ę"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"a\x00b\x0cc", "a b c"),
    ],
)
def test_decode(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_the_main_file_declares_for_its_inputs() -> None:
    declared = declared_encoding(b"\\usepackage[latin2]{inputenc}")
    assert decode("łódź".encode("iso8859-2"), declared) == "łódź"
