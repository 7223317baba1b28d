"""What Ctrl-C does to a run: the first ends the shard at work, the second the process, at once."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

EXIT_CODE = 130


class Stops:
    """A context manager that takes over SIGINT in the main thread; `asked` says whether one came."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.asked = False
        self._say = say
        self._pid = os.getpid()
        self._at_work = False
        self._old: signal.Handlers | Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Stops:
        if threading.current_thread() is threading.main_thread():
            self._old = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)

    @contextlib.contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within it a Ctrl-C raises KeyboardInterrupt; elsewhere it is only noted, so that files stay whole."""
        self._at_work = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._at_work = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._pid:  # a forked worker, which the terminal interrupts as well
            raise KeyboardInterrupt
        if self.asked:
            os._exit(EXIT_CODE)
        self.asked = True
        self._say("Stopping: this shard is given up, what is done is kept. Ctrl-C again stops at once.")
        if self._at_work:
            raise KeyboardInterrupt
