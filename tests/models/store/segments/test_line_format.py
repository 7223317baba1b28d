"""Lines of segments, and what is no such line."""

from __future__ import annotations

import pytest

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.line_format import FIRST_LINE, _framed, key_of_line, line_of, stored_in
from tests.models.storing import ABOUT, answer_of, key_of


def test_a_line_gives_back_what_it_was_made_of() -> None:
    line = line_of(key_of(1), answer_of(1), ABOUT)
    assert line.endswith(b"}\n") and line.count(b"\n") == 1 and line.isascii()
    assert key_of_line(line, "x") == bytes.fromhex(key_of(1))
    stored = stored_in(line, "x")
    assert (stored.key, stored.about, stored.answer.text) == (key_of(1), dict(ABOUT), answer_of(1).text)
    assert stored.answer.from_store and stored.created > 1e9


def test_the_first_line_has_a_version_and_no_key() -> None:
    assert key_of_line(FIRST_LINE, "x") is None
    with pytest.raises(StoreError, match="segment at here has version 7, this program reads 1"):
        key_of_line(_framed(b'{"segments": 7}'), "here")


def test_whatever_is_changed_in_a_line_is_noticed() -> None:
    line = line_of(key_of(1), answer_of(1), ABOUT)
    for place in range(0, len(line), 7):
        broken = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        with pytest.raises(StoreError, match="is damaged at here"):
            key_of_line(broken, "here")
    for cut in (line[:-1], line[:-2], line[1:], b"", b"\n"):
        with pytest.raises(StoreError, match="is damaged at here"):
            stored_in(cut, "here")


def test_what_is_no_key_is_not_stored() -> None:
    with pytest.raises(ValueError, match="is no request key"):
        line_of("abc", answer_of(1), ABOUT)
