"""The SQLite store: durable, shared by processes, loud about damage."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data_juicer_ext.models.store.interface import GroupStats, Selection, StoreError
from data_juicer_ext.models.store.sqlite import SqliteStore
from tests.locks import waits_for
from tests.models.storing import ABOUT, Writer, answer_of, key_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "responses.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(path)
    yield made
    made.close()


def test_an_answer_comes_back_whole_and_marked(store: SqliteStore) -> None:
    assert store.get(key_of(1)) is None
    store.put(key_of(1), answer_of(1), ABOUT)
    assert store.get(key_of(1)) == replace(answer_of(1), from_store=True)
    assert store.get(key_of(2)) is None


def test_any_text_comes_back(store: SqliteStore) -> None:
    text = "\ud800 \x00 \u2028 \U0001f600 é $\\nu$ \"'\n"
    store.put(key_of(1), answer_of(1, model="m\ud800", text=text), {**ABOUT, "task": "t\udfff", "odd": {1, 2}})
    found = store.get(key_of(1))
    assert found is not None and found.text == text and found.model == "m\ud800"


def test_the_first_answer_under_a_key_stays(store: SqliteStore) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)
    store.put(key_of(1), answer_of(2), ABOUT)
    found = store.get(key_of(1))
    assert found is not None and found.text == "answer 1"


def test_it_is_there_when_opened_again(path: Path, store: SqliteStore) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)
    store.close()
    again = SqliteStore(path)
    assert again.get(key_of(1)) is not None
    [stored] = again.entries()
    assert stored.key == key_of(1) and stored.about == ABOUT and stored.created > 1e9
    again.close()


def test_a_closed_store_says_so(store: SqliteStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.get(key_of(1))
    with pytest.raises(StoreError, match="closed"):
        store.put(key_of(1), answer_of(1), ABOUT)


def test_only_request_keys_are_keys(store: SqliteStore) -> None:
    with pytest.raises(ValueError, match="request key"):
        store.put("k", answer_of(1), ABOUT)


def test_many_puts_at_once_share_commits(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    here = store._here.get()
    sizes: list[int] = []
    write = here.commits._write

    def counted(rows: list[tuple[object, ...]]) -> None:
        sizes.append(len(rows))
        write(rows)

    monkeypatch.setattr(here.commits, "_write", counted)

    async def main() -> None:
        await asyncio.gather(*(store.put_async(key_of(n), answer_of(n), ABOUT) for n in range(500)))
        assert all(store.get(key_of(n)) is not None for n in range(500))

    asyncio.run(main())
    assert sum(sizes) == 500
    assert len(sizes) < 100


def test_a_put_whose_caller_is_cancelled_is_written(store: SqliteStore) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(store.put_async(key_of(1), answer_of(1), ABOUT))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    store.put(key_of(2), answer_of(2), ABOUT)
    assert store.get(key_of(1)) is not None


def test_threads_may_share_it(store: SqliteStore) -> None:
    def work(first: int) -> None:
        for number in range(first, first + 20):
            store.put(key_of(number), answer_of(number), ABOUT)
            assert store.get(key_of(number)) is not None

    threads = [threading.Thread(target=work, args=(100 * place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.stats().answers == 160


def _fill(path: Path, first: int) -> None:
    store = SqliteStore(path)
    for number in range(first, first + 30):
        store.put(key_of(number), answer_of(number), ABOUT)
    store.close()


def test_processes_may_make_and_share_it(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_fill, args=(path, 25 * place)) for place in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    store = SqliteStore(path)
    assert store.stats().answers == 105
    store.close()
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["responses.sqlite"]


def test_a_forked_child_goes_on_with_its_own_connections(store: SqliteStore) -> None:
    store.put(key_of(1), answer_of(1), ABOUT)

    def child() -> None:
        ok = store.get(key_of(1)) is not None
        store.put(key_of(2), answer_of(2), ABOUT)
        os._exit(0 if ok else 1)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0
    store.put(key_of(3), answer_of(3), ABOUT)
    assert store.stats().answers == 3


def test_every_acknowledged_answer_outlives_kill_9(path: Path) -> None:
    stored: set[int] = set()
    for round_ in range(2):
        writer = Writer("store.sqlite", "SqliteStore", path, first=1_000_000 * round_)
        writer.kill_after(40 + 150 * round_)
        stored |= writer.acknowledged
    store = SqliteStore(path)
    assert all(store.get(key_of(number)) is not None for number in stored)
    store.close()


def filled(path: Path, answers: int = 60) -> None:
    store = SqliteStore(path)
    for number in range(answers):
        store.put(key_of(number), answer_of(number, text="t" * 2000), ABOUT)
    store.close()


def check_refused(path: Path, match: str) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreError, match=match):
        SqliteStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [0, 50, 5_000, 100_000])
def test_a_truncated_file_is_refused_with_what_to_do(path: Path, kept: int) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.truncate(kept)
    check_refused(path, r"damaged .*Nothing was changed.*\.recover.*move it away")


def test_overwritten_pages_are_refused(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 8192)
    check_refused(path, "damaged")


def test_damage_inside_a_text_is_found_when_it_is_read(path: Path) -> None:
    filled(path, answers=1)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"ttttt", b"ttutt", 1))
    store = SqliteStore(path)
    with pytest.raises(StoreError, match="checksum"):
        store.get(key_of(0))
    with pytest.raises(StoreError, match="checksum"):
        list(store.entries())
    store.close()


def test_damage_in_a_file_too_large_to_check_is_found_when_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 100_000)
    monkeypatch.setattr("data_juicer_ext.models.store.sqlite.CHECKED_AT_OPENING", 0)
    store = SqliteStore(path)
    with pytest.raises(StoreError, match="damaged"):
        for number in range(60):
            store.get(key_of(number))
    store.close()


def test_other_files_are_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("no database at all\n" * 100)
    check_refused(path, "not a database")
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    check_refused(path, "another program")


def test_a_store_of_a_later_version_is_refused(path: Path) -> None:
    filled(path, answers=1)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    check_refused(path, "version 9")


def test_a_log_without_its_store_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.with_name("responses.sqlite-wal").write_bytes(b"answers")
    with pytest.raises(StoreError, match="put it back"):
        SqliteStore(path)
    assert not path.exists()


def test_a_failed_write_reaches_all_that_wait_and_later_ones_succeed(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(key_of(0), answer_of(0), ABOUT)
    writer = store._here.get()._writer
    assert writer is not None
    writer.execute("PRAGMA max_page_count = 1")  # as good as a full disk
    big = answer_of(1, text="x" * 100_000)

    async def main() -> list[object]:
        puts = (store.put_async(key_of(number), big, ABOUT) for number in range(1, 4))
        return list(await asyncio.gather(*puts, return_exceptions=True))

    assert ["make room" in str(error) for error in asyncio.run(main())] == [True] * 3
    assert store.get(key_of(1)) is None
    writer.execute("PRAGMA max_page_count = 1000000")
    store.put(key_of(1), big, ABOUT)
    assert store.get(key_of(1)) is not None


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        SqliteStore(tmp_path / "file" / "responses.sqlite")


def test_stats_by_model_and_task(store: SqliteStore) -> None:
    assert store.stats().answers == 0 and store.stats().groups == ()
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
    assert stats.size > 4096


@pytest.mark.parametrize(
    ("selection", "removed"),
    [
        (Selection(model="the-model"), 2),
        (Selection(model="the-model-2026-01-01"), 2),
        (Selection(model="the-mode"), 0),
        (Selection(task="t2"), 1),
        (Selection(model="the-model", task="t2"), 0),
        (Selection(before=1.0), 0),
        (Selection(before=9e9), 3),
        (Selection(before=9e9, task="t2"), 1),
    ],
)
def test_prune_takes_what_is_selected(store: SqliteStore, selection: Selection, removed: int) -> None:
    store.put(key_of(0), answer_of(0), ABOUT)
    store.put(key_of(1), answer_of(1), ABOUT)
    store.put(key_of(2), answer_of(2, model="other"), {**ABOUT, "task": "t2", "model": "else"})
    assert sum(selection.takes(stored) for stored in store.entries()) == removed
    assert store.prune(selection) == removed
    assert store.stats().answers == 3 - removed


def test_an_answer_of_that_very_moment_is_not_from_before(store: SqliteStore) -> None:
    store.put(key_of(0), answer_of(0), ABOUT)
    (stored,) = store.entries()
    assert not Selection(before=stored.created).takes(stored)
    assert store.prune(Selection(before=stored.created)) == 0
    assert store.prune(Selection(before=stored.created + 1e-3)) == 1


def test_prune_gives_the_space_back(store: SqliteStore) -> None:
    for number in range(20):
        store.put(key_of(number), answer_of(number, text="x" * 50_000), ABOUT)
    assert store.stats().size > 1_000_000
    assert store.prune(Selection(task=ABOUT["task"])) == 20
    assert store.stats().size < 100_000
    store.put(key_of(1), answer_of(1), ABOUT)
    assert store.get(key_of(1)) is not None


def test_readers_and_the_end_wait_for_one_another(path: Path) -> None:
    store = SqliteStore(path)
    store.put(key_of(1), answer_of(1), ABOUT)
    connections = store._here.get()
    assert waits_for(connections._lock, lambda: store.get(key_of(1)))
    assert waits_for(connections._lock, connections.close)
    with pytest.raises(StoreError, match="was closed"):
        connections.read("SELECT 1", ())
