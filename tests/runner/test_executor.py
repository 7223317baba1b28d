"""Data-Juicer run many times in one process, played by a stand-in: what it is told, and what of it is undone."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data_juicer_ext.ops.host.stopped_run import RunStoppedError
from data_juicer_ext.runner import executor
from data_juicer_ext.runner.executor import Host


class Playing:
    """Stands for Data-Juicer: `told` are its arguments, `run` what a run does."""

    def __init__(self) -> None:
        self.told: list[dict[str, str]] = []
        self.run: Callable[[dict[str, str]], None] = lambda settings: None

    def init_configs(self, arguments: list[str]) -> dict[str, str]:
        self.told.append({k.removeprefix("--"): v for k, v in zip(arguments[::2], arguments[1::2], strict=True)})
        return self.told[-1]

    def executor(self, settings: dict[str, str]) -> Any:
        return SimpleNamespace(run=lambda skip_return: self.run(settings))


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> Playing:
    made = Playing()
    monkeypatch.setattr(executor, "_used_executors", set())
    monkeypatch.setattr("data_juicer.config.init_configs", made.init_configs)
    monkeypatch.setattr("data_juicer.core.DefaultExecutor", made.executor)
    monkeypatch.delenv("RAY_JOB", raising=False)
    return made


def run(host: Host, folder: Path, dataset: str = "papers.jsonl") -> None:
    host.run(folder / dataset, str(folder / "out.jsonl"), folder / "jobs", "job-1")


def test_a_shard_is_named_to_data_juicer_with_all_its_places(playing: Playing, tmp_path: Path) -> None:
    run(Host(tmp_path / "recipe.yaml", "default", tmp_path / "work"), tmp_path, "my papers.jsonl")
    assert playing.told == [{
        "config": f"{tmp_path}/recipe.yaml", "dataset_path": shlex.quote(f"{tmp_path}/my papers.jsonl"),
        "export_path": f"{tmp_path}/out.jsonl", "work_dir": f"{tmp_path}/jobs", "job_id": "job-1",
        "ds_cache_dir": f"{tmp_path}/work/cache",
    }]  # fmt: skip


def test_a_process_keeps_to_one_executor(playing: Playing, tmp_path: Path) -> None:
    for _ in range(2):
        Host(tmp_path / "recipe.yaml", "default", tmp_path)
    with pytest.raises(ValueError, match="can't run on two executors"):
        Host(tmp_path / "recipe.yaml", "ray", tmp_path)


@pytest.mark.parametrize("before", [None, "1"])
def test_streams_and_environment_are_as_before_after_a_run_that_failed(
    playing: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    if before is not None:
        monkeypatch.setenv("RAY_JOB", before)

    def spoils(settings: dict[str, str]) -> None:
        os.environ["RAY_JOB"] = "of the run"
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as a logger does
        raise OSError("no")

    playing.run = spoils
    streams = sys.stdout, sys.stderr
    host = Host(tmp_path / "recipe.yaml", "default", tmp_path)
    with pytest.raises(OSError, match=r"^no$"), host.at_work():
        run(host, tmp_path)
    assert (sys.stdout, sys.stderr) == streams and os.environ.get("RAY_JOB") == before


def test_every_shard_begins_with_the_streams_and_the_environment_of_the_first(playing: Playing, tmp_path: Path) -> None:
    seen = []

    def spoils(settings: dict[str, str]) -> None:
        seen.append((sys.stdout, sys.stderr, os.environ.get("RAY_JOB")))
        os.environ["RAY_JOB"] = "of the run"
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as a logger does

    playing.run = spoils
    host = Host(tmp_path / "recipe.yaml", "default", tmp_path)
    with host.at_work():
        run(host, tmp_path)
        run(host, tmp_path)
    assert seen == [(sys.stdout, sys.stderr, None)] * 2


def test_the_logger_is_set_up_anew_for_every_shard(playing: Playing, tmp_path: Path) -> None:
    from data_juicer.utils import logger_utils

    seen = []

    def sets_up(settings: dict[str, str]) -> None:
        seen.append(logger_utils.LOGGER_SETUP)
        logger_utils.LOGGER_SETUP = True

    playing.run = sets_up
    host = Host(tmp_path / "recipe.yaml", "default", tmp_path)
    with host.at_work():
        run(host, tmp_path)
        run(host, tmp_path)
    assert seen == [False, False]


@pytest.mark.parametrize("fails", [False, True])
def test_the_cache_and_the_tables_between_operators_are_gone_after_a_shard(
    playing: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    from datasets import fingerprint

    between = tmp_path / "between"
    between.mkdir()
    monkeypatch.setattr(fingerprint, "_TEMP_DIR_FOR_TEMP_CACHE_FILES", SimpleNamespace(name=str(between)))

    def leaves(settings: dict[str, str]) -> None:
        Path(settings["ds_cache_dir"]).mkdir(parents=True)
        for name in ("a.arrow", "b.arrow", "notes.txt"):
            (between / name).touch()
        if fails:
            raise KeyError("no")

    playing.run = leaves
    host = Host(tmp_path / "recipe.yaml", "default", tmp_path / "work")
    if fails:
        with pytest.raises(KeyError):
            run(host, tmp_path)
    else:
        run(host, tmp_path)
    assert not (tmp_path / "work" / "cache").exists() and [path.name for path in between.iterdir()] == ["notes.txt"]


def test_a_worker_that_could_not_go_on_ends_the_run_with_its_words(
    playing: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(settings: dict[str, str]) -> None:
        raise RuntimeError("task failed") from RunStoppedError("the key is missing")

    said = []
    monkeypatch.setattr(executor, "stop", said.append)
    playing.run = stops
    with pytest.raises(RuntimeError, match="task failed"):
        run(Host(tmp_path / "recipe.yaml", "default", tmp_path), tmp_path)
    assert said == ["the key is missing"]


def test_an_interrupt_is_let_through(playing: Playing, tmp_path: Path) -> None:
    def interrupted(settings: dict[str, str]) -> None:
        raise KeyboardInterrupt

    playing.run = interrupted
    with pytest.raises(KeyboardInterrupt):
        run(Host(tmp_path / "recipe.yaml", "default", tmp_path), tmp_path)


@pytest.mark.parametrize(("cpus", "given", "blocks"), [(8, None, 8), (0.5, None, 1), (8, 3, 3)])
def test_on_ray_one_shard_is_as_many_blocks_as_there_are_processors(
    playing: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpus: float, given: int | None, blocks: int
) -> None:
    from data_juicer.core.executor import ray_executor
    from data_juicer.utils import ray_utils

    from data_juicer_ext.ops.host import exports, ray_blocks

    class Config(dict[str, Any]):
        override_num_blocks = given

    installed: list[str] = []
    config = Config(override_num_blocks=given)
    monkeypatch.setattr(ray_utils, "ray_cpu_count", lambda: cpus)
    monkeypatch.setattr(ray_executor, "RayExecutor", lambda config: SimpleNamespace(run=lambda skip_return: None))
    monkeypatch.setattr(exports, "install", lambda: installed.append("empty_export"))
    monkeypatch.setattr(ray_blocks, "install", lambda: installed.append("ray_blocks"))
    monkeypatch.setattr("data_juicer.config.init_configs", lambda arguments: config)
    run(Host(tmp_path / "recipe.yaml", "ray", tmp_path), tmp_path)
    assert config.override_num_blocks == blocks and installed == ["empty_export", "ray_blocks"]
