"""One run at a time in a run folder on object storage."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time

import pytest

from data_juicer_ext.runs import remote_lock
from data_juicer_ext.runs.folder_lock import BusyError
from data_juicer_ext.runs.remote_lock import hold_remote
from data_juicer_ext.storage import places
from tests.s3_server import S3


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "SETTLE_S", 0.05)


def said(s3: S3, **values: object) -> None:
    """Somebody says that they hold the folder."""
    places.write(s3.at("run/.lock"), json.dumps({"token": "theirs", "beat": time.time(), **values}).encode())


def test_the_second_is_told_who_is_there(s3: S3) -> None:
    held = hold_remote(s3.at("run"))
    with pytest.raises(BusyError, match=rf"process \d+ on {socket.gethostname()} runs here"):
        hold_remote(s3.at("run"))
    hold_remote(s3.at("other")).release()
    held.release()
    hold_remote(s3.at("run")).release()
    assert places.listed(s3.at("run")) == {}


def test_who_was_killed_here_is_no_hindrance(s3: S3) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    said(s3, host=socket.gethostname(), pid=child.pid)
    held = hold_remote(s3.at("run"))
    assert held.is_mine()
    held.release()


@pytest.mark.parametrize(("age", "is_let_in"), [(10.0, False), (1000.0, True)])
def test_who_runs_on_another_machine_counts_while_it_says_so(s3: S3, age: float, is_let_in: bool) -> None:
    said(s3, host="elsewhere", pid=1, beat=time.time() - age)
    if is_let_in:
        hold_remote(s3.at("run")).release()
    else:
        with pytest.raises(BusyError, match="process 1 on elsewhere"):
            hold_remote(s3.at("run"))


@pytest.mark.parametrize("content", [b"", b"[]", b"{broken", b"\xff", b'{"beat": "x", "pid": "y"}'])
def test_an_object_that_says_nothing_is_taken(s3: S3, content: bytes) -> None:
    places.write(s3.at("run/.lock"), content)
    held = hold_remote(s3.at("run"))
    assert held.is_mine()
    held.release()


def test_it_is_renewed(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "BEAT_S", 0.02)
    renewed = threading.Event()
    write = places.write
    monkeypatch.setattr(places, "write", lambda place, data: (write(place, data), renewed.set()))
    held = hold_remote(s3.at("run"))
    assert renewed.wait(30) and held.is_mine()
    held.release()


def test_who_has_lost_it_ends(s3: S3, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(remote_lock, "BEAT_S", 0.02)
    ended = threading.Event()
    monkeypatch.setattr(remote_lock.os, "kill", lambda pid, number: ended.set())
    held = hold_remote(s3.at("run"))
    said(s3, host="elsewhere", pid=1)
    assert ended.wait(30)
    held.release()
    assert "was taken by another run" in capfd.readouterr().err
    assert json.loads(places.read(s3.at("run/.lock")))["host"] == "elsewhere"


def test_a_request_that_was_repeated(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    create = places.create
    monkeypatch.setattr(places, "create", lambda address, data: (create(address, data), False)[1])
    hold_remote(s3.at("run")).release()
    assert places.listed(s3.at("run")) == {}


def test_one_of_many_gets_a_stale_one(s3: S3) -> None:
    said(s3, host="elsewhere", pid=1, beat=0.0)
    got: list[remote_lock.RemoteLock] = []

    def one() -> None:
        with contextlib.suppress(BusyError):
            got.append(hold_remote(s3.at("run")))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([held for held in got if held.is_mine()]) == len(got) == 1
    got[0].release()


def test_a_bucket_that_is_not_there() -> None:
    with pytest.raises(OSError, match="gcsfs"):
        hold_remote("gs://bucket/run")
