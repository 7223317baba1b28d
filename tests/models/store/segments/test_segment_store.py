"""The segment store: durable, one segment per writer, loud about damage."""

from __future__ import annotations

import asyncio
import errno
import json
import multiprocessing
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.models.store.interface import GroupStats, Selection, StoreError
from data_juicer_ext.models.store.segments import files
from data_juicer_ext.models.store.segments.line_format import key_of_line, line_of, stored_in
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from tests.models.storing import ABOUT, Writer, answer_of, key_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store" / "segments"


@pytest.fixture
def store(folder: Path) -> Iterator[SegmentStore]:
    made = SegmentStore(folder)
    yield made
    made.close()


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def fill(folder: Path, first: int, answers: int = 3) -> Path:
    """A closed segment with that many answers."""
    before = segments(folder)
    store = SegmentStore(folder)
    for number in range(first, first + answers):
        store.put(key_of(number), answer_of(number), ABOUT)
    store.close()
    [made] = set(segments(folder)) - set(before)
    return made


def holds(folder: Path, *numbers: int) -> bool:
    store = SegmentStore(folder, read_only=True)
    found = [store.get(key_of(number)) is not None for number in numbers]
    store.close()
    return all(found)


def test_an_answer_comes_back_whole_and_marked(store: SegmentStore) -> None:
    assert store.get(key_of(1)) is None
    store.put(key_of(1), answer_of(1), ABOUT)
    assert store.get(key_of(1)) == replace(answer_of(1), from_store=True)
    assert store.get(key_of(2)) is None


@given(st.text(), st.text(max_size=5), st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2))
def test_any_text_comes_back_from_a_line(text: str, model: str, sampling: dict[str, str]) -> None:
    answer = answer_of(1, model=model, text=text or "x")
    line = line_of(key_of(1), answer, {**ABOUT, "sampling": sampling})
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert key_of_line(line, "here") == bytes.fromhex(key_of(1))
    stored = stored_in(line, "here")
    assert stored.answer == replace(answer, from_store=True)
    assert stored.about["sampling"] == sampling


@given(st.data())
@settings(max_examples=200)
def test_no_changed_byte_of_a_line_goes_unnoticed(data: st.DataObject) -> None:
    line = bytearray(line_of(key_of(1), answer_of(1), ABOUT))
    place = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    line[place] = other
    with pytest.raises(StoreError):
        key_of_line(bytes(line), "here")


def test_lines_are_plain_json(folder: Path) -> None:
    path = fill(folder, 0, answers=1)
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert first["entry"] == {"segments": 1}
    assert second["entry"]["about"] == ABOUT and second["entry"]["answer"]["text"] == "answer 0"


def test_several_writers_have_a_segment_each(folder: Path) -> None:
    one, other = SegmentStore(folder), SegmentStore(folder)
    one.put(key_of(1), answer_of(1), ABOUT)
    other.put(key_of(2), answer_of(2), ABOUT)
    one.put(key_of(3), answer_of(3), ABOUT)
    assert len(segments(folder)) == 2
    assert other.get(key_of(3)) is None
    other.refresh()
    assert other.get(key_of(1)) is not None and other.get(key_of(3)) is not None
    one.close()
    other.close()
    assert holds(folder, 1, 2, 3)


def test_the_first_answer_under_a_key_stays(folder: Path) -> None:
    one, other = SegmentStore(folder), SegmentStore(folder)
    one.put(key_of(1), answer_of(1), ABOUT)
    other.put(key_of(1), answer_of(2), ABOUT)
    one.close()
    other.close()
    again = SegmentStore(folder)
    found = again.get(key_of(1))
    assert found is not None and found.text == "answer 1"
    assert again.stats().answers == 1
    again.close()


def test_opening_and_reading_make_no_files(folder: Path) -> None:
    store = SegmentStore(folder)
    assert store.get(key_of(1)) is None
    store.close()
    assert not folder.exists()


