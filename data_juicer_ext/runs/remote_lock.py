"""One run at a time in a run folder on object storage, where no file can be locked.

Who runs there keeps an object that says so, and renews it. One that was not renewed for a while is of a run that was
killed, or whose machine is gone.
"""

import atexit
import contextlib
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
from typing import Any

from data_juicer_ext.runs.folder_lock import BusyError
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import under

NAME = ".lock"
BEAT_S = 20.0
STALE_S = 120.0  # clocks of machines may differ by less than this
SETTLE_S = 3.0  # of several that find a stale one, the last to write stays
RELEASE_S = 5.0
LOST = "{} was taken by another run, as this one had not shown for long that it was there: this one ends"
_TRIES = 3


class RemoteLock:
    """Held from `hold_remote` until `release`, or the end of this process."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._token = secrets.token_hex(8)
        self._pid = os.getpid()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def said(self) -> bytes:
        """What the object says: who holds the folder, and when it last said so (seconds since 1970)."""
        said = {"host": socket.gethostname(), "pid": self._pid, "token": self._token, "beat": time.time()}
        return json.dumps(said).encode()

    def is_mine(self) -> bool:
        """Whether this one still holds the folder. Raises OSError."""
        return _read(self._address).get("token") == self._token

    def keep(self) -> None:
        """Renew the object from now on, beside everything else. If another one has taken it, this process is ended."""
        self._thread = threading.Thread(target=self._beat, name="dj-ext-lock", daemon=True)
        self._thread.start()
        atexit.register(self.release)

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with contextlib.suppress(OSError):  # storage that is away: next time
                if not self.is_mine():
                    return self._lost()
                file_access.write(self._address, self.said())

    def _lost(self) -> None:
        # Both would write the export, and each other's undecided rows.
        print(f"\ndata_juicer_ext: {LOST.format(self._address)}\n", file=sys.__stderr__, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)

    def release(self) -> None:
        """Let the next run in; no more than once, and not by a forked child."""
        if self._over.is_set() or os.getpid() != self._pid:
            return
        self._over.set()
        if self._thread is not None:
            self._thread.join(RELEASE_S)  # it may be writing
        with contextlib.suppress(OSError):  # it goes stale by itself
            if self.is_mine():
                file_access.delete([self._address])


def hold_remote(url: str) -> RemoteLock:
    """Hold the run folder at an address. Raises BusyError if another process does, OSError if it can't be written."""
    address = under(url, NAME)
    lock = RemoteLock(address)
    for _ in range(_TRIES):
        if file_access.create(address, lock.said()):
            lock.keep()
            return lock
        other = _read(address)
        if lock.is_mine():  # a request that was repeated, as its answer was lost
            lock.keep()
            return lock
        if other and not _is_over(other):
            break
        file_access.write(address, lock.said())
        time.sleep(SETTLE_S)
        if lock.is_mine():
            lock.keep()
            return lock
    raise BusyError(
        f"{url}: process {other.get('pid')} on {other.get('host')} runs here; wait for it, or name another folder. If "
        f"it was killed, this is let in {STALE_S:g} s after it last showed that it was there"
    )


def _read(address: str) -> dict[str, Any]:
    try:
        value = json.loads(file_access.read(address))
    except (FileNotFoundError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_over(other: dict[str, Any]) -> bool:
    if other.get("host") == socket.gethostname() and not _is_running(other.get("pid")):
        return True
    beat = other.get("beat")
    return not isinstance(beat, int | float) or time.time() - beat > STALE_S


def _is_running(pid: Any) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
