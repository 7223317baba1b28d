"""`dj-ext run`: what becomes of its arguments, of the screen and of an interrupt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import main
from data_juicer_ext.runner import run as runner
from data_juicer_ext.runner.console import Console
from data_juicer_ext.runner.shard_plan import RunRequest


class Ran:
    """Stands for the run itself."""

    def __init__(self) -> None:
        self.order: RunRequest | None = None
        self.console: Console | None = None
        self.stdout: Any = None
        self.ends: int | type[BaseException] = 0

    def __call__(self, order: RunRequest, say: Callable[[str], None], console: Console | None) -> int:
        self.order, self.console, self.stdout = order, console, sys.stdout
        print("of a library")
        say("of the run")
        if isinstance(self.ends, int):
            return self.ends
        raise self.ends


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    made = Ran()
    monkeypatch.setattr(runner, "run", made)
    return made


def test_without_options_the_recipe_decides(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "r.yaml"]) == 0
    assert ran.order == RunRequest(Path("r.yaml"))
    assert capsys.readouterr().out == "of the run\n" and ran.stdout is ran.console is not None
    assert sys.stdout is not ran.console


def test_every_option_reaches_the_order(ran: Ran) -> None:
    main(["run", "r.yaml", "--dataset", "d", "--run-dir", "f", "--shard", "7", "--target", "9", "--seed", "3",
          "--executor", "ray", "--ray-address", "h:1", "--again"])  # fmt: skip
    assert ran.order == RunRequest(Path("r.yaml"), "d", "f", 7, 9, 3, "ray", True, "h:1")


def test_what_libraries_print_is_shown_where_that_is_asked_for(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "r.yaml", "--verbose"])
    assert capsys.readouterr().out == "of a library\nof the run\n" and ran.console is None


@pytest.mark.parametrize(("ends", "code"), [(1, 1), (3, 3), (143, 143), (KeyboardInterrupt, 130)])
def test_how_the_run_ended_is_the_exit_code(
    ran: Ran, ends: int | type[BaseException], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ran.ends = ends
    assert main(["run", "r.yaml"]) == code
    assert ("Interrupted before the first shard.\n" in capsys.readouterr().out) is (code == 130)