def test_a_reader_cannot_write(folder: Path) -> None:
    fill(folder, 0)
    reader = SegmentStore(folder, read_only=True)
    assert reader.get(key_of(0)) is not None
    with pytest.raises(StoreError, match="reading only"):
        reader.put(key_of(9), answer_of(9), ABOUT)
    with pytest.raises(StoreError, match="reading only"):
        reader.prune(Selection(task="t"))
    reader.close()


def test_a_closed_store_says_so(store: SegmentStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.put(key_of(1), answer_of(1), ABOUT)
    with pytest.raises(StoreError, match="closed"):
        store.refresh()


def test_only_request_keys_are_keys(store: SegmentStore) -> None:
    for wrong in ("k", "A" * 64, "0" * 63, "g" * 64):
        with pytest.raises(ValueError, match="request key"):
            store.put(wrong, answer_of(1), ABOUT)
        with pytest.raises(ValueError, match="request key"):
            store.get(wrong)


def test_many_puts_at_once_share_commits(store: SegmentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    forced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (forced.append(file), fsync(file))[1])

    async def main() -> None:
        await asyncio.gather(*(store.put_async(key_of(n), answer_of(n), ABOUT) for n in range(500)))
        assert all(store.get(key_of(n)) is not None for n in range(500))

    asyncio.run(main())
    assert 1 <= len(forced) < 100


def test_an_answer_is_written_while_the_disk_takes_its_time_over_another(
    folder: Path, store: SegmentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(key_of(0), answer_of(0), ABOUT)
    forcing, go_on, fsync = threading.Event(), threading.Event(), os.fsync

    def slow(file: int) -> None:
        forcing.set()
        assert go_on.wait(10)
        fsync(file)

    monkeypatch.setattr(os, "fsync", slow)

    async def main() -> None:
        first = asyncio.ensure_future(store.put_async(key_of(1), answer_of(1), ABOUT))
        await asyncio.to_thread(forcing.wait, 10)
        second = asyncio.ensure_future(store.put_async(key_of(2), answer_of(2), ABOUT))
        other = SegmentStore(folder)  # what another process, or the next run, finds
        for _ in range(500):
            other.refresh()
            if other.get(key_of(2)) is not None:
                break
            await asyncio.sleep(0.01)
        assert other.get(key_of(2)) is not None and not first.done() and not second.done()
        go_on.set()
        await asyncio.gather(first, second)

    asyncio.run(main())


def test_a_forked_child_has_a_segment_of_its_own(folder: Path, store: SegmentStore) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)

    def child() -> None:
        store.refresh()
        ok = store.get(key_of(1)) is not None
        store.put(key_of(2), answer_of(2), ABOUT)
        os._exit(0 if ok else 1)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0
    assert len(segments(folder)) == 2
    store.put(key_of(3), answer_of(3), ABOUT)
    assert holds(folder, 1, 2, 3)


def test_every_acknowledged_answer_outlives_kill_9(folder: Path) -> None:
    stored: set[int] = set()
    for round_ in range(2):
        writer = Writer("store.segments.segment_store", "SegmentStore", folder, first=1_000_000 * round_)
        writer.kill_after(40 + 150 * round_)
        stored |= writer.acknowledged
    assert holds(folder, *stored)


@pytest.mark.parametrize("cut", [1, 2, 50, 300])
def test_a_last_line_that_is_cut_off_is_skipped(folder: Path, cut: int) -> None:
    path = fill(folder, 0)
    path.write_bytes(path.read_bytes()[:-cut])
    fill(folder, 10)
    assert holds(folder, 0, 1, 10, 11, 12)
    assert not holds(folder, 2)


def test_a_segment_cut_off_in_its_first_line_is_empty(folder: Path) -> None:
    path = fill(folder, 0)
    path.write_bytes(path.read_bytes()[:7])
    assert not holds(folder, 0)
    path.write_bytes(b"")
    assert not holds(folder, 0)


def test_a_line_that_is_still_being_written_is_taken_in_later(folder: Path) -> None:
    path = fill(folder, 0)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    reader = SegmentStore(folder, read_only=True)
    assert reader.get(key_of(2)) is None
    path.write_bytes(whole)
    reader.refresh()
    assert reader.get(key_of(2)) is not None
    reader.close()


def test_damage_in_the_middle_is_refused_with_what_to_do(folder: Path) -> None:
    path = fill(folder, 0)
    damaged = path.read_bytes().replace(b"answer 1", b"answer 7")
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match=rf"damaged at .*{path.name}, byte \d+.*delete that line") as caught:
        SegmentStore(folder)
    place = int(str(caught.value).split("byte ")[1].split(".")[0])
    assert damaged[place:].split(b"\n")[0].count(b"answer 7") == 1
    assert path.read_bytes() == damaged
    lines = damaged.splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b"answer 7" not in line))  # what it said to do
    assert holds(folder, 0, 2)


