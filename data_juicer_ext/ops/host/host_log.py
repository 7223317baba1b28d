"""Data-Juicer's log on a disk that is full.

Data-Juicer sends what is written to `sys.stderr` into its log, whose files are written by threads. Where such a thread
can't write (a full disk), it reports that to `sys.stderr`: the report is logged, can't be written, is reported, and so
on, until the queues in between are full and the run stands still for ever. So what these threads report goes nowhere.
"""

import threading
from collections.abc import Callable
from typing import Any

from loguru import logger

_WRITERS = "loguru-writer"


def install() -> None:
    """Let Data-Juicer send to its log what any thread prints but those that write the log."""
    from data_juicer.utils import logger_utils

    if issubclass(logger_utils.StreamToLoguru, _Heard):
        return

    class StreamToLoguru(_Heard, logger_utils.StreamToLoguru):
        pass

    logger_utils.StreamToLoguru = StreamToLoguru


def end() -> None:
    """Write what is on its way to the log, and close its files; what can't be written is left out."""
    failed = True
    while failed:
        try:
            logger.remove()
            failed = False
        except OSError:  # of one file, which is gone from the list now
            continue


class _Heard:
    @property
    def write(self) -> Callable[[str], Any]:
        # Data-Juicer's method looks at who called it: it is handed out, not called, here.
        if threading.current_thread().name.startswith(_WRITERS):
            return len
        method: Callable[[str], Any] = super().write  # type: ignore[misc]
        return method
