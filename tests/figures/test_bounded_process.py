"""Work in a process of its own: what it gives, and what becomes of work that hangs or crashes."""

from __future__ import annotations

import multiprocessing
import os
import resource
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from data_juicer_ext.figures import bounded_process, bounded_worker
from data_juicer_ext.figures.bounded_process import WorkError, work
from tests.locks import waits_for


def do(name: str, data: bytes = b"", seconds: float = 20, **arguments: Any) -> tuple[Any, bytes]:
    return work(f"tests.figures.bounded_jobs:{name}", data, arguments, seconds)


def in_pool(number: int) -> tuple[int, int, int]:
    """Parent's pid, worker's pid and the answer of a process of a pool."""
    (pid, arguments), _ = do("echo", number=number)
    return os.getpid(), pid, arguments["number"]


def test_what_goes_in_and_out() -> None:
    data = bytes(range(256)) * 40_000
    (first, arguments), made = do("echo", data, a=[1, "x"], b=None)
    assert (arguments, made) == ({"a": [1, "x"], "b": None}, data)
    assert first != os.getpid()
    assert do("echo")[0][0] == first


def test_an_exception_goes_to_whoever_asked() -> None:
    with pytest.raises(WorkError, match="FlaggedError: no good") as problem:
        do("fail")
    assert problem.value.flag == "some_flag"
    with pytest.raises(WorkError, match="AttributeError"):
        do("nowhere")


def test_what_hangs_is_ended_and_the_next_is_done() -> None:
    do("echo")
    with pytest.raises(WorkError, match=r"took over 0\.3 s"):
        do("hang", seconds=0.3)
    assert do("echo", b"x")[1] == b"x"


def test_a_worker_that_does_not_even_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_process, "_GRACE", -29.8)  # the parent gives up long before the worker does
    with pytest.raises(WorkError, match="took over 30 s"):
        do("hang", seconds=30)
    monkeypatch.undo()
    assert do("echo", b"x")[1] == b"x"


def test_what_still_works_ends_with_the_process_that_asked() -> None:
    script = (
        "import threading, time\n"
        "from data_juicer_ext.figures import bounded_process\n"
        "job = lambda: bounded_process.work('tests.figures.bounded_jobs:hang', b'', {}, 60)\n"
        "bounded_process.work('tests.figures.bounded_jobs:echo', b'', {}, 60)\n"
        "threading.Thread(target=job, daemon=True).start()\n"
        "while not bounded_process._workers.lock.locked(): time.sleep(0.01)\n"
        "print(bounded_process._workers.worker.process.pid)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert not psutil.pid_exists(int(said))


def test_what_crashes_costs_only_itself() -> None:
    do("echo")
    with pytest.raises(WorkError, match="crashed"):
        do("crash")
    assert do("echo", b"x")[1] == b"x"


def test_what_a_used_worker_dies_over_is_tried_in_a_fresh_one(tmp_path: Path) -> None:
    do("echo")
    assert do("crash_once", mark=str(tmp_path / "mark"))[0] == "second time"


def test_a_worker_that_ended_meanwhile_is_replaced() -> None:
    before = do("echo")[0][0]
    worker = bounded_process._workers.worker
    assert worker is not None
    worker.process.kill()
    worker.process.wait()
    assert do("echo")[0][0] != before


def test_memory_is_bounded() -> None:
    with pytest.raises(WorkError, match="MemoryError"):
        do("take_memory")


def test_it_sees_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    bounded_process._workers.end()
    names = do("environment")[0]
    assert "SOME_API_KEY" not in names
    assert "PATH" in names


def test_threads_get_their_own_answers() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: do("echo", b"%d" % number, number=number), range(40)))
    assert [(answer[1]["number"], int(made)) for answer, made in found] == [(n, n) for n in range(40)]


def test_an_interrupted_question_is_not_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bounded_process, "receive", interrupted)
        do("echo", b"first")
    assert do("echo", b"second")[1] == b"second"


def test_forked_pools_of_daemons_have_workers_of_their_own() -> None:
    mine = do("echo")[0][0]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(in_pool, range(8), chunksize=1)
    assert [number for _, _, number in found] == list(range(8))
    workers: dict[int, set[int]] = {}
    for parent, worker, _ in found:
        workers.setdefault(parent, set()).add(worker)
    assert all(len(own) == 1 for own in workers.values())
    assert mine not in {worker for _, worker, _ in found}
    assert do("echo")[0][0] == mine


def test_one_thread_at_a_time_has_the_worker() -> None:
    assert waits_for(bounded_process._workers.lock, lambda: do("echo", b"abc"))


def test_a_system_that_can_not_bound_memory_still_serves() -> None:
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        os.dup2(theirs.fileno(), 0)
        ours.close()

        def refuse(kind: int, bounds: tuple[int, int]) -> None:
            raise ValueError("not permitted")

        resource.setrlimit = refuse
        bounded_worker.main()
        os._exit(0)
    theirs.close()
    with ours:
        bounded_worker.send(ours, {"memory": 1}, b"")
        bounded_worker.send(
            ours, {"function": "tests.figures.bounded_jobs:echo", "arguments": {}, "seconds": 9}, b"abc"
        )
        answer, data = bounded_worker.receive(ours)
    assert answer["value"][0] == child and data == b"abc"
    assert os.waitpid(child, 0)[1] == 0
