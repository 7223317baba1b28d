"""Clusters of several raylets, joined by address with a token: the verdicts, limits and budgets of one machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from data_juicer_ext.models.budget.prices import load_prices, price_of
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Usage
from data_juicer_ext.runs.folder_lock import hold
from tests.cluster.hammering import Done, hammer_on
from tests.cluster.ray_cluster import RayCluster, copies
from tests.fake_openai import FakeServer, Reply
from tests.host import SHARED_PAPERS, dj_process, recipe, with_parameters, write_rows
from tests.models.calling import config_for
from tests.ops.conftest import paper
from tests.recipes.runs import MAIN_FILES, configured, environment, kept, latex_paper, verdicts
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

KEY = "sk-canary-cluster-0123456789abcdef"
COPIES = 9
A_MINUTE = 600
SMALL_STORE_BYTES = 80 * 1024**2  # about the least that Ray takes
PARTS = 10
STATE_S = 30.0  # a raylet writes its state every 10 s
IN_FLIGHT = 64
SLOW_S = 0.25
PRICED = "gpt-4.1-mini"
ENOUGH = 400  # calls that a budget is for


@pytest.fixture(scope="module", params=[2, 4], ids=["2 raylets", "4 raylets"])
def cluster(request: pytest.FixtureRequest) -> Iterator[RayCluster]:
    with RayCluster(request.param, cpus=1) as running:
        yield running


on_two = pytest.mark.parametrize("cluster", [2], ids=["2 raylets"], indirect=True)
on_four = pytest.mark.parametrize("cluster", [4], ids=["4 raylets"], indirect=True)


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


def test_rows_beyond_the_object_store_go_over_the_disk(tmp_path: Path) -> None:
    image = tmp_path / "figure.png"
    Image.new("RGB", (64, 48), "white").save(image)
    long = ("The series rises, as Figure 1 shows. " * 1100).strip()
    rows = [{**paper(str(image), n, 1), "text": ""} for n in range(3000)]
    rows = [{**row, "figures": row["figures"].replace("Caption 1", f"Caption 1. {long}")} for row in rows]
    assert len(rows) * len(long) > SMALL_STORE_BYTES
    (tmp_path / "papers").mkdir()
    for part in range(PARTS):
        write_rows(tmp_path / "papers" / f"{part}.jsonl", rows[part::PARTS])
    with RayCluster(nodes=1, cpus=2, object_store_bytes=SMALL_STORE_BYTES) as one:
        [figures] = with_parameters(recipe("verisciqa_ray")["process"][1:2], run_dir=str(tmp_path / "run"))
        config = recipe("verisciqa_ray") | {
            "dataset_path": str(tmp_path / "papers"), "export_path": str(tmp_path / "out"), "process": [figures],
            "ray_address": one.address,
        }  # fmt: skip
        done = dj_process(config, tmp_path, env=one.client_env)
        assert done.returncode == 0, done.stderr[-3000:]
        lines = [line for file in (tmp_path / "out").glob("*.json*") for line in file.read_text().splitlines()]
        assert sorted(json.loads(line)["caption"] for line in lines) == sorted(
            f"Caption 1. {long} of paper {n}." for n in range(3000)
        )
        state = one.folder / "ray" / "session_latest" / "logs" / "debug_state.txt"
        until = time.monotonic() + STATE_S
        while not (spilled := re.search(r"cumulative spill requests: ([1-9]\d*)", state.read_text())):
            assert time.monotonic() < until, "nothing had to be spilled"
            time.sleep(0.5)
        assert int(spilled[1]) > 0


@on_two
def test_who_has_no_token_is_not_let_in(cluster: RayCluster, tmp_path: Path) -> None:
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 1, 1))
    wrong = tmp_path / "token"
    wrong.write_text("0" * 64)
    with FakeServer(ScriptedModels()) as server:
        env = {**environment(server), **cluster.client_env, "RAY_AUTH_TOKEN_PATH": str(wrong)}
        done = dj_process(config, tmp_path, env=env)
        assert done.returncode == 2 and server.count == 0
        assert (
            f"the cluster at {cluster.address} can't be joined" in done.stderr and "RAY_AUTH_TOKEN_PATH" in done.stderr
        )


@on_two
def test_an_address_where_nobody_listens_is_said_at_once(cluster: RayCluster, tmp_path: Path) -> None:
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 1, 1)) | {"ray_address": "127.0.0.1:9"}
    with FakeServer(ScriptedModels()) as server:
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 2 and "nobody listens at 127.0.0.1:9" in done.stderr


@on_two
def test_two_runs_at_once_in_one_folder_are_refused(cluster: RayCluster, tmp_path: Path) -> None:
    config = on_cluster(cluster, tmp_path, numbered(tmp_path, 2, 2))
    with FakeServer(ScriptedModels()) as server, hold(tmp_path / "run"):
        env = {**environment(server), **cluster.client_env}
        done = dj_process(config, tmp_path, env=env)
        assert done.returncode == 2 and f"process {os.getpid()} runs here" in done.stderr and server.count == 0


def can_hide() -> bool:
    """Whether a process may be given a disk of its own here."""
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return shutil.which("unshare") is not None and subprocess.run(command, check=False).returncode == 0


@on_two
def test_a_node_that_does_not_see_what_all_share_is_named(cluster: RayCluster, tmp_path: Path) -> None:
    if not can_hide():
        pytest.skip("needs the right to mount")
    # A node's own disk, which is not there for the driver: what the node is asked for lies where it sees nothing.
    blind = tmp_path / "blind"
    blind.mkdir()
    try:
        cluster.add_node(("unshare", "-m", "sh", "-c", f'mount -t tmpfs none {blind} && exec "$@"', "sh"))
        for hidden in ("run_dir", "export_path", "paper_path"):
            folder = tmp_path / hidden
            rows = numbered(blind if hidden == "paper_path" else folder, 2, 2)
            config = on_cluster(cluster, blind if hidden == "run_dir" else folder, rows)
            config["export_path"] = str((blind if hidden == "export_path" else folder) / "out")
            with FakeServer(ScriptedModels()) as server:
                done = dj_process(config, tmp_path, env={**environment(server), **cluster.client_env})
                assert done.returncode == 2 and server.count == 0
                assert f"{hidden}: the node" in done.stderr and "does not see" in done.stderr
    finally:
        cluster.kill_node(cluster.size - 1)


@pytest.mark.alone
@on_four
def test_four_workers_keep_64_calls_in_flight_and_no_more(cluster: RayCluster) -> None:
    arrivals: list[float] = []

    def slow(body: dict[str, Any]) -> Reply:
        arrivals.append(time.monotonic())
        return Reply("B", delay=SLOW_S)

    with FakeServer(slow, record=False) as server:
        done = governed(cluster, config_for(server, max_concurrency=IN_FLIGHT, deadline=60), batch=256, seconds=10.0)
        assert server.in_flight_peak <= IN_FLIGHT
    # From when all four were sure to call until the first of them may have been done.
    low, high = arrivals[0] + 5.0, arrivals[0] + 9.0
    in_flight = sum(low <= moment < high for moment in arrivals) / (high - low) * SLOW_S
    assert in_flight > 0.5 * IN_FLIGHT, in_flight
    answered = [one.answered for one in done]
    assert min(answered) > 0.05 * sum(answered), answered


@on_four
def test_four_workers_keep_600_requests_a_minute(cluster: RayCluster) -> None:
    arrivals: list[float] = []

    def noted(body: dict[str, Any]) -> Reply:
        arrivals.append(time.monotonic())
        return Reply("B", delay=0.05)

    with FakeServer(noted, record=False) as server:
        limits = {"max_concurrency": IN_FLIGHT, "requests_per_minute": A_MINUTE}
        done = governed(cluster, config_for(server, **limits, deadline=60), batch=16, seconds=12.0)
    within = sum(moment - arrivals[0] <= 10.0 for moment in arrivals)
    assert 0.75 * A_MINUTE / 6 < within <= 1.05 * A_MINUTE / 6
    answered = [one.answered for one in done]
    assert min(answered) > 0.05 * sum(answered), answered


@on_four
@pytest.mark.parametrize("limit", ["max_calls", "max_cost"])
def test_four_workers_spend_no_more_than_the_budget_and_what_was_in_flight(
    cluster: RayCluster, tmp_path: Path, limit: str
) -> None:
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000}
    cost = price_of(PRICED, Usage(1_000_000, 0), load_prices())
    assert cost is not None and cost > 0.01
    (tmp_path / "run").mkdir()
    budget = {"max_calls": ENOUGH} if limit == "max_calls" else {"max_cost": (ENOUGH - 0.5) * cost}
    with FakeServer(lambda body: Reply("B", delay=SLOW_S, usage=usage), record=False) as server:
        config = replace(config_for(server, max_concurrency=IN_FLIGHT, deadline=60), model=PRICED)
        place = RunPlace(str(tmp_path / "run"), on_ray=True, **budget)
        done = governed(cluster, config, batch=256, seconds=30.0, place=place, fails="budget")
        most = ENOUGH if limit == "max_calls" else ENOUGH + IN_FLIGHT
        assert ENOUGH <= server.count <= most
    assert sum(one.answered for one in done) == server.count
    # One that a busy machine starts late may find nothing left; that several spend of one budget is the point.
    assert sum(one.answered > 0 for one in done) >= 2


def governed(
    cluster: RayCluster, config: EndpointConfig, batch: int, seconds: float, place: RunPlace | None = None,
    fails: str = "",
) -> list[Done]:  # fmt: skip
    """What four workers did that called at once, one on each node; their calls may fail by one thing only."""
    env = {**os.environ, **cluster.client_env}
    done = hammer_on(cluster.address, env, config, batch, seconds, workers=4, place=place)
    assert len({one.process for one in done}) == len({one.node for one in done}) == 4
    assert {problem for one in done for problem in one.problems} == ({fails} if fails else set())
    return done


@on_two
def test_all_workers_of_a_recipe_keep_one_limit_of_calls_in_flight(cluster: RayCluster, tmp_path: Path) -> None:
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
    assert len(callers(tmp_path / "run")) > 1


@on_two
def test_all_workers_of_a_recipe_keep_one_limit_of_requests_a_minute(cluster: RayCluster, tmp_path: Path) -> None:
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
    # What a second holds may go at once at the start; a busy machine sends less than it might.
    assert 0.75 * A_MINUTE < (len(arrivals) - 1) * 60 / seconds <= 1.05 * A_MINUTE
    assert len(callers(tmp_path / "run")) > 1


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


@on_two
def test_the_address_may_stand_on_the_command_line(cluster: RayCluster, tmp_path: Path) -> None:
    local = configured("verisciqa_ray", tmp_path, numbered(tmp_path, 12))  # a Ray of this machine, as it is shipped
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(local, sort_keys=False))
    with FakeServer(ScriptedModels()) as server:
        env = {**environment(server), **cluster.client_env}
        done = dj_process(local, tmp_path, "--ray_address", cluster.address, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        command = [sys.executable, "-m", "data_juicer_ext.cli", "run", "recipe.yaml", "--run-dir", "sharded",
                   "--shard", "5", "--ray-address", cluster.address]  # fmt: skip
        ran = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, timeout=240, check=False
        )
        assert ran.returncode == 0 and "on the ray executor" in ran.stdout, ran.stdout + ran.stderr
    for run_dir in (tmp_path / "run", tmp_path / "sharded"):
        assert callers(run_dir) and callers(run_dir) <= worker_processes(cluster)
    pairs = (tmp_path / "sharded" / "pairs.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["row_id"] for line in pairs) == kept(local) != []


def callers(run_dir: Path) -> set[str]:
    """The processes that have asked a model, by number: each writes a ledger file of its own."""
    files = (run_dir / "ledger").glob("*.jsonl")
    return {
        file.name.split(".")[-2] for file in files if any(json.loads(line)["spending"]["calls"] for line in file.open())
    }


def worker_processes(cluster: RayCluster) -> set[str]:
    """All that have ever been workers of the cluster, by number: each has a log there."""
    return {file.stem.rsplit("-", 1)[1] for file in cluster.folder.glob("ray/session_*/logs/worker-*.out")}
