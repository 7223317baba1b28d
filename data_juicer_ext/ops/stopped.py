"""A run that can't go on, noticed by a worker: how its message reaches the user, and nothing is tried again.

A worker must not end its process for it: Ray takes that for a crash and runs the task anew, for ever,
and a pool of processes just says that one has died. It raises `RunStoppedError` instead, which ends the
dataset's execution, and the driver says the message.
"""

import os
import re
import sys
from types import TracebackType

_IMPORTED_IN = os.getpid()
# Ray hands on the text of an exception, with that of its causes, but not always the exception itself.
_IN_TEXT = re.compile(r"\bRunStoppedError: (.+)")
_DEPTH = 20  # of a chain of causes

_said = ""


class RunStoppedError(RuntimeError):
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


def watch() -> None:
    """Note what a worker said when an exception ends this process; `said` then gives it."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        global _said
        _said = message_of(error)
        before(kind, error, trace)

    sys.excepthook = hook


def said() -> str:
    """Why the run was stopped, where a worker noticed it; "" if it was not."""
    return _said
