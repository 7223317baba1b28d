"""Work on untrusted files in a process of its own, bounded in time and memory.

What hangs is ended, what crashes the library that reads it costs that one piece of work, and the process sees
no keys: its environment holds paths only. One process serves its parent for as long as it is asked; it is a
plain subprocess, so it also works inside pools of daemonic processes and inside Ray workers.
"""

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.figures.bounded_worker import receive, send

MEMORY = 4_000_000_000
_GRACE = 5.0  # seconds for starting, sending and answering
_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


class WorkError(DjExtError):  # a finding about the work
    """Why a piece of work gave nothing; `flag` is that of the exception it ended with, or ""."""

    def __init__(self, message: str, flag: str = "") -> None:
        super().__init__(message)
        self.flag = flag


def bare_environment() -> dict[str, str]:
    """The environment for programs that read untrusted files: where things lie, no keys."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ}


class _DeadError(DjExtError):
    """The process has ended."""


class _WorkerProcess:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        environment = bare_environment()
        environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        with theirs:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-m", "data_juicer_ext.figures.bounded_worker"],
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment, start_new_session=True,
            )  # fmt: skip
        self.socket = ours
        self.asked = 0

    def ask(self, request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """The answer. Raises TimeoutError, or _DeadError when the process ends over it."""
        self.asked += 1
        self.socket.settimeout(request["seconds"] + _GRACE)
        try:
            if self.asked == 1:
                send(self.socket, {"memory": MEMORY}, b"")
            send(self.socket, request, data)
            answer, made = receive(self.socket)
        except TimeoutError:
            raise
        except (OSError, EOFError, ValueError) as error:
            raise _DeadError(str(error)) from error
        return answer, made

    def end(self) -> int:
        """End the process; its exit code."""
        self.socket.close()
        self.process.kill()
        return self.process.wait()


class _Workers:
    """The one worker of this process, and the lock that lets one thread at a time have it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.worker: _WorkerProcess | None = None

    def end(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.end()


_workers = _Workers()


def _after_fork() -> None:
    """A forked process starts its own worker; its copy of the parent's socket would keep that one alive."""
    global _workers
    inherited, _workers = _workers.worker, _Workers()
    if inherited is not None:
        inherited.process.returncode = 0  # not a child of this process: nothing to wait for
        with contextlib.suppress(OSError):
            inherited.socket.close()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _workers.end())


def work(function: str, data: bytes, arguments: dict[str, Any], seconds: float) -> tuple[Any, bytes]:
    """What `function` ("package.module:name") makes of `data`, in the other process: a JSON value and bytes.

    It is called as name(data, **arguments); `arguments` are JSON values. Raises WorkError if it
    raises, takes more than `seconds`, or ends its process.
    """
    workers = _workers
    with workers.lock:
        answer, made = _asked(workers, {"function": function, "arguments": arguments, "seconds": seconds}, data)
    if "error" in answer:
        raise WorkError(str(answer["error"]), str(answer.get("flag", "")))
    return answer["value"], made


def _asked(workers: _Workers, request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    fresh, started = workers.worker is None, time.monotonic()
    try:
        if workers.worker is None:
            workers.worker = _WorkerProcess()
        return workers.worker.ask(request, data)
    except BaseException as error:
        # Also when interrupted: the answer to this must not be taken for that to the next request.
        workers.end()
        late = isinstance(error, _DeadError) and time.monotonic() - started >= request["seconds"]
        if late or isinstance(error, TimeoutError):
            raise WorkError(f"took over {request['seconds']:g} s") from error
        if not isinstance(error, _DeadError):
            raise
        if fresh:
            raise WorkError("the process that read it crashed or ran out of memory") from error
    # It had done other work before: it may have been idle too long, or damaged by that work.
    return _asked(workers, request, data)
