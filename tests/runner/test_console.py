from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.runner.console import Console

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
