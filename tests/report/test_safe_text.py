from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.report.safe_text import shown_text


def test_what_is_left_out_is_said() -> None:
    assert shown_text("abc", 3) == "abc"
    assert shown_text("abcdef", 3) == "abc … [3 more characters]"
    assert shown_text("a\u202eb\u200bc") == "abc … [2 invisible characters left out]"
    assert shown_text("a\x00\ud800b\n") == "ab\n"
    assert shown_text(3.5) == "3.5"


def test_marks_do_not_pile_up_over_other_lines() -> None:
    assert shown_text("a" + "\u0301" * 50 + "b") == "a" + "\u0301" * 4 + "b"
    assert shown_text("Nguye\u0302\u0303n") == "Nguye\u0302\u0303n"


def test_a_megabyte_is_cut() -> None:
    assert len(shown_text("\u202ex" * 500_000, 100)) < 200


@given(st.text(alphabet=st.characters(), max_size=50), st.integers(1, 60))
def test_it_is_always_bounded_and_can_be_written(text: str, limit: int) -> None:
    shown = shown_text(text + "\ud83d\x00\u2066", limit)
    shown.encode("utf-8")
    assert len(shown) < limit + 80 and "\x00" not in shown and "\u2066" not in shown
