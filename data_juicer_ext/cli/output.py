"""What `dj-ext` says, and to whom: errors of the machine in words, nothing to a reader who is gone, no idle log."""

import errno
import os
import select
import sys
from pathlib import Path
from typing import TextIO

INTERRUPTED = 130
READER_GONE = 141  # as a shell reports a program that SIGPIPE has ended


def os_error_in_words(error: OSError) -> str:
    """An error of the operating system as a sentence that names the path; messages of our own stay as they are."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    if not path:
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file or folder {path}: check the path"
    if isinstance(error, NotADirectoryError):
        return f"{path}: a part of this path is a file and no folder; check the path"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder; name a file"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return f"{path}: {error.strerror}; put the rights in order, or name another place"
    if error.errno == errno.ENOSPC:
        return f"{path}: {error.strerror}; make room, or name another place"
    return f"{path}: {error.strerror}"


def reader_is_gone() -> bool:
    """Whether who reads our output has closed it, as `head` does; what is still to be written then goes nowhere."""
    closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
    for stream in closed:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
    return bool(closed)


def _is_closed(stream: TextIO) -> bool:
    try:
        number = stream.fileno()
    except OSError:  # no stream of the system's
        return False
    looked = select.poll()
    looked.register(number, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in looked.poll(0))


def log_warnings_only() -> None:
    """Have Data-Juicer's log tell what went wrong, not what it found, unless it has been imported already."""
    if "data_juicer" in sys.modules:
        return
    import data_juicer  # noqa: F401 - sets its log up when it is imported
    from loguru import logger

    logger.remove()
    logger.add(sys.stderr, level="WARNING")
