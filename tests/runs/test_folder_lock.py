from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.runs.folder_lock import BusyError, hold, locked


def test_a_second_process_is_told_and_a_killed_one_leaves_the_folder_free(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from data_juicer_ext.runs.folder_lock import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(BusyError, match=f"process {other.pid} runs here"), locked(tmp_path):
            pass
        other.kill()
        other.wait()
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_a_file_system_without_locks_takes_runs_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lock(file: object, how: int) -> None:
        raise OSError(refusal, "no")

    monkeypatch.setattr(fcntl, "lockf", lock)
    refusal = errno.ENOLCK
    with locked(tmp_path):
        assert (tmp_path / ".lock").read_text() == str(os.getpid())
    refusal = errno.EIO
    with pytest.raises(OSError, match="no"), locked(tmp_path):
        pass


def test_a_held_folder_names_its_process_and_is_free_after_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    with pytest.raises(KeyError), locked(folder):
        assert (folder / ".lock").read_text() == str(os.getpid())
        raise KeyError
    assert other(folder) == "free"


def test_the_folder_is_held_until_the_file_is_closed(tmp_path: Path) -> None:
    file = hold(tmp_path)
    assert other(tmp_path) == f"{tmp_path}: process {os.getpid()} runs here; wait for it, or name another folder"
    file.close()
    assert other(tmp_path) == "free"


@pytest.mark.parametrize("refusal", [errno.EAGAIN, errno.EACCES])
def test_both_ways_to_say_that_a_file_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: int) -> None:
    def lock(file: object, how: int) -> None:
        raise OSError(refusal, "no")

    (tmp_path / ".lock").write_text("77\n")
    monkeypatch.setattr(fcntl, "lockf", lock)
    with pytest.raises(BusyError, match="process 77 runs here"):
        hold(tmp_path)
    assert (tmp_path / ".lock").read_text() == "77\n"


@pytest.mark.parametrize("refusal", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_every_way_to_say_that_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    def lock(file: object, how: int) -> None:
        raise OSError(refusal, "no")

    (tmp_path / ".lock").write_text("a long text of before")
    monkeypatch.setattr(fcntl, "lockf", lock)
    with locked(tmp_path):
        assert (tmp_path / ".lock").read_text() == str(os.getpid())


def other(folder: Path) -> str:
    """What another process finds that wants to hold the folder."""
    code = (
        "import sys; from pathlib import Path; from data_juicer_ext.runs.folder_lock import BusyError, locked\n"
        "try:\n    with locked(Path(sys.argv[1])): print('free', end='')\n"
        "except BusyError as error: print(error, end='')"
    )
    return subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True).stdout
