from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.runs.folder_lock import BusyError, locked


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
