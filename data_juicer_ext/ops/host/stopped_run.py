"""A run that can't go on, noticed by a worker: how its message reaches the user, and nothing is tried again.

A worker must not end its process for it: Ray takes that for a crash and runs the task anew, for ever, and a pool of
processes just says that one has died. It raises `RunStoppedError` instead, which ends the dataset's execution, and the
driver says the message. A disk that is full where the host writes (its export, its work folder) ends in the same way.
"""

import errno
import os
import re
import sys
from collections.abc import Callable
from types import TracebackType

from data_juicer_ext.errors import DjExtError

_IMPORTED_IN = os.getpid()
# Ray hands on the text of an exception, with that of its causes, but not always the exception itself.
_IN_TEXT = re.compile(r"\bRunStoppedError: (.+)")
_DEPTH = 20  # of a chain of causes
# What storage says that is full, was taken away, or may not be written.
_STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.EACCES, errno.EPERM)
_STORAGE_IN_TEXT = re.compile("|".join(re.escape(os.strerror(number)) for number in _STORAGE))
EXIT_CODE = 2

_said = ""


class RunStoppedError(DjExtError, RuntimeError):
    """The run has to end; the text, of one line, says why and what to do."""


def in_worker() -> bool:
    """Whether this process works for another one: a Ray worker, or a forked child."""
    if os.getpid() != _IMPORTED_IN:
        return True
    ray = sys.modules.get("ray")
    return bool(ray is not None and ray.is_initialized() and ray.get_runtime_context().worker.mode == ray.WORKER_MODE)


def message_of(error: BaseException | None) -> str:
    """What a RunStoppedError among the causes of `error` says; "" if there is none."""
    for _ in range(_DEPTH):
        if error is None:
            return ""
        if isinstance(error, RunStoppedError):
            return str(error)
        if found := _IN_TEXT.findall(str(error)):
            return str(found[-1]).strip()
        error = error.__cause__ or error.__context__
    return ""


def storage_trouble(error: BaseException | None) -> str:
    """What storage said, where that is the first cause of `error`; "" if it is not."""
    found = ""
    for _ in range(_DEPTH):
        if error is None:
            break
        if isinstance(error, OSError) and error.errno in _STORAGE:
            found = str(error)
        elif in_text := _STORAGE_IN_TEXT.findall(str(error)):
            found = found or in_text[-1]
        error = error.__cause__ or error.__context__
    return found


def watch(explain: Callable[[str], str]) -> None:
    """See to it that an exception which ends the run is said in plain words, and ends this process with `EXIT_CODE`.

    `said` then gives what a worker said, or what `explain` makes of what storage said.
    """
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        global _said
        trouble = storage_trouble(error)
        _said = message_of(error) or (explain(trouble) if trouble else "")
        before(kind, error, trace)
        if _said:
            raise SystemExit(EXIT_CODE)

    sys.excepthook = hook


def said() -> str:
    """Why the run was stopped, where a worker or the host noticed it; "" if it was not."""
    return _said
