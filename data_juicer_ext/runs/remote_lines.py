"""JSON lines to object storage, which can't append: an object some seconds, or a batch of rows, of a process."""

import itertools
import os
import secrets
import socket
import threading
from typing import Any
from weakref import WeakSet

from data_juicer_ext.rows import to_json
from data_juicer_ext.storage import file_access

PIECE_S = 5.0  # what a killed process loses at most of its ledger; its answers are in the store
PIECE_BYTES = 4_000_000


class PieceWriter:
    """Writes lines to objects of this process in the folder at `address`; may be sent to other processes.

    Lines are there after `flush`, which operators call when a batch is done, and else within `PIECE_S` seconds.
    """

    def __init__(self, address: str, run_id: str) -> None:
        self.address, self.run_id = address, run_id
        self.begin()
        _WRITERS.add(self)

    def begin(self) -> None:
        """Begin anew in this process; a forked child does, whose parent writes what it had."""
        self._numbers = itertools.count()
        self._name = f"{self.run_id}.{socket.gethostname()}.{os.getpid()}-{secrets.token_hex(4)}"
        self._piece = "", b""
        self._lines: list[bytes] = []
        self._bytes = 0
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._timer: threading.Timer | None = None
        self._error: OSError | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"address": self.address, "run_id": self.run_id}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def write(self, value: dict[str, Any]) -> None:
        """Take one object as one line. Raises OSError where an earlier one could not be written."""
        line = (to_json(value).replace("\n", " ") + "\n").encode("utf-8", errors="replace")
        with self._lock:
            if self._error is not None:
                raise self._error
            self._lines.append(line)
            self._bytes += len(line)
            if self._timer is None:
                self._timer = threading.Timer(PIECE_S, self._in_time)
                self._timer.daemon = True
                self._timer.start()
            full = self._bytes > PIECE_BYTES
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what waits; it is there when this returns. Raises OSError."""
        with self._sending:  # in order, and nobody returns before its lines are there
            with self._lock:
                timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            while self._take():
                file_access.write(*self._piece)
                self._piece = "", b""
            self._error = None

    def _take(self) -> bool:
        """Whether there is a piece to write: one that failed, under its name, as it may be there, or what waits."""
        if not self._piece[1]:
            with self._lock:
                lines, self._lines, self._bytes = self._lines, [], 0
            if lines:
                self._piece = f"{self.address}/{self._name}-{next(self._numbers):06d}.jsonl", b"".join(lines)
        return bool(self._piece[1])

    def _in_time(self) -> None:
        try:
            self.flush()
        except OSError as error:
            self._error = error


_WRITERS: WeakSet[PieceWriter] = WeakSet()


def _after_fork() -> None:
    for writer in list(_WRITERS):
        writer.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
