"""What one process holds of a segment store: who waits for whom, and what goes wrong at its place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.files import Joined, LocalFiles
from data_juicer_ext.models.store.segments.line_format import FIRST_LINE, line_of
from data_juicer_ext.models.store.segments.open_segments import OpenSegments
from tests.locks import waits_for
from tests.models.storing import ABOUT, answer_of, key_of

ONE, TWO = key_of(1), key_of(2)
LINES = {number: line_of(key_of(number), answer_of(number), ABOUT) for number in (1, 2)}


@pytest.fixture
def segments(tmp_path: Path) -> Iterator[OpenSegments]:
    made = OpenSegments(tmp_path / "segments")
    made.commits.submit((ONE, LINES[1])).result(30)
    yield made
    made.close()


def all_kept(line: bytes) -> bool:
    return True


CALLS: dict[str, Callable[[OpenSegments], Any]] = {
    "stored_keys": lambda segments: segments.stored_keys(),
    "holds": lambda segments: segments.holds(ONE),
    "size": lambda segments: segments.size(),
    "line": lambda segments: segments.line(ONE),
    "refresh": lambda segments: segments.refresh(),
    "write": lambda segments: segments._write([(TWO, LINES[2])]),
    "sync": lambda segments: segments._sync([None]),
    "join": lambda segments: segments._joined_some(),
    "rewrite": lambda segments: segments.rewrite(all_kept),
    "close": lambda segments: segments.close(),
}


@pytest.mark.parametrize(
    ("call", "lock"),
    [
        ("stored_keys", "_lock"), ("holds", "_lock"), ("size", "_lock"), ("line", "_lock"), ("refresh", "_lock"),
        ("write", "_lock"), ("write", "_appending"), ("sync", "_appending"), ("join", "_joining"),
        ("rewrite", "_lock"), ("rewrite", "_appending"), ("rewrite", "_joining"), ("close", "_lock"),
    ],
)  # fmt: skip
def test_what_is_under_way_in_one_thread_is_waited_for(segments: OpenSegments, call: str, lock: str) -> None:
    assert waits_for(getattr(segments, lock), lambda: CALLS[call](segments))


def test_the_disk_is_waited_for_without_a_lock(segments: OpenSegments, monkeypatch: pytest.MonkeyPatch) -> None:
    segments.commits.submit((TWO, LINES[2])).result(30)
    waited = []

    def force() -> None:
        waited.append(waits_for(segments._appending, lambda: None))
        assert segments._lock.acquire(blocking=False)
        segments._lock.release()

    monkeypatch.setattr(segments._files, "to_force", lambda: force)
    segments._sync([None])
    assert waited == [False]


def test_the_index_is_moved_under_the_lock(segments: OpenSegments, monkeypatch: pytest.MonkeyPatch) -> None:
    [name] = segments._files.names()
    monkeypatch.setattr(segments._files, "join", lambda: Joined(name, segments._files.size(name), {}))
    assert waits_for(segments._lock, segments._joined_some)


@pytest.mark.parametrize(
    ("call", "method"),
    [("size", "size"), ("line", "read_line"), ("refresh", "names"), ("write", "append"), ("sync", "to_force"),
     ("rewrite", "end_segment")],
)  # fmt: skip
def test_what_goes_wrong_at_its_place_names_the_store(
    segments: OpenSegments, monkeypatch: pytest.MonkeyPatch, call: str, method: str
) -> None:
    def broken(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(segments._files, method, broken)
        with pytest.raises(StoreError, match=r"segments cannot be used \(.*Permission denied\): check the place"):
            CALLS[call](segments)


def test_what_earlier_writers_left_is_joined_and_trouble_named(
    segments: OpenSegments, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries = []

    def join() -> Joined | None:
        tries.append(1)
        raise OSError("away")

    monkeypatch.setattr(segments._files, "join", join)
    segments.adopt()
    segments.joins.close()
    assert not tries, "none were due"
    monkeypatch.setattr(segments._files, "join_is_due", lambda: True)
    with caplog.at_level(logging.WARNING):
        segments._join([None])
    assert len(tries) == 1 and "are not joined for now: away" in caplog.text
    monkeypatch.setattr(segments._files, "adopt", join)
    with pytest.raises(StoreError, match=r"cannot be used \(away\)"):
        segments.adopt()


@pytest.mark.parametrize("due", [True, False])
def test_joining_is_asked_for_where_it_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, due: bool) -> None:
    segments, joined = OpenSegments(tmp_path), []
    monkeypatch.setattr(LocalFiles, "join_is_due", lambda self: due)
    monkeypatch.setattr(LocalFiles, "join", lambda self: joined.append(1))
    segments._write([(ONE, LINES[1])])
    segments.joins.close()
    assert len(joined) == due
    segments.close()
    other = OpenSegments(tmp_path)
    other.adopt()
    other.joins.close()
    other.close()
    assert len(joined) == 2 * due


def test_segments_are_joined_until_none_are_due(segments: OpenSegments, monkeypatch: pytest.MonkeyPatch) -> None:
    [name] = segments._files.names()
    left = [Joined(name, segments._files.size(name), {}), Joined(name, segments._files.size(name), {})]
    monkeypatch.setattr(segments._files, "join", lambda: left.pop() if left else None)
    segments._join([None])
    assert not left
    left = [Joined(name, segments._files.size(name), {})]
    segments._closing = True
    segments._join([None])
    assert left, "no more are begun once it is closed"
    segments._closing = False


def test_what_was_joined_is_deleted_and_found_at_its_new_place(segments: OpenSegments) -> None:
    [old] = segments._files.names()
    segments._files.end_segment()
    name, _ = segments._files.append(LINES[1], FIRST_LINE)
    joined = Joined(name, segments._files.size(name), {old: 0})
    segments._files.join = lambda: joined  # type: ignore[method-assign]
    assert segments._joined_some() is True
    assert segments._files.names() == [name] and segments.line(ONE) == LINES[1]
    segments._files.join = lambda: None  # type: ignore[method-assign]
    assert segments._joined_some() is False


def test_a_line_whose_segment_was_written_anew_is_looked_for_again(segments: OpenSegments, tmp_path: Path) -> None:
    other = OpenSegments(tmp_path / "segments")
    other.refresh()
    segments._files.end_segment()
    assert segments.rewrite(lambda line: True) == 0
    segments.commits.submit((TWO, LINES[2])).result(30)
    assert segments.rewrite(lambda line: TWO.encode() not in line and b"answer 2" not in line) == 1
    assert other.line(ONE) == LINES[1] and other.line(TWO) is None
    assert segments.rewrite(lambda line: False) == 1
    assert other.line(ONE) is None and not other.holds(ONE)
    other.close()


def test_segments_that_change_all_the_time_are_given_up(
    segments: OpenSegments, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def gone() -> list[str]:
        tries.append(1)
        raise FileNotFoundError

    with monkeypatch.context() as patched:
        patched.setattr(segments._files, "names", gone)
        with pytest.raises(StoreError, match="changes while it is read: try again"):
            segments.refresh()
    assert len(tries) == 3


def test_a_line_that_is_being_written_is_read_by_the_next_refresh(segments: OpenSegments, tmp_path: Path) -> None:
    whole, cut = LINES[2], len(LINES[2]) // 2
    path = tmp_path / "segments" / "other.jsonl"
    path.write_bytes(FIRST_LINE + whole[:cut])
    other = OpenSegments(tmp_path / "segments")
    other.refresh()
    assert other.line(TWO) is None
    with path.open("ab") as file:
        file.write(whole[cut:])
    other.refresh()
    assert other.line(TWO) == whole
    other.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    segments = OpenSegments(tmp_path)
    segments.close()
    with pytest.raises(StoreError, match="was closed"):
        segments.refresh()
