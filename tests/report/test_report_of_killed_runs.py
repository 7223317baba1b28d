"""`dj-ext report` as users start it: on both executors, of runs that were killed and gone on with."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.run_report import make_report
from data_juicer_ext.report.run_selection import last_selection
from data_juicer_ext.runs import run_records
from tests.cluster.test_kills import _killed_after as killed_after
from tests.fake_openai import FakeServer, Reply
from tests.host import dj_process
from tests.recipes.runs import configured, environment, latex_paper
from tests.report.counting import check
from tests.report.run_folders import tables
from tests.runner.driving import finished, papers, shards, stopped_after, write_recipe
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.slow]


class Slow:
    """The scripted models, at a pace that leaves time to kill a run."""

    def __init__(self) -> None:
        self.models = ScriptedModels()

    def __call__(self, body: dict[str, Any]) -> Reply:
        reply = self.models(body)
        return Reply(reply, delay=0.05) if isinstance(reply, str) else reply


def reported(run_dir: Path) -> str:
    """What the command says; its page is `report.html` in the run folder."""
    done = subprocess.run(
        [sys.executable, "-m", "data_juicer_ext.cli", "report", str(run_dir)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr == "" and str(run_dir / "report.html") in done.stdout
    return done.stdout


def held_against_the_files(run_dir: Path, export: Path, run_ids: list[str]) -> None:
    page = (run_dir / "report.html").read_text(encoding="utf-8")
    check(make_report(last_selection(run_dir)), tables(page), export, run_ids)


@pytest.mark.parametrize("name", ["verisciqa", pytest.param("verisciqa_ray", marks=pytest.mark.ray)])
def test_a_killed_and_resumed_dj_process_run(name: str, tmp_path: Path) -> None:
    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 3) for n in range(5)]
    config = configured(name, tmp_path, rows, max_concurrency=8)
    run_dir, export = tmp_path / "run", Path(config["export_path"])
    with FakeServer(Slow()) as server:
        env = environment(server)
        killed_after(60, config, tmp_path, env, server)
        said = reported(run_dir)
        assert "has not ended, or was killed" in said and "Atomic claims extracted" in said
        done = dj_process(config, tmp_path, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
    assert "vision_vote: " in done.stderr and " calls/s" in done.stderr  # progress, on Ray from the driver
    said = reported(run_dir)
    assert "has not ended" not in said and "calls saved by the store" in said
    assert export.is_dir() == (name == "verisciqa_ray")
    held_against_the_files(run_dir, export, [run_records.run_ids(run_dir)[-1]])


def test_a_killed_and_resumed_run_in_shards(tmp_path: Path) -> None:
    dataset, run_dir = papers(tmp_path / "papers", 12), tmp_path / "run"
    order = (str(write_recipe(tmp_path)), "--dataset", str(dataset), "--run-dir", str(run_dir), "--shard", "4")
    with FakeServer(Slow()) as server:
        code, _, _ = stopped_after(70, signal.SIGKILL, server, tmp_path, *order)
        assert code == -signal.SIGKILL and "of 3 shards have been run" in reported(run_dir)
        code, said = finished(server, tmp_path, *order)
        assert code == 0, said
    said = reported(run_dir)
    assert "!" not in said
    held_against_the_files(run_dir, run_dir / "pairs.jsonl", [shard["whole_run_id"] for shard in shards(run_dir)])
