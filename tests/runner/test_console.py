from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from data_juicer_ext.runner.console import Console, instead_of_screen

FULL = Path("/dev/full")


def test_what_came_before_there_was_a_file_is_kept(tmp_path: Path) -> None:
    console = Console()
    print("early", file=console)
    console.into(tmp_path / "work" / "console.txt")
    print("late", file=console, flush=True)
    console.end()
    print("too late", file=console)
    assert (tmp_path / "work" / "console.txt").read_text() == "early\nlate\n"


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_does_not_reach_who_prints() -> None:
    console = Console()
    console.into(FULL)
    assert [console.write("a line\n") for _ in range(3)] == [7, 7, 7]
    console.end()


def test_the_screen_is_left_alone_within_and_given_back_after(tmp_path: Path) -> None:
    before = sys.stdout, sys.stderr
    with instead_of_screen() as console:
        print("out")
        print("err", file=sys.stderr)
        console.into(tmp_path / "console.txt")
        assert sys.stdout is console and sys.stderr is console
        print("later")
    print("too late", file=console)
    assert (sys.stdout, sys.stderr) == before
    assert (tmp_path / "console.txt").read_text() == "out\nerr\nlater\n"


def test_the_screen_is_given_back_after_an_error() -> None:
    before = sys.stdout, sys.stderr
    with pytest.raises(ValueError, match="no"), instead_of_screen():
        raise ValueError("no")
    assert (sys.stdout, sys.stderr) == before


def test_each_line_is_there_at_once_after_what_the_file_had(tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text("of an earlier run\n")
    console = Console()
    console.into(path)
    assert console.write("a line\n") == 7
    assert path.read_text() == "of an earlier run\na line\n"
    console.write("no end")
    console.flush()
    assert path.read_text().endswith("no end")
    console.end()


def test_its_descriptor_is_that_of_its_file_or_of_the_screen(tmp_path: Path) -> None:
    console = Console()
    assert console.fileno() == (sys.__stderr__ or sys.stderr).fileno()
    console.into(tmp_path / "console.txt")
    os.write(console.fileno(), b"of a process that it started")
    assert (tmp_path / "console.txt").read_text() == "of a process that it started"
    console.end()
