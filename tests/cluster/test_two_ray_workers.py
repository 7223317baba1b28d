"""A whole recipe on Ray with two workers at work: their limits are one limit, seen from the endpoint."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.runs import run_records
from tests.fake_openai import FakeServer, Reply
from tests.host import dj_process, recipe, with_parameters, write_rows
from tests.ops.conftest import paper
from tests.recipes.runs import environment
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]

LATENCY_S = 0.08
CONCURRENCY = 64
A_MINUTE = 600
BLOCKS = 4
# Of all calls, that the second worker has made at least: it starts a few seconds after the first, and a
# block is a quarter of the work.
SHARE = 0.1


class Endpoint:
    """Scripted models that take a while, and note when they were asked."""

    def __init__(self) -> None:
        self.models, self.arrivals = ScriptedModels(), list[float]()

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.arrivals.append(time.monotonic())
        reply = self.models(body)
        assert isinstance(reply, str)
        return Reply(reply, delay=LATENCY_S)


def configured(folder: Path, papers: int, steps: int, **model_params: Any) -> dict[str, Any]:
    """The first steps of the shipped recipe, from `figure_rows_mapper` on, over papers of three figures."""
    image = folder / "figure.png"
    Image.new("RGB", (64, 48), "white").save(image)
    rows = [{**paper(str(image), number, 3), "text": ""} for number in range(papers)]
    config = recipe("verisciqa_ray")
    config["process"] = with_parameters(
        config["process"][1 : steps + 1], run_dir=str(folder / "run"), model_params=model_params
    )
    return config | {
        "dataset_path": str(write_rows(folder / "papers.jsonl", rows)),
        "export_path": str(folder / "out"),
        "override_num_blocks": BLOCKS,
    }


def calls_by_process(run_dir: Path, tag: str) -> Counter[str]:
    """The calls of one operator by the process that made them: each writes a ledger file of its own."""
    [run_id] = run_records.run_ids(run_dir)
    calls: Counter[str] = Counter()
    for file in (run_dir / "ledger").glob(f"{run_id}.*.jsonl"):
        entries = [json.loads(line) for line in file.read_text().splitlines()]
        calls[file.name.split(".")[-2]] = sum(e["spending"]["calls"] for e in entries if e["tag"] == tag)
    return calls


def second_most(calls: Counter[str]) -> int:
    """How many calls the second busiest process has made."""
    return sorted(calls.values())[-2] if len(calls) > 1 else 0


def test_two_workers_share_the_slots_of_a_whole_recipe(tmp_path: Path) -> None:
    endpoint = Endpoint()
    with FakeServer(endpoint, record=False) as server:
        config = configured(tmp_path, papers=100, steps=4, max_concurrency=CONCURRENCY)
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
        assert server.count > 1000
        assert CONCURRENCY / 2 < server.in_flight_peak <= CONCURRENCY
    for tag in ("claim_extractor", "mcq_generator", "source_consistency"):
        calls = calls_by_process(tmp_path / "run", tag)
        assert second_most(calls) > SHARE * sum(calls.values()), f"{tag}: {calls}"


def test_two_workers_share_the_requests_a_minute(tmp_path: Path) -> None:
    endpoint = Endpoint()
    with FakeServer(endpoint, record=False) as server:
        config = configured(tmp_path, papers=70, steps=2, max_concurrency=CONCURRENCY, requests_per_minute=A_MINUTE)
        done = dj_process(config, tmp_path, env=environment(server))
        assert done.returncode == 0, done.stderr[-3000:]
    calls = calls_by_process(tmp_path / "run", "claim_extractor")
    assert sum(calls.values()) == server.count == 210
    assert second_most(calls) > SHARE * server.count, calls
    # What a second holds may go at once at the start; a busy machine sends less than it might.
    seconds = endpoint.arrivals[-1] - endpoint.arrivals[0]
    assert 0.75 * A_MINUTE < (server.count - 1) * 60 / seconds <= 1.05 * A_MINUTE
