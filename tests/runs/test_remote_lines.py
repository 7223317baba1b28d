"""Lines written to object storage in pieces."""

import json
import multiprocessing
import os
import pickle
import threading
from pathlib import Path

import pytest

from data_juicer_ext.runs import remote_lines
from data_juicer_ext.runs.remote_lines import PieceWriter
from data_juicer_ext.storage import file_access
from tests.locks import waits_for
from tests.s3_server import S3


def lines(address: str) -> list[dict[str, object]]:
    """What is there, in the order of the objects' names."""
    objects = (file_access.read(f"{address}/{name}") for name in file_access.listed(address))
    return [json.loads(line) for data in objects for line in data.splitlines()]


def test_a_batch_is_one_object(s3: S3) -> None:
    writer = PieceWriter(s3.at("ledger"), "run1")
    for number in range(100):
        writer.write({"n": number, "text": "a\nb ∆"})
    assert file_access.listed(s3.at("ledger")) == {}
    writer.flush()
    writer.flush()
    assert [line["n"] for line in lines(s3.at("ledger"))] == list(range(100))
    assert len(file_access.listed(s3.at("ledger"))) == 1
    writer.write({"n": 100})
    writer.flush()
    assert len(file_access.listed(s3.at("ledger"))) == 2 and lines(s3.at("ledger"))[-1] == {"n": 100}
    assert all(name.startswith("run1.") and name.endswith(".jsonl") for name in file_access.listed(s3.at("ledger")))


def test_lines_do_not_wait_for_the_end_of_a_long_batch(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lines, "PIECE_S", 0.02)
    written = threading.Event()
    write = file_access.write
    monkeypatch.setattr(file_access, "write", lambda place, data: (write(place, data), written.set()))
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    assert written.wait(30)
    assert lines(s3.at("ledger")) == [{"n": 1}]


def test_lines_that_wait_do_not_hold_up_the_end_of_a_process(s3: S3) -> None:
    before = set(threading.enumerate())
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    waiting = set(threading.enumerate()) - before
    assert waiting and all(thread.daemon for thread in waiting)
    writer.flush()


def test_many_lines_do_not_wait_in_memory(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lines, "PIECE_BYTES", 100)
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": "x" * 101})
    assert len(lines(s3.at("ledger"))) == 1


def test_what_could_not_be_written_is_tried_again(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    with monkeypatch.context() as broken:
        broken.setattr(file_access, "write", lambda place, data: (_ for _ in ()).throw(OSError(5, "away", place)))
        with pytest.raises(OSError, match="away"):
            writer.flush()
    writer.write({"n": 2})
    writer.flush()
    assert lines(s3.at("ledger")) == [{"n": 1}, {"n": 2}]


def test_a_piece_that_arrived_all_the_same_is_there_once(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    write = file_access.write

    def arrives(place: str, data: bytes) -> None:
        write(place, data)
        raise OSError(5, "no answer", place)

    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    with monkeypatch.context() as broken:
        broken.setattr(file_access, "write", arrives)
        with pytest.raises(OSError, match="no answer"):
            writer.flush()
    writer.write({"n": 2})
    writer.flush()
    assert lines(s3.at("ledger")) == [{"n": 1}, {"n": 2}]


def test_an_error_in_the_background_stops_the_next_line(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lines, "PIECE_S", 0.02)
    tried = threading.Event()

    def broken(place: str, data: bytes) -> None:
        tried.set()
        raise OSError(5, "away", place)

    monkeypatch.setattr(file_access, "write", broken)
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    assert tried.wait(30)
    with pytest.raises(OSError, match="away"):
        for _ in range(10_000):
            writer.write({"n": 2})
            threading.Event().wait(0.001)


def test_a_copy_and_a_fork_write_objects_of_their_own(s3: S3, tmp_path: Path) -> None:
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"from": "parent"})
    copy = pickle.loads(pickle.dumps(writer))
    copy.write({"from": "copy"})
    copy.flush()
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(writer,))
    child.start()
    child.join()
    assert child.exitcode == 0
    writer.flush()
    assert sorted(str(line["from"]) for line in lines(s3.at("ledger"))) == ["child", "copy", "parent"]
    assert len(file_access.listed(s3.at("ledger"))) == 3


def _in_child(writer: PieceWriter) -> None:
    writer.write({"from": "child"})
    writer.flush()
    os._exit(0)


def test_nobody_returns_before_what_another_writes_is_there(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    writing, go_on, write = threading.Event(), threading.Event(), file_access.write

    def slow(place: str, data: bytes) -> None:
        if not writing.is_set():
            writing.set()
            go_on.wait(30)
        write(place, data)

    monkeypatch.setattr(file_access, "write", slow)
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    first, second = (threading.Thread(target=writer.flush) for _ in range(2))
    first.start()
    assert writing.wait(30)
    writer.write({"n": 2})
    second.start()
    second.join(0.3)
    assert second.is_alive()
    go_on.set()
    first.join()
    second.join()
    assert lines(s3.at("ledger")) == [{"n": 1}, {"n": 2}]


def test_writers_and_senders_wait_for_one_another(s3: S3) -> None:
    writer = PieceWriter(s3.at("ledger"), "run1")
    assert waits_for(writer._lock, lambda: writer.write({"n": 1}))
    assert waits_for(writer._lock, writer.flush)
    assert waits_for(writer._sending, writer.flush)
    assert not waits_for(writer._sending, lambda: writer.write({"n": 2})), "a line is taken while others are sent"


def test_lines_are_taken_under_the_lock(s3: S3) -> None:
    writer = PieceWriter(s3.at("ledger"), "run1")
    writer.write({"n": 1})
    assert waits_for(writer._lock, writer._take)
