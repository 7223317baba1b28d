from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from data_juicer_ext.runner import interrupts
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


@pytest.mark.parametrize(
    ("number", "code", "again"), [(signal.SIGINT, 130, "Ctrl-C again"), (signal.SIGTERM, 143, "A second signal")]
)
def test_the_first_one_says_what_happens_and_how_to_stop_at_once(number: signal.Signals, code: int, again: str) -> None:
    said: list[str] = []
    with Stops(said.append) as stops:
        os.kill(os.getpid(), number)
    assert stops.exit_code == code
    assert said == [f"Stopping ({number.name}): this shard is given up, what is done is kept. {again} stops at once."]


def test_a_shard_that_was_interrupted_leaves_the_next_signal_noted_alone() -> None:
    with Stops(lambda _: None) as stops:
        with stops.interrupting():
            pass
        os.kill(os.getpid(), signal.SIGTERM)  # between shards: nothing is raised
        assert stops.asked


def test_both_signals_are_given_back_as_they_were() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with Stops(lambda _: None) as stops:
        within = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        with stops.interrupting():
            assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == within != before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_exit_by_a_library_after_a_signal_was_noted_is_its_own() -> None:
    with Stops(lambda _: None) as stops, pytest.raises(SystemExit), stops.interrupting():
        stops.exit_code = 130
        raise SystemExit(signal.SIGTERM)
    assert stops.exit_code == 130


def test_another_thread_takes_over_no_signal() -> None:
    failed: list[BaseException] = []

    def runs() -> None:
        try:
            with Stops(lambda _: None) as stops, stops.interrupting():
                pass
        except ValueError as error:
            failed.append(error)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=runs)
    thread.start()
    thread.join()
    assert not failed and signal.getsignal(signal.SIGTERM) is before


def test_a_forked_worker_that_the_terminal_interrupts_ends_without_a_word() -> None:
    code = (
        "import os, signal; from data_juicer_ext.runner.interrupts import Stops\n"
        "with Stops(lambda text: os.write(1, text.encode())) as stops:\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        try:\n"
        "            os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
        "        except KeyboardInterrupt:\n"
        "            os._exit(7 if not stops.asked else 8)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"  # forking has not left it blocked
        "    assert stops.exit_code == 143"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, timeout=30, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("Stopping") == 1


def test_a_signal_between_fork_and_handler_waits_for_it() -> None:
    interrupts._hold()
    try:
        assert signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    finally:
        interrupts._let_go()
    assert signal.SIGTERM not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
