from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from data_juicer_ext.runner.interrupts import Stops


def test_a_shard_at_work_is_interrupted_and_work_between_shards_is_not() -> None:
    said: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with Stops(said.append) as stops:
        assert not stops.asked
        os.kill(os.getpid(), signal.SIGINT)
        assert stops.asked and len(said) == 1
        with pytest.raises(KeyboardInterrupt), stops.interrupting():
            raise AssertionError("a new shard was begun")
    with Stops(said.append) as stops:
        with pytest.raises(KeyboardInterrupt), stops.interrupting():
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()
        assert stops.asked
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_one_ends_the_process_at_once(number: signal.Signals) -> None:
    code = (
        "import os, signal, time; from data_juicer_ext.runner.interrupts import Stops\n"
        "with Stops(print):\n"
        f"    os.kill(os.getpid(), {number:d}); os.kill(os.getpid(), {number:d}); time.sleep(60)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 128 + number


def test_a_handler_that_a_library_puts_in_place_stops_the_shard_and_no_more() -> None:
    said: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with Stops(said.append) as stops:
        with pytest.raises(KeyboardInterrupt), stops.interrupting():
            signal.signal(signal.SIGTERM, lambda number, _: sys.exit(number))  # as Ray does
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        assert stops.exit_code == 143 and len(said) == 1 and "SIGTERM" in said[0]
    assert signal.getsignal(signal.SIGTERM) is before
    with Stops(said.append) as stops:
        with stops.interrupting():
            signal.signal(signal.SIGTERM, lambda number, _: sys.exit(number))
        os.kill(os.getpid(), signal.SIGTERM)
        assert stops.exit_code == 143 and len(said) == 2


def test_another_exit_is_no_signal() -> None:
    with Stops(lambda _: None) as stops:
        with pytest.raises(SystemExit), stops.interrupting():
            raise SystemExit(2)
        assert not stops.asked


def test_a_forked_worker_is_terminated_as_ever() -> None:
    code = (
        "import os, signal, time; from data_juicer_ext.runner.interrupts import Stops\n"
        "with Stops(print) as stops:\n"
        "    child = os.fork()\n"
        "    if not child: time.sleep(60)\n"
        "    os.kill(child, signal.SIGTERM)\n"
        "    assert os.waitpid(child, 0)[1] == signal.SIGTERM and not stops.asked"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 0
