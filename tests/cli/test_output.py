"""What `dj-ext` says where a path is wrong, the reader is gone or the user interrupts."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_juicer_ext.cli.main import main, recipes
from data_juicer_ext.cli.output import os_error_in_words

DJ_EXT = (sys.executable, "-m", "data_juicer_ext.cli")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOENT, "there is no file or folder a/b: check the path"),
        (errno.ENOTDIR, "a/b: a part of this path is a file and no folder"),
        (errno.EISDIR, "a/b is a folder; name a file"),
        (errno.EACCES, "a/b: Permission denied; put the rights in order"),
        (errno.EROFS, "a/b: Read-only file system; put the rights in order"),
        (errno.ENOSPC, "a/b: No space left on device; make room"),
        (errno.EIO, "a/b: Input/output error"),
    ],
)
def test_errors_of_the_system_are_told_with_path_and_remedy(number: int, said: str) -> None:
    told = os_error_in_words(OSError(number, os.strerror(number), "a/b"))
    assert told.startswith(said) and "Errno" not in told


def test_errors_in_our_own_words_stay() -> None:
    assert os_error_in_words(OSError("port 80: taken; name another")) == "port 80: taken; name another"


def test_a_recipe_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "gone.yaml"]) == 2
    assert capsys.readouterr().err == "dj-ext: gone.yaml can't be read (No such file or directory): check the path\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_goes_away_ends_it_quietly(unbuffered: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [*DJ_EXT, "recipes"], stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path, env=env, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_another_broken_pipe_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(name: str) -> Path:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    monkeypatch.setattr(recipes, "shipped_folder", broken)
    assert main(["recipes"]) == 2 and "Broken pipe" in capsys.readouterr().err


def test_an_interrupt_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(name: str) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(recipes, "shipped_folder", interrupted)
    assert main(["recipes"]) == 130
    assert capsys.readouterr().err == "dj-ext: interrupted\n"


@pytest.mark.host
def test_the_list_of_operators_comes_without_a_log() -> None:
    done = subprocess.run([*DJ_EXT, "ops"], capture_output=True, text=True, check=True)
    assert "claim_extractor_mapper" in done.stdout and done.stderr == ""