def test_damage_after_opening_is_found_when_it_is_read(folder: Path) -> None:
    path = fill(folder, 0)
    reader = SegmentStore(folder, read_only=True)
    path.write_bytes(path.read_bytes().replace(b"answer 1", b"answer 7"))
    with pytest.raises(StoreError, match="damaged"):
        reader.get(key_of(1))
    assert reader.get(key_of(0)) is not None
    reader.close()


def test_a_later_version_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(folder, 0)
    monkeypatch.setattr("data_juicer_ext.models.store.segments.line_format.SCHEMA_VERSION", 2)
    with pytest.raises(StoreError, match="has version 1, this program reads 2"):
        SegmentStore(folder)


def test_a_place_that_is_no_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="check the place"):
        SegmentStore(tmp_path / "file")
    with pytest.raises(StoreError, match="check the place"):
        SegmentStore("gs://x/y")


@pytest.mark.parametrize("cut_back", [True, False])
def test_no_line_follows_a_half_one(
    folder: Path, store: SegmentStore, monkeypatch: pytest.MonkeyPatch, cut_back: bool
) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)
    write = os.write
    written: list[int] = []

    def disk_that_fills_up(file: int, data: Any) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(write(file, data[:20]))
        return written[0]

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", disk_that_fills_up)
        if not cut_back:
            patched.setattr(os, "ftruncate", lambda file, length: disk_that_fills_up(file, b""))
        with pytest.raises(StoreError, match="No space left"):
            store.put(key_of(2), answer_of(2), ABOUT)
    assert store.get(key_of(2)) is None
    store.put(key_of(3), answer_of(3), ABOUT)
    assert holds(folder, 1, 3)
    assert all(path.read_bytes().endswith(b"}\n") for path in segments(folder)) is cut_back


def test_stats_by_model_and_task(store: SegmentStore) -> None:
    assert store.stats().answers == 0 and store.stats().newest == 0.0
    for number in range(3):
        store.put(key_of(number), answer_of(number), ABOUT)
    store.put(key_of(3), answer_of(3, model="other"), {**ABOUT, "task": "t2"})
    stats = store.stats()
    assert stats.answers == 4
    assert stats.groups == (
        GroupStats("other", "t2", 1, 103, 10, 60, 4),
        GroupStats("the-model-2026-01-01", ABOUT["task"], 3, 303, 30, 180, 12),
    )
    assert 1e9 < stats.oldest <= stats.newest
    assert stats.size == sum(path.stat().st_size for path in segments(Path(store.place)))


