"""Where answers lie, while segments are joined and removed."""

from __future__ import annotations

import pytest

from data_juicer_ext.models.store.segments.files import Joined
from data_juicer_ext.models.store.segments.index import SegmentIndex


def filled() -> SegmentIndex:
    index = SegmentIndex()
    for name in ("a", "b", "c"):
        index.add(name, name.encode() * 32, 50)
        index.ends[name] = 100
    return index


def test_the_first_place_stays() -> None:
    index = filled()
    index.add("b", b"a" * 32, 70)
    assert index.find(b"a" * 32) == ("a", 50) and b"z" * 32 not in index
    assert index.held() == [b"a" * 32, b"b" * 32, b"c" * 32]


def test_joins_of_joins_move_every_line() -> None:
    index = filled()
    index.move(Joined("ab", 150, {"a": 0, "b": 50}))
    assert [index.find(key * 32) for key in (b"a", b"b", b"c")] == [("ab", 50), ("ab", 100), ("c", 50)]
    assert index.ends == {"c": 100, "ab": 150}
    index.move(Joined("abc", 900, {"c": 0, "ab": 200}))
    assert [index.find(key * 32) for key in (b"a", b"b", b"c")] == [("abc", 250), ("abc", 300), ("abc", 50)]
    assert index.ends == {"abc": 900}


def test_a_joined_segment_with_lines_that_are_new_is_still_to_be_looked_through() -> None:
    index = filled()
    index.move(Joined("ax", 150, {"a": 0, "x": 50}))
    assert "ax" not in index.ends
    index.add("ax", b"x" * 32, 100)
    index.add("ax", b"a" * 32, 60)
    assert (index.find(b"x" * 32), index.find(b"a" * 32)) == (("ax", 100), ("ax", 50))


def test_what_is_gone_is_found_at_its_next_place() -> None:
    index = filled()
    index.keep_only(["b", "c"])
    with pytest.raises(FileNotFoundError, match="is gone"):
        index.find(b"a" * 32)
    index.add("d", b"a" * 32, 60)
    index.add("d", b"b" * 32, 80)
    assert (index.find(b"a" * 32), index.find(b"b" * 32)) == (("d", 60), ("b", 50))
