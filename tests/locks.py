"""Whether something takes a lock: it does not end before the lock is free."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

MOMENT_S = 0.1  # in which what takes no lock is done; what does take it waits however long


def waits_for(lock: AbstractContextManager[Any], call: Callable[[], Any]) -> bool:
    """Whether `call`, in a thread of its own, waits for `lock`; it has ended when this returns. Raises as it does."""
    errors: list[BaseException] = []

    def called() -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=called)
    with lock:
        thread.start()
        thread.join(MOMENT_S)
        waited = thread.is_alive()
    thread.join(30)
    assert not thread.is_alive(), "it does not end though the lock is free"
    if errors:
        raise errors[0]
    return waited
