"""Parts of a cluster that are killed (kill -9) in the middle of a run: nothing is lost, doubled, or paid for twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cluster.flaky import TROUBLES, FlakyEndpoint, Trouble
from tests.cluster.ray_cluster import RayCluster, is_at_work, kill_all, title
from tests.cluster.runs import CONCURRENCY, LATENCY_S, LOST, RUN_S, Run, Undisturbed, asked, check, slow
from tests.fake_openai import FakeServer
from tests.recipes.runs import latex_paper
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

PAPERS = 24
MAX_TRIES, DRAWS = 8, 3  # of a call, and how often the same request is made for one vote
NEVER = 10**9  # looks at a batch


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


def at_work(cluster: RayCluster, what: str) -> list[psutil.Process]:
    """The processes in the cluster that run tasks or actors of that name now."""
    found = [worker for node in range(cluster.size) for worker in cluster.workers(node)]
    return [worker for worker in found if what in title(worker)]


def actors_of(cluster: RayCluster) -> dict[psutil.Process, str]:
    """The processes in the cluster that are actors, all that runs there but tasks, with their titles."""
    tasks = ("ray::MapBatches(", "ray::StreamingRepartition[", "ray::Write(", "ray::Read")
    # Each title is read once: a worker may have ended its task by the next look.
    titles = {process: title(process) for node in range(cluster.size) for process in cluster.processes(node)}
    return {process: name for process, name in titles.items() if is_at_work(name) and not name.startswith(tasks)}


def calling(cluster: RayCluster, run: Run, stage: str) -> list[psutil.Process]:
    """The workers that have calls of a stage's models out now.

    Both stages have filters; mappers are in the text stage, and in the one that reads papers and calls nobody.
    """
    port = int(run.server.base_url.split(":")[2].split("/")[0])
    workers = [worker for worker in at_work(cluster, "compute_stats_batched") if connected(worker, port)]
    return [worker for worker in workers if ("process_batched" in title(worker)) == (stage == "text")]


def connected(process: psutil.Process, port: int) -> bool:
    """Whether a process has a connection to a port of this machine."""
    try:
        return any(one.raddr and one.raddr.port == port for one in process.net_connections("tcp"))
    except psutil.Error:
        return False


def killed_writing(run: Run, process: subprocess.Popen[bytes], cluster: RayCluster) -> int:
    """Kill a worker at the moment when its segment of the store is seen to grow; its number."""
    sizes: dict[Path, int] = {}
    deadline = time.monotonic() + RUN_S
    while time.monotonic() < deadline and process.poll() is None:
        for segment in (run.run_dir / "store").rglob("*.jsonl"):
            size, number = segment.stat().st_size, int(segment.name.split(".")[-3])
            if size > sizes.setdefault(segment, size):
                os.kill(number, signal.SIGKILL)
                return number
    raise AssertionError(f"nobody writes any more\n{run.log()}")


def test_an_endpoint_that_comes_back_in_time_costs_no_row(
    cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    patient = {"timeout": 3.0, "backoff": 0.25, "deadline": 60, "max_tries": 4}
    with FlakyEndpoint(LATENCY_S) as endpoint:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, endpoint, patient)
        process = run.start()
        for share, trouble in zip((0.2, 0.45, 0.7), TROUBLES, strict=True):
            goes_away(run, process, endpoint, trouble, int(share * undisturbed.asked.total()), seconds=2.5)
        run.ended_well(process)
        assert run.rows() == undisturbed.rows and run.undecided() == ""
        assert (endpoint.answered - undisturbed.asked).total() <= LOST


def test_an_endpoint_that_stays_away_leaves_rows_undecided_and_the_same_command_decides_them(
    cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    hasty = {"timeout": 0.5, "backoff": 0.1, "deadline": 1.5}
    with FlakyEndpoint(LATENCY_S) as endpoint:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, endpoint, hasty)
        for trouble, reason in zip(TROUBLES, ("network", "server", "timeout"), strict=True):
            process = run.start()
            goes_away(run, process, endpoint, trouble, endpoint.answered.total() + 50, seconds=4.0)
            run.ended_well(process)
            waiting = [json.loads(line)["undecided"]["reason"] for line in run.undecided().splitlines()]
            assert f"call_failed:{reason}" in waiting
            # A last try may have been cut short by the deadline.
            assert set(waiting) <= {f"call_failed:{reason}", "call_failed:timeout"}
            assert set(run.rows()) < set(undisturbed.rows)
        # So hasty, a busy machine would be taken for another outage.
        run = Run(cluster, tmp_path / "run", undisturbed.papers, endpoint)
        run.whole()
        assert run.rows() == undisturbed.rows and run.undecided() == ""
        assert (endpoint.answered - undisturbed.asked).total() <= LOST
        assert max(endpoint.failed.values()) <= MAX_TRIES * DRAWS


def goes_away(
    run: Run, process: subprocess.Popen[bytes], endpoint: FlakyEndpoint, trouble: Trouble, after: int, seconds: float
) -> None:
    """Let the endpoint go away for so long, after so many answers."""
    run.until(process, lambda: endpoint.answered.total() >= after)
    endpoint.goes(trouble)
    time.sleep(seconds)
    endpoint.comes_back()


def test_batches_make_the_same_rows_and_outlive_the_driver(
    cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with FakeServer(ScriptedModels()) as server:
        batches = server.batches
        batches.looks = NEVER
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server, {"mode": "batch"})
        process = run.start(afresh=True)
        run.until(process, lambda: batches.looked > 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
        [out] = batches.made
        batches.looks = 1
        run.whole()
        assert out.data["status"] == "completed"
        sent = Counter(json.dumps(body, sort_keys=True) for batch in batches.made for body in batch.requests.values())
        assert sent == undisturbed.asked
        assert run.rows() == undisturbed.rows and run.undecided() == ""


@pytest.mark.parametrize(("stage", "share"), [("text", 0.3), ("vision", 0.7)])
def test_a_worker_dies(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path, stage: str, share: float) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        run.until(process, int(share * undisturbed.asked.total()))
        run.until(process, lambda: calling(cluster, run, stage) != [])
        kill_all(calling(cluster, run, stage)[:1])
        run.ended_well(process)
        check(run, undisturbed)


def test_workers_die_while_they_write_the_store(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        for share in (0.2, 0.4, 0.6):
            run.until(process, int(share * undisturbed.asked.total()))
            killed = killed_writing(run, process, cluster)
            # As if the end of its last line had not reached the disk.
            [segment] = (run.run_dir / "store").rglob(f"*.{killed}.*.jsonl")
            os.truncate(segment, segment.stat().st_size - random.Random(share).randint(1, 200))
        run.ended_well(process)
        check(run, undisturbed, lost=3 * (LOST + 1))


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


def test_every_actor_dies(cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        process = run.start()
        for share in (0.3, 0.6):
            run.until(process, int(share * undisturbed.asked.total()))
            actors = actors_of(cluster)
            # Ours is one; Ray Data's own have names with an underscore.
            names = {name.removeprefix("ray::").partition(".")[0] for name in actors.values()}
            assert {"RayGovernor", "_AutoscalingCoordinatorActor"} <= names
            assert {name for name in names if not name.startswith("_")} == {"RayGovernor"}
            kill_all([*actors])
        run.ended_well(process)
        check(run, undisturbed, lost=0)
        assert server.in_flight_peak <= 2 * CONCURRENCY


def test_the_driver_dies_and_the_same_command_goes_on(
    cluster: RayCluster, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with FakeServer(slow(ScriptedModels())) as server:
        run = Run(cluster, tmp_path / "run", undisturbed.papers, server)
        for share in (0.3, 0.6):
            process = run.start(afresh=True)
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
        others = range(1, cluster.size)
        run.until(process, lambda: any(map(cluster.workers, others)))
        cluster.kill_node(next(filter(cluster.workers, others)))
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
