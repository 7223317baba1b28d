"""Clusters of several raylets, joined by address with a token: the verdicts, limits and budgets of one machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster import RayCluster, copies
from tests.fake_openai import FakeServer, Reply
from tests.host import SHARED_PAPERS, dj_process
from tests.scripted import ScriptedModels
from tests.test_dj_process import MAIN_FILES, configured, environment, kept, latex_paper, verdicts

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

KEY = "sk-canary-cluster-0123456789abcdef"
COPIES = 9
A_MINUTE = 600
IN_FLIGHT = 64


@pytest.fixture(scope="module", params=[2, 4], ids=["2 raylets", "4 raylets"])
def cluster(request: pytest.FixtureRequest) -> Iterator[RayCluster]:
    with RayCluster(request.param, cpus=1) as running:
        yield running


def on_cluster(cluster: RayCluster, folder: Path, rows: list[dict[str, Any]], **model_params: Any) -> dict[str, Any]:
    """The shipped recipe over rows, on a cluster."""
    folder.mkdir(exist_ok=True)
    return configured("verisciqa_ray", folder, rows, **model_params) | {"ray_address": cluster.address}


def run_on(cluster: RayCluster, config: dict[str, Any], folder: Path, server: FakeServer) -> None:
    env = {**environment(server), **cluster.client_env, "OPENAI_API_KEY": KEY}
    done = dj_process(config, folder, env=env)
    assert done.returncode == 0, done.stderr[-3000:]


def numbered(folder: Path, papers: int, figures: int = 3) -> list[dict[str, Any]]:
    return [latex_paper(folder / "papers", f"paper{n}", figures) for n in range(papers)]


@pytest.mark.skipif(not SHARED_PAPERS.is_dir(), reason="the six real papers are not on this machine")
def test_real_papers_and_their_copies_get_the_verdicts_of_one_machine(cluster: RayCluster, tmp_path: Path) -> None:
    rows = [{"paper_id": name, "paper_path": str(SHARED_PAPERS / name), "domain": "math.NA"} for name in MAIN_FILES]
    rows += copies(SHARED_PAPERS, MAIN_FILES, tmp_path / "copies", COPIES)
    with FakeServer(ScriptedModels()) as server:
        (tmp_path / "local").mkdir()
        local = configured("verisciqa", tmp_path / "local", rows)
        assert dj_process(local, tmp_path / "local", env=environment(server)).returncode == 0
        server.clear()
        config = on_cluster(cluster, tmp_path / "ray", rows)
        run_on(cluster, config, tmp_path / "ray", server)
        assert kept(config) == kept(local) and len(kept(config)) > 10 * len(MAIN_FILES)
        assert verdicts(tmp_path / "ray" / "run") == verdicts(tmp_path / "local" / "run")
        # The nodes have no key in their environment; it reached every worker, and no file.
        assert {one.headers["authorization"] for one in server.requests} == {f"Bearer {KEY}"}
    for path in (*cluster.folder.rglob("*"), *tmp_path.rglob("*")):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_who_has_no_token_is_not_let_in(cluster: RayCluster, tmp_path: Path) -> None:
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 1, 1))
    wrong = tmp_path / "token"
    wrong.write_text("0" * 64)
    with FakeServer(ScriptedModels()) as server:
        env = {**environment(server), **cluster.client_env, "RAY_AUTH_TOKEN_PATH": str(wrong)}
        done = dj_process(config, tmp_path, env=env)
        assert done.returncode != 0 and server.count == 0
        assert "auth" in done.stderr.lower()


def test_all_workers_keep_one_limit_of_calls_in_flight(cluster: RayCluster, tmp_path: Path) -> None:
    models = ScriptedModels()

    def slow(body: dict[str, Any]) -> Reply:
        reply = models(body)
        assert isinstance(reply, str)
        return Reply(reply, delay=0.1)

    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 60), max_concurrency=IN_FLIGHT)
    # The text models alone: the vision models' endpoint has a limit of its own.
    config["process"] = config["process"][:6]
    with FakeServer(slow, record=False) as server:
        run_on(cluster, config, tmp_path, server)
        assert server.count > 1000
        assert IN_FLIGHT / 2 < server.in_flight_peak <= IN_FLIGHT
    assert processes_that_called(tmp_path / "run") > 1


def test_all_workers_keep_one_limit_of_requests_a_minute(cluster: RayCluster, tmp_path: Path) -> None:
    models, arrivals = ScriptedModels(), list[float]()

    def noted(body: dict[str, Any]) -> Reply | str:
        arrivals.append(time.monotonic())
        return models(body)

    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 70), requests_per_minute=A_MINUTE)
    config["process"] = config["process"][:3]
    with FakeServer(noted, record=False) as server:
        run_on(cluster, config, tmp_path, server)
    seconds = arrivals[-1] - arrivals[0]
    assert len(arrivals) == 210
    assert (len(arrivals) - 1) * 60 / seconds == pytest.approx(A_MINUTE, rel=0.05)
    assert processes_that_called(tmp_path / "run") > 1


def test_a_budget_of_calls_holds_for_all_workers(cluster: RayCluster, tmp_path: Path) -> None:
    most = 100
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 30))
    for step in config["process"][2:]:
        for given in step.values():
            given["max_calls"] = most
    with FakeServer(ScriptedModels(), record=False) as server:
        run_on(cluster, config, tmp_path, server)
        assert server.count == most
        lines = (tmp_path / "run" / "undecided.jsonl").read_text().splitlines()
        assert {json.loads(line)["undecided"]["reason"] for line in lines} == {"call_failed:budget"}


def test_a_run_in_shards_works_on_a_cluster_too(cluster: RayCluster, tmp_path: Path) -> None:
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 12))
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    with FakeServer(ScriptedModels()) as server:
        run_on(cluster, config, tmp_path, server)
        command = [
            sys.executable,
            "-m",
            "data_juicer_ext.cli",
            "run",
            "recipe.yaml",
            "--run-dir",
            "sharded",
            "--shard",
            "5",
        ]
        env = {**os.environ, **environment(server), **cluster.client_env, "OPENAI_API_KEY": KEY}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    pairs = (tmp_path / "sharded" / "pairs.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["row_id"] for line in pairs) == kept(config)


def processes_that_called(run_dir: Path) -> int:
    """How many processes have asked a model: each writes a ledger file of its own."""
    files = (run_dir / "ledger").glob("*.jsonl")
    return sum(any(json.loads(line)["spending"]["calls"] for line in file.open()) for file in files)
