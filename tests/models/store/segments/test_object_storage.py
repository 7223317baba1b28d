"""A segment store on object storage: one object per commit, joined as it goes, read from copies on this machine."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.models.store.interface import Selection, StoreError
from data_juicer_ext.models.store.segments import compaction
from data_juicer_ext.models.store.segments.line_format import FIRST_LINE
from data_juicer_ext.models.store.segments.object_storage import MirroredFiles
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import under
from data_juicer_ext.storage.cache import cache_folder
from tests.locks import waits_for
from tests.models.storing import ABOUT, answer_of, key_of
from tests.s3_server import S3


@pytest.fixture
def url() -> str:
    return f"memory://{uuid.uuid4().hex}/segments"


@contextmanager
def opened(url: str, read_only: bool = False) -> Iterator[SegmentStore]:
    store = SegmentStore(url, read_only)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def on_another_machine(monkeypatch: pytest.MonkeyPatch, folder: Path, url: str) -> Iterator[SegmentStore]:
    with monkeypatch.context() as patched:
        patched.setenv("DJ_EXT_CACHE", str(folder))
        store = SegmentStore(url)
        store.refresh()
    yield store
    store.close()


def put(store: SegmentStore, *numbers: int) -> None:
    """Store answers, each in a commit of its own."""
    for number in numbers:
        store.put(key_of(number), answer_of(number), ABOUT)


def missing(store: SegmentStore, *numbers: int) -> list[int]:
    found = [store.get(key_of(number)) for number in numbers]
    return [n for n, answer in zip(numbers, found, strict=True) if answer is None or answer.text != f"answer {n}"]


def copies(url: str) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in cache_folder(url).glob("*.jsonl")}


def wait_for_joins(store: SegmentStore) -> None:
    store._here.get().joins.close()


def test_what_is_stored_lies_there_and_here(s3: S3) -> None:
    url = s3.at("run/store/segments")
    with opened(url) as store:
        put(store, 1, 2)
        assert missing(store, 1, 2, 3) == [3]
        assert copies(url) == file_access.listed(url) and len(copies(url)) == 2
        assert store.stats().size == sum(copies(url).values())
    assert store.place == url


def test_another_machine_fetches_each_object_once(s3: S3, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url = s3.at("run/store/segments")
    fetched: list[str] = []
    fetch = file_access.fetch

    def noted(pairs: dict[str, Path]) -> None:
        fetched.extend(pairs)
        fetch(pairs)

    monkeypatch.setattr(file_access, "fetch", noted)
    with opened(url) as store:
        put(store, *range(5))
        for _ in range(2):
            with on_another_machine(monkeypatch, tmp_path / "other", url) as other:
                assert missing(other, *range(5)) == []
        assert sorted(fetched) == [under(url, name) for name in file_access.listed(url)]
        put(store, 5)
        with on_another_machine(monkeypatch, tmp_path / "other", url) as other:
            assert missing(other, *range(6)) == []
        assert len(fetched) == 6


def test_a_copy_that_is_not_whole_is_fetched_again(url: str) -> None:
    with opened(url) as store:
        put(store, 1)
    [name] = copies(url)
    (cache_folder(url) / name).write_bytes(b"{")
    with opened(url, read_only=True) as reader:
        assert missing(reader, 1) == []


def test_copies_may_be_removed_at_any_time(url: str) -> None:
    with opened(url) as store:
        put(store, *range(3))
        for path in cache_folder(url).glob("*.jsonl"):
            path.unlink()
        assert missing(store, *range(3)) == []
        assert copies(url) == file_access.listed(url)


def test_a_writer_joins_its_commits(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 8)
    with opened(url) as store:
        monkeypatch.setattr(store._here.get(), "_scan", lambda name: pytest.fail("looked through again"))
        put(store, *range(64 + 8 + 3))
        assert missing(store, *range(64 + 8 + 3)) == []
        wait_for_joins(store)
        assert missing(store, *range(64 + 8 + 3)) == []
        assert len(file_access.listed(url)) < 20 and copies(url) == file_access.listed(url)
    with opened(url, read_only=True) as reader:
        assert missing(reader, *range(64 + 8 + 3)) == []
        assert reader.stats().answers == 64 + 8 + 3


def test_a_joined_object_is_a_segment_in_the_place_of_its_oldest(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 3)
    files = MirroredFiles(url)
    begun = [files.append(b"", FIRST_LINE)[0] for _ in range(3)]
    other, _ = MirroredFiles(url).append(b"", FIRST_LINE)
    joined = files.join()
    assert joined is not None and files.join() is None
    assert file_access.read(under(url, joined.name)) == FIRST_LINE
    files.delete(list(joined.shifts))
    assert list(joined.shifts) == begun
    assert files.names() == [joined.name, other]


def test_the_first_answer_under_a_key_stays_when_it_is_joined(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 3)
    with opened(url) as one, opened(url) as other:
        put(one, 1, 2)
        other.put(key_of(1), answer_of(7), ABOUT)
        one.put(key_of(1), answer_of(8), ABOUT)
        wait_for_joins(one)
        assert missing(one, 1, 2) == []
    with opened(url) as again:
        assert missing(again, 1, 2) == [] and again.stats().answers == 2


@pytest.mark.parametrize("refreshes", [False, True])
def test_a_reader_finds_answers_whose_object_was_joined_away(
    refreshes: bool, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 5)
    with opened(url) as store:
        put(store, 0, 1, 2)
        with opened(url, read_only=True) as near, on_another_machine(monkeypatch, tmp_path / "other", url) as far:
            put(store, 3, 4)
            wait_for_joins(store)
            assert len(file_access.listed(url)) == 1
            for reader in (near, far):
                if refreshes:
                    reader.refresh()
                assert missing(reader, *range(5)) == ([] if refreshes or reader is near else [3, 4])


def test_two_writers_join_their_own_and_lose_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    with opened(url) as one, opened(url) as other:
        for number in range(0, 60, 2):
            put(one, number)
            put(other, number + 1)
            if number % 10 == 0:
                one.refresh()
                assert missing(one, *range(number + 2)) == []
        wait_for_joins(one)
        wait_for_joins(other)
        for store in (one, other):
            store.refresh()
            assert missing(store, *range(60)) == []
        assert len(file_access.listed(url)) < 30


def test_many_leftovers_are_joined_by_who_opens_to_write(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MOST_LEFT", 10)
    with opened(url) as live:
        put(live, *range(20))
        with opened(url, read_only=True) as reader:
            assert missing(reader, *range(20)) == [] and len(file_access.listed(url)) == 20
            with opened(url) as owner:
                wait_for_joins(owner)
                assert len(file_access.listed(url)) == 1
                assert missing(owner, *range(20)) == [] and missing(reader, *range(20)) == []
        put(live, 20)
        assert missing(live, *range(21)) == []


def test_what_was_deleted_does_not_come_back_with_a_join(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    with opened(url) as store:
        put(store, 0, 1)
        with opened(url) as other:
            assert other.prune(Selection(before=9e9)) == 2
        put(store, 2, 3)
        wait_for_joins(store)
        store.refresh()
        assert missing(store, *range(4)) == [0, 1]
    assert len(file_access.listed(url)) == 1


def test_prune_beside_joins_of_its_own(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    monkeypatch.setattr("data_juicer_ext.models.store.segments.open_segments._COPIED_AT_ONCE", 2)
    with opened(url) as store:
        for number in range(30):
            store.put(key_of(number), answer_of(number), {**ABOUT, "task": f"t{number % 3}"})
        assert store.prune(Selection(task="t1")) == 10
        wait_for_joins(store)
        assert missing(store, *range(30)) == list(range(1, 30, 3))
    with opened(url) as again:
        assert missing(again, *range(30)) == list(range(1, 30, 3))


def test_killed_between_joining_and_deleting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    with opened(url) as store, monkeypatch.context() as patched:
        patched.setattr(file_access, "delete", lambda addresses: None)
        put(store, *range(4))
        wait_for_joins(store)
    assert len(file_access.listed(url)) == 5
    with opened(url) as again:
        assert missing(again, *range(4)) == [] and again.stats().answers == 4


def test_a_join_that_fails_costs_nothing_and_is_tried_again(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    listed = file_access.listed

    def away(address: str) -> dict[str, int]:
        raise OSError(5, "the storage is away")

    with opened(url) as store:
        with monkeypatch.context() as patched:
            patched.setattr(file_access, "listed", away)
            put(store, *range(4))
            while "not joined for now" not in caplog.text:
                time.sleep(0.01)
        assert missing(store, *range(4)) == [] and len(listed(url)) == 4
        put(store, 4)
        wait_for_joins(store)
        assert missing(store, *range(5)) == [] and len(listed(url)) == 1


def test_a_damaged_copy_is_not_joined(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 4)
    with opened(url) as store:
        put(store, *range(3))
        damaged = sorted(copies(url))[1]
        path = cache_folder(url) / damaged
        path.write_bytes(path.read_bytes().replace(b"answer 1", b"answer 7"))
        put(store, 3)
        wait_for_joins(store)
        assert len(file_access.listed(url)) == 4
        with pytest.raises(StoreError, match="damaged"):
            store.get(key_of(1))
        path.unlink()
        assert missing(store, *range(4)) == []


def test_a_segment_that_was_cut_off_elsewhere_is_joined_without_its_last_line(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with opened(str(tmp_path / "segments")) as local:
        put(local, 0, 1)
    [path] = (tmp_path / "segments").glob("*.jsonl")
    file_access.write(under(url, path.name), path.read_bytes()[:-9])
    file_access.write(under(url, "1" + path.name), b"")
    monkeypatch.setattr(compaction, "MOST_LEFT", 2)
    with opened(url) as store:
        put(store, 2)
    with opened(url) as again:
        wait_for_joins(again)
        assert len(file_access.listed(url)) == 1
        assert missing(again, 0, 1, 2) == [1]
    with opened(url) as once_more:
        assert missing(once_more, 0, 1, 2) == [1]


def test_storage_that_fails_is_said(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(s3.at("run")) as store:
        put(store, 1)

        def away(*given: object) -> None:
            raise OSError(5, "the storage is away")

        monkeypatch.setattr(file_access, "write", away)
        with pytest.raises(StoreError, match=r"the storage is away.*check the place"):
            put(store, 2)
        assert missing(store, 1, 2) == [2]
        monkeypatch.setattr(file_access, "listed", away)
        with pytest.raises(StoreError, match="the storage is away"):
            SegmentStore(s3.at("run"))


def test_a_bucket_that_is_not_there_is_said(s3: S3) -> None:
    there_is_none = s3.at("run").replace("bucket", "no-bucket")
    with opened(there_is_none) as store, pytest.raises(StoreError, match=r"no-bucket.*check the place"):
        put(store, 1)


Step = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 1), st.integers(0, 40)),
    st.tuples(st.sampled_from(["reopen", "refresh"]), st.integers(0, 1), st.just(0)),
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(Step, max_size=60))
def test_get_gives_what_was_put_across_joins_and_reopening(steps: list[tuple[str, int, int]]) -> None:
    url = f"memory://{uuid.uuid4().hex}/segments"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compaction, "JOINED_AT_ONCE", 3)
        patched.setattr(compaction, "MOST_LEFT", 4)
        stores, stored, known = [SegmentStore(url), SegmentStore(url)], set[int](), [set[int](), set[int]()]
        for step, which, number in steps:
            if step == "put":
                put(stores[which], number)
                stored.add(number)
                known[which].add(number)
            elif step == "reopen":
                stores[which].close()
                stores[which] = SegmentStore(url)
                known[which] = set(stored)
            else:
                stores[which].refresh()
                known[which] = set(stored)
            assert missing(stores[which], *known[which]) == []
        for store in stores:
            store.refresh()
            assert missing(store, *stored) == []
            assert store.stats().answers == len(stored)
            store.close()


@pytest.mark.parametrize("call", ["append", "adopt", "join_is_due", "join", "done"])
def test_what_is_to_be_joined_is_noted_by_one_thread_at_a_time(
    url: str, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 2)
    files = MirroredFiles(url)
    names = [files.append(b"", FIRST_LINE)[0] for _ in range(2)]
    calls = {
        "append": lambda: files.append(b"", FIRST_LINE), "adopt": files.adopt, "join_is_due": files.join_is_due,
        "join": files.join, "done": lambda: files._done(names, None),
    }  # fmt: skip
    assert waits_for(files._lock, calls[call])


def test_a_single_segment_is_joined_with_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "JOINED_AT_ONCE", 2)
    files = MirroredFiles(url)
    first, second = (files.append(b"", FIRST_LINE)[0] for _ in range(2))
    file_access.delete([under(url, second)])
    assert files.join() is None and list(file_access.listed(url)) == [first]


def test_what_is_to_be_joined_next_is_looked_up_under_the_lock(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = MirroredFiles(url)
    held = []
    monkeypatch.setattr(files._joins, "next", lambda: held.append(files._lock.locked()) or [])
    assert files.join() is None and not files.join_is_due() and held == [True, True]
