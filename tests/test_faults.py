"""Parts of a cluster that are killed (kill -9) in the middle of a run: nothing is lost, doubled, or paid for twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from tests.cluster import RayCluster, kill_all, title
from tests.fake_openai import FakeServer, Reply
from tests.scripted import ScriptedModels
from tests.test_dj_process import configured, environment, latex_paper

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

LATENCY_S = 0.15
CONCURRENCY = 8  # at each of two endpoints
PAPERS = 24
RUN_S = 240.0
# Calls that were in flight, or just back, when the process that made them died.
LOST = 2 * CONCURRENCY


def slow(models: ScriptedModels) -> Callable[[dict[str, Any]], Reply]:
    def answer(body: dict[str, Any]) -> Reply:
        reply = models(body)
        return Reply(reply, delay=LATENCY_S) if isinstance(reply, str) else reply

    return answer


@dataclass
class Run:
    """A `dj-process` on a cluster, in a folder of its own."""

    cluster: RayCluster
    folder: Path
    papers: list[dict[str, Any]]
    server: FakeServer

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        config = configured("verisciqa_ray", self.folder, self.papers, max_concurrency=CONCURRENCY)
        self.export = Path(config["export_path"])
        self.run_dir = self.folder / "run"
        (self.folder / "recipe.yaml").write_text(
            yaml.safe_dump(config | {"ray_address": self.cluster.address}, sort_keys=False)
        )

    def start(self) -> subprocess.Popen[bytes]:
        log = (self.folder / "log.txt").open("ab")
        with log:
            return subprocess.Popen(
                [str(Path(sys.executable).parent / "dj-process"), "--config", "recipe.yaml"],
                cwd=self.folder, env={**os.environ, **environment(self.server), **self.cluster.client_env},
                start_new_session=True, stdout=log, stderr=log,
            )  # fmt: skip

    def whole(self) -> None:
        """Run to the end."""
        self.ended_well(self.start())

    def until(self, process: subprocess.Popen[bytes], calls: int) -> None:
        """Wait until so many calls have come."""
        deadline = time.monotonic() + RUN_S
        while len(self.server.requests) < calls:
            assert process.poll() is None and time.monotonic() < deadline, self.log()
            time.sleep(0.01)

    def ended_well(self, process: subprocess.Popen[bytes]) -> None:
        try:
            assert process.wait(RUN_S) == 0, self.log()
        finally:
            if process.poll() is None:
                kill_all([*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)])
                process.wait()

    def log(self) -> str:
        return (self.folder / "log.txt").read_text(errors="replace")[-4000:]

    def rows(self) -> list[str]:
        """The exported rows in full, with the run's own folder written out of them."""
        lines = [line for file in self.export.rglob("*.json*") for line in file.read_text().splitlines() if line]
        return sorted(json.dumps(json.loads(line), sort_keys=True).replace(str(self.folder), "") for line in lines)

    def undecided(self) -> str:
        return (self.run_dir / "undecided.jsonl").read_text()


@dataclass
class Undisturbed:
    """What a run that nothing happens to asks for and exports."""

    papers: list[dict[str, Any]]
    asked: Counter[str]
    rows: list[str]


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with RayCluster(nodes=2, cpus=2) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(cluster: RayCluster, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    papers = [latex_paper(folder / "papers", f"paper{n}", 3) for n in range(PAPERS)]
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, folder / "whole", papers, server)
        run.whole()
        assert len(run.rows()) > 2 * PAPERS and run.undecided() == ""
        return Undisturbed(papers, asked(server), run.rows())


def asked(server: FakeServer) -> Counter[str]:
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)


def check(run: Run, undisturbed: Undisturbed, lost: int = LOST) -> None:
    """The run has exported what it would have, and no call was made twice but those that were lost."""
    assert run.rows() == undisturbed.rows
    assert run.undecided() == ""
    again = asked(run.server) - undisturbed.asked
    assert again.total() <= lost, f"{again.total()} of {len(run.server.requests)} calls were made twice"


def at_work(cluster: RayCluster, what: str) -> list[psutil.Process]:
    """The processes in the cluster that run tasks or actors of that name now."""
    found = [worker for node in range(cluster.size) for worker in cluster.workers(node)]
    return [worker for worker in found if what in title(worker)]


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_worker_dies(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path, share: float) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        run.until(process, int(share * undisturbed.asked.total()))
        [victim, *_] = at_work(cluster, "MapBatches(process_batched)" if share < 0.5 else "compute_stats_batched")
        victim.kill()
        run.ended_well(process)
        check(run, undisturbed)


def test_the_governor_dies(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        run.until(process, undisturbed.asked.total() // 3)
        [governor] = at_work(cluster, "RayGovernor")
        governor.kill()
        run.ended_well(process)
        check(run, undisturbed, lost=0)
        assert server.in_flight_peak <= 2 * CONCURRENCY


def test_the_driver_dies_and_the_same_command_goes_on(
    cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        for share in (0.3, 0.6):
            process = run.start()
            run.until(process, int(share * undisturbed.asked.total()))
            process.send_signal(signal.SIGKILL)
            process.wait()
        run.whole()
        check(run, undisturbed, lost=2 * LOST)


def test_a_node_joins_and_takes_its_part(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        run.until(process, 20)
        cluster.add_node()
        run.ended_well(process)
        check(run, undisturbed, lost=0)


def test_a_whole_node_dies(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        run.until(process, undisturbed.asked.total() // 2)
        killed = [node for node in range(1, cluster.size) if cluster.workers(node)]
        cluster.kill_node(killed[0])
        run.ended_well(process)
        check(run, undisturbed)


def test_the_head_dies_with_its_cluster_and_the_same_command_goes_on_in_another(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        with RayCluster(nodes=2, cpus=2) as first:
            run = Run(first, tmp_path / "run", undisturbed.papers, server)
            process = run.start()
            run.until(process, undisturbed.asked.total() // 2)
            first.kill_node(0)
            assert process.wait(RUN_S) != 0
        with RayCluster(nodes=2, cpus=2) as second:
            again = Run(second, tmp_path / "run", undisturbed.papers, server)
            again.whole()
            check(again, undisturbed)
