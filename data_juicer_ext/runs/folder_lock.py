"""One process at a time in a folder."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from data_juicer_ext.errors import DjExtError

NAME = ".lock"
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # of some network file systems


class BusyError(DjExtError, ValueError):
    """Another process works in the folder."""


def hold(folder: Path) -> TextIO:
    """Hold a folder until the file that this gives is closed, or the process ends, however it ends.

    Raises BusyError if another process holds it, OSError if it can't be written. Forked workers that outlive a killed
    process do not hold it (record locks are not inherited). Where the file system has no locks, nobody is held off.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / NAME).open("a+")
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        process = file.read().strip()
        if error.errno not in _NO_LOCKS:
            file.close()
            if isinstance(error, BlockingIOError | PermissionError):
                words = f"{folder}: process {process} runs here; wait for it, or name another folder"
                raise BusyError(words) from error
            raise
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Within it the folder is held, as by `hold`."""
    with hold(folder):
        yield
