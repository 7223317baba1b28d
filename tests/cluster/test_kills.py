"""Runs that are killed (kill -9) again and again: nothing that had arrived is asked for twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_openai import FakeServer, Reply
from tests.host import dj_process
from tests.recipes.runs import configured, environment, kept, latex_paper
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.slow]

LATENCY_S = 0.05
# What was answered less than this before a kill may not have reached the killed process.
ON_THE_WAY_S = 0.25
# The server sees what was sent just before a kill a moment after it: nobody is there to take that answer. The next
# process needs seconds until its first call.
SEEN_LATE_S = 0.25
KILLS = 5
CONCURRENCY = 8


@pytest.mark.parametrize("name", ["verisciqa", pytest.param("verisciqa_ray", marks=pytest.mark.ray)])
def test_what_arrived_before_a_kill_is_never_asked_for_again(name: str, tmp_path: Path) -> None:
    models = ScriptedModels()

    def slow(body: dict[str, Any]) -> Reply:
        reply = models(body)
        return Reply(reply, delay=LATENCY_S) if isinstance(reply, str) else reply

    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 3) for n in range(10)]
    whole, killed = (tmp_path / part for part in ("whole", "killed"))
    for folder in (whole, killed):
        folder.mkdir()
    with FakeServer(slow) as server:
        env = environment(server)
        done = dj_process(configured(name, whole, rows, max_concurrency=CONCURRENCY), whole, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        needed = Counter(_text(request.body) for request in server.requests)
        server.clear()
        config = configured(name, killed, rows, max_concurrency=CONCURRENCY)
        moments = sorted(random.Random(7).sample(range(10, sum(needed.values()) - 10), KILLS))
        kills = [_killed_after(count, config, killed, env, server) for count in moments]
        done = dj_process(config, killed, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        requests = list(server.requests)
    early = ON_THE_WAY_S + LATENCY_S
    safe = [r for r in requests if not any(k - early <= r.arrived <= k + SEEN_LATE_S for k in kills)]
    again = Counter(_text(r.body) for r in safe) - needed
    assert not again, f"{sum(again.values())} of {len(requests)} were asked for again"
    assert len(kills) == KILLS and sum(needed.values()) > 300
    assert _rows(config, killed) == _rows(configured(name, whole, rows), whole)
    assert kept(config)


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, sort_keys=True)


def _killed_after(count: int, config: dict[str, Any], folder: Path, env: dict[str, str], server: FakeServer) -> float:
    """Start the run, kill it and all its children once `count` requests have arrived; when that was."""
    (folder / "recipe.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "dj-process"), "--config", "recipe.yaml"],
        cwd=folder, env={**os.environ, **env}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    before = len(server.requests)
    deadline = time.monotonic() + 120
    while len(server.requests) < max(count, before + 5):
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    _kill_tree(process.pid)
    moment = time.monotonic()
    process.wait()
    return moment


def _kill_tree(root: int) -> None:
    """Kill a process and whatever it started; Ray's processes leave its session and its group."""
    import psutil

    family = psutil.Process(root).children(recursive=True)
    for pid in (root, *(child.pid for child in family)):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _rows(config: dict[str, Any], folder: Path) -> list[str]:
    """The exported rows, with the run's own folder written out of them."""
    path = Path(config["export_path"])
    files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    lines = [line for file in files for line in file.read_text().splitlines() if line]
    return sorted(json.dumps(json.loads(line), sort_keys=True).replace(str(folder), "") for line in lines)
