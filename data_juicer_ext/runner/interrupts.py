"""What Ctrl-C and SIGTERM do to a run: the first ends the shard at work, the second the process, at once."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import cache
from types import FrameType

# How a run was stopped, in words, by its exit code: 128 and the signal's number, as shells have it.
WAYS = {
    128 + signal.SIGINT: "The run was interrupted (SIGINT, Ctrl-C)",
    128 + signal.SIGTERM: "The run was stopped by a signal (SIGTERM)",
}
_AGAIN = {signal.SIGINT: "Ctrl-C again", signal.SIGTERM: "A second signal"}

_Handler = signal.Handlers | Callable[[int, FrameType | None], object] | int | None


class Stops:
    """A context manager that takes over SIGINT and SIGTERM in the main thread.

    `exit_code` is that of the first signal that came, 0 if none did.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.exit_code = 0
        self._say = say
        self._pid = os.getpid()
        self._at_work = False
        self._old: dict[signal.Signals, _Handler] = {}

    @property
    def asked(self) -> bool:
        """Whether a signal has asked the run to stop."""
        return self.exit_code != 0

    def __enter__(self) -> "Stops":
        _leave_forks_alone()
        self._take()
        return self

    def __exit__(self, *_: object) -> None:
        for number, old in self._old.items():
            if old is not None:
                signal.signal(number, old)

    @contextlib.contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within it a signal raises KeyboardInterrupt; elsewhere it is only noted, so that files stay whole."""
        self._take()
        self._at_work = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        except SystemExit as error:
            # Ray, when it starts, puts a handler of its own for SIGTERM in place: this exit.
            if error.code != signal.SIGTERM or self.asked:
                raise
            self._note(signal.SIGTERM)
            raise KeyboardInterrupt from error
        finally:
            self._at_work = False
            self._take()

    def _take(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _AGAIN:
                self._old.setdefault(number, signal.getsignal(number))
                signal.signal(number, self._on_signal)

    def _note(self, number: signal.Signals) -> None:
        self.exit_code = 128 + number
        self._say(
            f"Stopping ({number.name}): this shard is given up, what is done is kept. {_AGAIN[number]} stops at once."
        )

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._pid:  # a forked worker, which the terminal interrupts as well
            raise KeyboardInterrupt
        if self.asked:
            os._exit(128 + number)
        self._note(signal.Signals(number))
        if self._at_work:
            raise KeyboardInterrupt


@cache
def _leave_forks_alone() -> None:
    """See to it that SIGTERM ends a forked worker, by which its pool terminates it.

    It waits until the worker has its default handler: Python forgets what reaches a fork before that.
    """
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_default_in_child)


def _hold() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})


def _let_go() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def _default_in_child() -> None:
    if isinstance(getattr(signal.getsignal(signal.SIGTERM), "__self__", None), Stops):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _let_go()