def test_prune_writes_the_rest_anew(folder: Path, store: SegmentStore) -> None:
    for first in (0, 10):
        fill(folder, first)
    store.refresh()
    store.put(key_of(20), answer_of(20, text="x" * 9000), {**ABOUT, "task": "t2"})
    reader = SegmentStore(folder, read_only=True)
    old = segments(folder)
    assert store.prune(Selection(task="t2")) == 1
    assert store.get(key_of(20)) is None
    assert [store.get(key_of(number)) is not None for number in (0, 2, 10, 12)] == [True] * 4
    [new] = segments(folder)
    assert new not in old and new.stat().st_size < 9000
    assert reader.get(key_of(12)) is not None  # where it lay is gone: found at its new place
    assert reader.get(key_of(20)) is None
    store.put(key_of(21), answer_of(21), ABOUT)
    assert holds(folder, 0, 12, 21)
    reader.close()


def test_prune_of_nothing_and_of_all(folder: Path, store: SegmentStore) -> None:
    path = fill(folder, 0)
    store.refresh()
    assert store.prune(Selection(model="nobody")) == 0
    assert segments(folder) == [path]
    assert store.prune(Selection(before=9e9)) == 3
    assert segments(folder) == []


def test_prune_is_refused_while_another_writer_is_at_work(folder: Path, store: SegmentStore) -> None:
    fill(folder, 0)
    other = SegmentStore(folder)
    other.put(key_of(10), answer_of(10), ABOUT)
    with pytest.raises(StoreError, match="in use"):
        store.prune(Selection(before=9e9))
    other.put(key_of(11), answer_of(11), ABOUT)
    assert holds(folder, 0, 1, 2, 10, 11)
    other.close()
    assert store.prune(Selection(before=9e9)) == 5


def test_a_segment_that_is_removed_while_it_is_written_is_noticed(folder: Path, store: SegmentStore) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)
    [segment] = segments(folder)
    segment.unlink()
    with pytest.raises(StoreError, match="removed while it was written"):
        store.put(key_of(2), answer_of(2), ABOUT)
    store.put(key_of(3), answer_of(3), ABOUT)
    assert holds(folder, 3) and not holds(folder, 2)


def test_a_segment_that_was_cleaned_away_at_birth_is_not_written_to(
    folder: Path, store: SegmentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = files._lock
    taken: list[Path] = []

    def cleaned_up_before(file: int) -> bool | None:
        if not taken:
            taken.extend(segments(folder))
            taken[0].unlink()
        return lock(file)

    monkeypatch.setattr(files, "_lock", cleaned_up_before)
    store.put(key_of(1), answer_of(1), ABOUT)
    assert len(taken) == 1 and holds(folder, 1)


@pytest.fixture
def url() -> Iterator[str]:
    import fsspec

    place = "memory://store-of-a-test/segments"
    yield place
    fsspec.filesystem("memory").rm("/store-of-a-test", recursive=True)


def test_an_object_store_gets_a_segment_a_commit(url: str) -> None:
    store = SegmentStore(url)
    for number in range(3):
        store.put(key_of(number), answer_of(number, text="y" * 30_000 * number), ABOUT)
    assert store.get(key_of(2)) == replace(answer_of(2, text="y" * 60_000), from_store=True)
    again = SegmentStore(url)
    assert [again.get(key_of(number)) is not None for number in range(4)] == [True, True, True, False]
    store.put(key_of(3), answer_of(3), {**ABOUT, "task": "t2"})
    again.refresh()
    assert again.get(key_of(3)) is not None
    assert again.stats().answers == 4 and again.stats().size > 90_000
    assert again.prune(Selection(task="t2")) == 1
    assert [again.get(key_of(number)) is not None for number in range(4)] == [True, True, True, False]
    store.close()
    again.close()


def test_a_file_url_is_a_plain_folder(folder: Path) -> None:
    store = SegmentStore(f"file://{folder}")
    store.put(key_of(1), answer_of(1), ABOUT)
    store.close()
    assert holds(folder, 1)


def test_a_place_that_cannot_be_looked_through_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(self: files.LocalFiles) -> None:
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(files.LocalFiles, "adopt", lost)
    with pytest.raises(StoreError, match=r"the disk is gone.*check the place"):
        SegmentStore(tmp_path / "segments")
