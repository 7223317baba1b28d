from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from data_juicer_ext.runner.stops import Stops


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


def test_the_second_one_ends_the_process_at_once() -> None:
    code = (
        "import os, signal, time; from data_juicer_ext.runner.stops import Stops\n"
        "with Stops(print):\n"
        "    os.kill(os.getpid(), signal.SIGINT); os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 130
