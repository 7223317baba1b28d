"""A `dj-process` on a cluster that tests watch and disturb, and what a run that nothing happens to ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from tests.cluster.flaky import FlakyEndpoint
from tests.cluster.ray_cluster import RayCluster, kill_all
from tests.fake_openai import FakeServer, Reply
from tests.forks import programs
from tests.recipes.runs import configured, environment
from tests.scripted import ScriptedModels

LATENCY_S = 0.15
CONCURRENCY = 8  # at each of two endpoints
RUN_S = 240.0
# Calls that were in flight, or just back, when the process that made them died.
LOST = 2 * CONCURRENCY


def slow(models: ScriptedModels) -> Callable[[dict[str, Any]], Reply]:
    """Models that take `LATENCY_S` to answer."""

    def answer(body: dict[str, Any]) -> Reply:
        reply = models(body)
        return Reply(reply, delay=LATENCY_S) if isinstance(reply, str) else reply

    return answer


@dataclass
class Run:
    """The shipped recipe on a cluster, in a folder of its own; `params` are the model operators' `model_params`."""

    cluster: RayCluster
    folder: Path
    papers: list[dict[str, Any]]
    server: FakeServer | FlakyEndpoint
    params: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        config = configured(
            "verisciqa_ray", self.folder, self.papers, **{"max_concurrency": CONCURRENCY, **self.params}
        )
        self.export = Path(config["export_path"])
        self.run_dir = self.folder / "run"
        (self.folder / "recipe.yaml").write_text(
            yaml.safe_dump(config | {"ray_address": self.cluster.address}, sort_keys=False)
        )

    def start(self, afresh: bool = False) -> subprocess.Popen[bytes]:
        """Start the run: a fork, whose end is seen, or `afresh`, a process that takes signals."""
        commands = Path(sys.executable).parent if afresh else programs("token")
        log = (self.folder / "log.txt").open("ab")
        with log:
            return subprocess.Popen(
                [str(commands / "dj-process"), "--config", "recipe.yaml"],
                cwd=self.folder, env={**os.environ, **environment(self.server), **self.cluster.client_env},
                start_new_session=True, stdout=log, stderr=log,
            )  # fmt: skip

    def whole(self) -> None:
        """Run to the end."""
        self.ended_well(self.start())

    def until(self, process: subprocess.Popen[bytes], met: int | Callable[[], bool]) -> None:
        """Wait until so many calls have come, or something is so."""
        deadline = time.monotonic() + RUN_S
        while not (met() if callable(met) else len(self.server.requests) >= met):
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


def asked(server: FakeServer | FlakyEndpoint) -> Counter[str]:
    """How often each request has come."""
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)


def check(run: Run, undisturbed: Undisturbed, lost: int = LOST) -> None:
    """The run has exported what it would have, and no call was made twice but those that were lost."""
    assert run.rows() == undisturbed.rows
    assert run.undecided() == ""
    again = asked(run.server) - undisturbed.asked
    assert again.total() <= lost, f"{again.total()} of {len(run.server.requests)} calls were made twice"
