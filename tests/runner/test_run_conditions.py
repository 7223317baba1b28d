"""What a run keeps to: one at a time in a folder, the order over the recipe, and failures that are not in a row."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_juicer_ext.runner import run as run_module
from data_juicer_ext.runner.console import Console
from data_juicer_ext.runner.run import run
from tests.runner.test_run import Given, Played, raising

HOLD = (
    "import sys; from pathlib import Path; from data_juicer_ext.runs.folder_lock import BusyError, locked\n"
    "try:\n    with locked(Path(sys.argv[1])): print('free')\n"
    "except BusyError as error: print(error)"
)


def other_process(given: Given) -> str:
    """What another process finds that wants to work in the run folder."""
    return subprocess.run(
        [sys.executable, "-c", HOLD, str(given.run_dir)], capture_output=True, text=True, check=True
    ).stdout


def settings(given: Given, **changed: Any) -> None:
    given.recipe.write_text(yaml.safe_dump({**yaml.safe_load(given.recipe.read_text()), **changed}))


def executors(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The executor and the recipe of every host that is made from now on."""
    made: list[tuple[str, dict[str, Any]]] = []

    class Noted(Played):
        def __init__(self, recipe: Path, executor: str, work: Path) -> None:
            super().__init__(recipe, executor, work)
            made.append((executor, yaml.safe_load(recipe.read_text())))
            assert work == recipe.parent / "work"

    monkeypatch.setattr(run_module, "Host", Noted)
    return made


def test_nobody_else_works_in_the_folder_while_shards_run(given: Given) -> None:
    found: list[str] = []

    def fate(paper: str) -> str:
        if not found:
            found.append(other_process(given))
        return "keep"

    Played.fate = staticmethod(fate)
    assert given.run() == 0
    assert "runs here; wait for it" in found[0] and other_process(given) == "free\n"


def test_a_folder_in_which_another_process_works_is_left_alone(given: Given) -> None:
    code = HOLD.replace("print('free')", "print('held', flush=True); sys.stdin.read()")
    command = [sys.executable, "-c", code, str(given.run_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        assert given.run() == 1
        other.communicate()
    assert f"process {other.pid} runs here" in given.text and Played.jobs == []
    assert [path.name for path in given.run_dir.iterdir()] == [".lock"]


def test_two_failures_with_a_success_between_do_not_end_the_run(given: Given) -> None:
    assert given.run(target=1) == 0
    failing = {*given.shard(1), *given.shard(3)}
    Played.fate = staticmethod(raising(ValueError("no"), failing))
    assert given.run(shard_size=5, again=True) == 1
    assert given.states == ["done", "pending", "done", "pending"] and len(Played.jobs) == 4
    assert "2 shards failed (shard-00001, shard-00003)" in given.text


def test_every_complaint_is_said_and_counted(given: Given) -> None:
    assert given.run(target=-1, shard_size=0, run_dir="{x}", executor="default", ray_address="1.2.3.4:5") == 1
    assert [line[:12] for line in given.said[:-1]] == ["- --target: ", "- --shard: 0", "- --ray-addr", "- --run-dir:"]
    assert given.said[-1] == f"{given.recipe}: 4 problems, nothing was run"


@pytest.mark.parametrize("order", [{"target": 0}, {"shard_size": 1}, {"executor": "default"}])
def test_the_smallest_numbers_that_will_do(given: Given, order: dict[str, Any]) -> None:
    assert given.run(**order) == 0
    assert len(given.states) == (20 if "shard_size" in order else 4)


def test_a_variable_in_the_name_of_the_folder_is_no_brace(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_RUN", str(given.run_dir))
    assert given.run(run_dir="${MY_RUN}") == 0 and given.states == ["done"] * 4


def test_the_folder_of_the_recipe_is_taken_where_none_is_named(given: Given) -> None:
    there = given.folder / "elsewhere"
    given.recipe.write_text(given.recipe.read_text().replace("run_dir: elsewhere", f"run_dir: {there}"))
    assert given.run(run_dir="") == 0
    assert (there / "manifest.json").exists() and not given.run_dir.exists()


@pytest.mark.parametrize(
    ("recipe", "order", "executor", "address"),
    [
        ({}, {}, "default", None),
        ({"executor_type": "ray"}, {}, "ray", "local"),
        ({"executor_type": "ray"}, {"executor": "default"}, "default", None),
        ({"executor_type": "default"}, {"executor": "ray"}, "ray", "local"),
        ({}, {"ray_address": "1.2.3.4:5"}, "ray", "1.2.3.4:5"),
    ],
)
def test_the_executor_is_the_orders_then_the_recipes(
    given: Given, monkeypatch: pytest.MonkeyPatch, recipe: dict[str, Any], order: dict[str, Any],
    executor: str, address: str | None,
) -> None:  # fmt: skip
    made = executors(monkeypatch)
    settings(given, **recipe)
    assert given.run(target=1, **order) == 0
    [(found, derived)] = made
    assert found == executor == derived["executor_type"] and derived.get("ray_address") == address
    runs = {path.name: json.loads(path.read_text()) for path in (given.run_dir / "runs").iterdir()}
    assert {about["executor"] for about in runs.values()} == {executor}


def test_nothing_is_started_where_nothing_is_left_to_do(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    assert given.run() == 0
    made = executors(monkeypatch)
    assert given.run() == 0 and made == []
    assert given.said[0].startswith(
        "20 papers in 4 shards of up to 5, 4 of them done; 0 to run on the default executor"
    )
    assert given.said[-1] == "All shards are done."


def test_statistics_are_joined_where_the_recipe_keeps_them(given: Given) -> None:
    settings(given, keep_stats_in_res_ds=True)
    assert given.run(target=1) == 0
    assert all("__dj__stats__" in line for line in (given.run_dir / "pairs.jsonl").read_text().splitlines())


def test_what_libraries_print_is_in_the_run_folder(given: Given) -> None:
    console = Console()
    console.write("a library was loaded\n")
    assert run(given.order, given.said.append, console) == 0
    console.end()
    assert (given.run_dir / "work" / "console.txt").read_text() == "a library was loaded\n"


def test_every_shard_is_told_as_it_ends_with_the_rows_kept_until_then(given: Given) -> None:
    assert given.run() == 0
    lines = [line for line in given.said if line.startswith("shard-")]
    assert [line.rpartition("; ")[2] for line in lines] == [f"{n} kept in all" for n in (5, 10, 15, 20)]
    assert all(f"shard-0000{n} of 4: 5 papers, 5 kept, 0 refused, 0 undecided" in line for n, line in enumerate(lines))


def test_rows_of_a_shard_that_is_run_again_are_joined_anew_at_the_end(
    given: Given,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_module, "MERGE_SHARE", 1e9)  # no time for it in between
    assert given.run(target=1) == 0
    first, second = given.shard(0), given.shard(1)
    Played.fate = staticmethod(lambda paper: "call_failed:transient" if paper == first[0] else "keep")
    assert given.run(again=True, target=6) == 0
    Played.fate = staticmethod(lambda paper: "drop" if paper in (first[1], second[0]) else "keep")
    assert given.run() == 0
    assert f"{first[1]}-1" not in given.merged() and f"{second[0]}-1" in given.merged()
    assert len(given.merged()) == 19 and "19 kept rows" in given.text
