"""One run at a time in a run folder on object storage."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from data_juicer_ext.runs import remote_lock
from data_juicer_ext.runs.folder_lock import BusyError
from data_juicer_ext.runs.remote_lock import RemoteLock, hold_remote
from data_juicer_ext.storage import file_access
from tests.s3_server import S3
from tests.storage.down import take_down


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "SETTLE_S", 0.05)


def said(s3: S3, **values: object) -> None:
    """Somebody says that they hold the folder."""
    file_access.write(s3.at("run/.lock"), json.dumps({"token": "theirs", "beat": time.time(), **values}).encode())


def test_the_second_is_told_who_is_there(s3: S3) -> None:
    held = hold_remote(s3.at("run"))
    with pytest.raises(BusyError, match=rf"process \d+ on {socket.gethostname()} runs here"):
        hold_remote(s3.at("run"))
    hold_remote(s3.at("other")).release()
    held.release()
    hold_remote(s3.at("run")).release()
    assert file_access.listed(s3.at("run")) == {}


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
    file_access.write(s3.at("run/.lock"), content)
    held = hold_remote(s3.at("run"))
    assert held.is_mine()
    held.release()


def test_it_is_renewed(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "BEAT_S", 0.02)
    renewed = threading.Event()
    write = file_access.write
    monkeypatch.setattr(file_access, "write", lambda place, data: (write(place, data), renewed.set()))
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
    assert json.loads(file_access.read(s3.at("run/.lock")))["host"] == "elsewhere"


def test_a_request_that_was_repeated(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    create = file_access.create
    monkeypatch.setattr(file_access, "create", lambda address, data: (create(address, data), False)[1])
    hold_remote(s3.at("run")).release()
    assert file_access.listed(s3.at("run")) == {}


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


def test_who_holds_it_says_so_with_all_that_others_need(s3: S3) -> None:
    held = hold_remote(s3.at("run"))
    told = json.loads(file_access.read(s3.at("run/.lock")))
    held.release()
    assert told["host"] == socket.gethostname() and told["pid"] == os.getpid() and len(told["token"]) == 16
    assert told["beat"] == pytest.approx(time.time(), abs=60)


def test_two_locks_of_one_process_are_told_apart(s3: S3) -> None:
    held = hold_remote(s3.at("run"))
    other = RemoteLock(s3.at("run/.lock"))
    assert held.is_mine() and not other.is_mine()
    other.release()  # of what is not its own it leaves everything
    assert held.is_mine()
    held.release()
    held.release()
    assert not held.is_mine()


def test_a_forked_child_that_ends_lets_nobody_in(s3: S3) -> None:
    held = hold_remote(s3.at("run"))
    if not (child := os.fork()):
        held.release()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0 and held.is_mine()
    held.release()


@pytest.mark.parametrize(
    ("other", "is_let_in"),
    [
        ({"beat": 0.0}, True),
        ({"beat": None}, True),
        ({"host": "HERE", "pid": 0}, True),
        ({"host": "HERE", "pid": "1"}, True),
        ({"host": "HERE", "pid": 1}, False),  # a process that runs, of somebody else
        ({"host": "elsewhere", "pid": 0}, False),
    ],
)
def test_whose_hold_is_over(s3: S3, other: dict[str, object], is_let_in: bool) -> None:
    said(s3, **{**other, **({"host": socket.gethostname()} if other.get("host") == "HERE" else {})})
    if is_let_in:
        hold_remote(s3.at("run")).release()
        assert file_access.listed(s3.at("run")) == {}
        return
    with pytest.raises(BusyError, match=r"it was killed, this is let in 120 s after"):
        hold_remote(s3.at("run"))
    assert json.loads(file_access.read(s3.at("run/.lock")))["token"] == "theirs"


def test_whose_process_is_not_ours_to_ask_still_runs(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(pid: int, number: int) -> None:
        assert (pid, number) == (77, 0)
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(remote_lock.os, "kill", asked)
    said(s3, host=socket.gethostname(), pid=77)
    with pytest.raises(BusyError, match="process 77"):
        hold_remote(s3.at("run"))


def test_who_writes_last_over_a_stale_one_stays(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    said(s3, host="elsewhere", pid=1, beat=0.0)
    monkeypatch.setattr(remote_lock.time, "sleep", lambda seconds: said(s3, host="elsewhere", pid=2))
    with pytest.raises(BusyError, match="process 2 on elsewhere"):
        hold_remote(s3.at("run"))


def test_one_that_vanishes_meanwhile_is_tried_for_again(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    said(s3, host="elsewhere", pid=1)
    read = file_access.read

    def vanishes(address: str) -> bytes:
        file_access.delete([address])
        return read(address)

    with monkeypatch.context() as once:
        once.setattr(file_access, "read", vanishes)
        once.setattr(remote_lock.time, "sleep", lambda seconds: once.setattr(file_access, "read", read))
        held = hold_remote(s3.at("run"))
    assert held.is_mine()
    held.release()


@pytest.mark.parametrize("repeated", [False, True])
def test_however_it_was_got_it_is_renewed(s3: S3, monkeypatch: pytest.MonkeyPatch, repeated: bool) -> None:
    if repeated:
        create = file_access.create
        monkeypatch.setattr(file_access, "create", lambda address, data: (create(address, data), False)[1])
    else:
        said(s3, host="elsewhere", pid=1, beat=0.0)
    held = hold_remote(s3.at("run"))
    beating = [thread for thread in threading.enumerate() if thread.name == "dj-ext-lock"]
    assert any(thread.daemon for thread in beating)
    held.release()
    assert not any(thread in threading.enumerate() for thread in beating[-1:])


def test_storage_that_is_away_for_a_moment_does_not_end_the_run(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "BEAT_S", 0.01)
    again = threading.Event()
    asked: list[str] = []
    read = file_access.read

    def away(address: str) -> bytes:
        asked.append(address)
        if len(asked) < 3:
            raise OSError(5, "away")
        again.set()
        return read(address)

    monkeypatch.setattr(file_access, "read", away)
    monkeypatch.setattr(remote_lock.os, "kill", lambda pid, number: pytest.fail("the run was ended"))
    held = hold_remote(s3.at("run"))
    assert again.wait(30)
    held.release()


def test_who_has_lost_it_is_ended_by_sigterm(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lock, "BEAT_S", 0.01)
    killed: list[tuple[int, int]] = []
    ended = threading.Event()
    monkeypatch.setattr(remote_lock.os, "kill", lambda *given: (killed.append(given), ended.set()))
    held = hold_remote(s3.at("run"))
    said(s3, host="elsewhere", pid=1)
    assert ended.wait(30)
    held.release()
    assert killed == [(os.getpid(), signal.SIGTERM)]


def test_storage_that_is_away_at_the_end_is_no_error(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    held = hold_remote(s3.at("run"))
    with monkeypatch.context() as patched:
        take_down(patched)
        held.release()
    assert list(file_access.listed(s3.at("run"))) == [".lock"]
