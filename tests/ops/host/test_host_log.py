from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from loguru import logger

from data_juicer_ext.ops.host import host_log


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """What reaches the log."""
    lines: list[str] = []
    number = logger.add(lambda message: lines.append(str(message)), format="{message}", level="INFO")
    yield lines
    logger.remove(number)


def test_what_the_log_s_own_threads_report_is_not_logged(logged: list[str]) -> None:
    from data_juicer.utils.logger_utils import StreamToLoguru

    in_place_of_stderr = StreamToLoguru()

    def report() -> None:
        print("the log file can't be written", file=in_place_of_stderr)

    for name in ("loguru-writer-7", "another thread"):
        thread = threading.Thread(target=report, name=name)
        thread.start()
        thread.join()
    assert "".join(logged) == "the log file can't be written\n"


def test_installing_it_again_changes_nothing() -> None:
    from data_juicer.utils import logger_utils

    before = logger_utils.StreamToLoguru
    host_log.install()
    assert logger_utils.StreamToLoguru is before and before.__mro__[2].__name__ == "StreamToLoguru"


def test_a_file_that_can_t_be_closed_keeps_no_other_open() -> None:
    class Sink:
        def __init__(self, full: bool) -> None:
            self.full, self.ended = full, False

        def write(self, message: str) -> None:
            pass

        def stop(self) -> None:
            self.ended = True
            if self.full:
                raise OSError(28, "No space left on device")

    sinks = [Sink(True), Sink(False), Sink(True)]
    before = dict(logger._core.handlers)  # type: ignore[attr-defined]
    for sink in sinks:
        logger.add(sink)  # type: ignore[arg-type]
    host_log.end()
    assert [sink.ended for sink in sinks] == [True, True, True]
    for handler in before.values():
        logger._core.handlers[handler._id] = handler  # type: ignore[attr-defined]
