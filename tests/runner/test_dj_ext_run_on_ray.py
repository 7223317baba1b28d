"""`dj-ext run` on Ray: killed and gone on with, it ends with the rows of the default executor."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.summary import run_summary
from tests.fake_openai import FakeServer, Reply
from tests.runner.driving import asked, finished, ids, papers, shards, stopped_after, write_recipe
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]


def test_a_killed_run_on_ray_goes_on_to_the_rows_of_the_default_executor(tmp_path: Path) -> None:
    models = ScriptedModels()

    def slow(body: dict[str, Any]) -> Reply:
        reply = models(body)
        return Reply(reply, delay=0.05) if isinstance(reply, str) else reply

    dataset, run_dir = papers(tmp_path / "papers", 18), tmp_path / "run"
    order = (str(write_recipe(tmp_path, "verisciqa_ray")), "--dataset", str(dataset), "--run-dir", str(run_dir),
             "--shard", "6")  # fmt: skip
    with FakeServer(slow) as server:
        code, said = finished(server, tmp_path, *order, "--executor", "default")
        assert code == 0, said
        expected, calls = contents(run_dir / "pairs.jsonl"), sum(asked(server.requests).values())
        run_dir.rename(tmp_path / "first")
        server.clear()
        code, _, _ = stopped_after(int(calls * 0.5), signal.SIGKILL, server, tmp_path, *order)
        assert code == -signal.SIGKILL and "running" in {s["state"] for s in shards(run_dir)}
        # Ray writes to the streams that it finds when it is imported, which a fork has done before its console stands.
        code, said = finished(server, tmp_path, *order, forked=False)
        assert code == 0 and "on the ray executor" in said, said
        assert server.count < calls * 1.35
    assert contents(run_dir / "pairs.jsonl") == expected
    assert len(ids(run_dir / "pairs.jsonl")) == len(set(ids(run_dir / "pairs.jsonl"))) > 10
    assert [s["state"] for s in shards(run_dir)] == ["done"] * 3
    assert all((run_dir / s["export"]).is_dir() for s in shards(run_dir))
    assert f"kept pairs: {len(expected)}" in run_summary(run_dir)
    assert "Execution plan" not in said  # Ray's own words are in the console file
    assert (run_dir / "work" / "console.txt").stat().st_size > 1000


def contents(path: Path) -> list[str]:
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in path.read_text().splitlines())
