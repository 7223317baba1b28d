"""One run at a time in a run folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class BusyError(ValueError):
    """Another process works in the run folder."""


@contextlib.contextmanager
def locked(run_dir: Path) -> Iterator[None]:
    """Hold a run folder. Raises BusyError if another process does, OSError if it can't be written.

    The system frees the lock when the process ends, however it ends; forked workers that outlive a
    killed process do not hold it (record locks are not inherited).
    """
    run_dir.mkdir(parents=True, exist_ok=True)
    with (run_dir / ".lock").open("a+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            file.seek(0)
            pid = file.read().strip()
            raise BusyError(f"{run_dir}: process {pid} runs here; wait for it, or name another --run-dir") from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
