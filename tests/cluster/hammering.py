"""Workers of a Ray that call an endpoint as fast as its limits let them: for tests of what workers share.

As a program it joins a cluster, has so many workers call at once for some seconds, and prints what they got:

    python -m tests.cluster.hammering HOST:PORT '{"model": "m", "base_url": ...}' --workers 4 --seconds 8
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.governor import governor_actor
from tests.host import REPO

END_S = 120.0


@dataclass(frozen=True)
class Done:
    """What one worker did: `problems` holds how often each thing went wrong."""

    process: int
    node: str
    answered: int
    problems: Mapping[str, int]


def hammering(ray: Any) -> Any:
    """A task that sends calls through the client, in batches as operators do, until `seconds` are over or one fails."""

    @ray.remote(num_cpus=1)
    def hammer(config: EndpointConfig, batch: int, seconds: float, place: RunPlace | None = None) -> tuple[Any, ...]:
        import os
        import time
        from collections import Counter

        import ray

        from data_juicer_ext.calls.row_calls import get_model
        from data_juicer_ext.models.event_loop import drive
        from data_juicer_ext.models.types import Answer, Message, Request

        def request(number: int) -> Request:
            return Request((Message("user", f"{os.getpid()} {number}"),), "task")

        model, until, answered = get_model(config, place), time.monotonic() + seconds, 0
        problems: Counter[str] = Counter()
        while time.monotonic() < until and not problems:
            numbers = range(answered, answered + batch)
            for result in drive(numbers, lambda number: model.ask(request(number)), lambda _, error: error):
                answered += isinstance(result, Answer)
                if not isinstance(result, Answer):
                    problems[getattr(result, "kind", str(result)[:300])] += 1
        return os.getpid(), ray.get_runtime_context().get_node_id(), answered, dict(problems)

    return hammer


def hammer(
    ray: Any, config: EndpointConfig, batch: int, seconds: float, workers: int = 2, place: RunPlace | None = None
) -> list[Done]:
    """Have workers of this process's Ray call at the same time; what each of them did."""
    governor_actor.share_with_workers(config)
    task = hammering(ray)
    return [Done(*one) for one in ray.get([task.remote(config, batch, seconds, place) for _ in range(workers)])]


def hammer_on(
    address: str, env: Mapping[str, str], config: EndpointConfig, batch: int, seconds: float, workers: int,
    place: RunPlace | None = None,
) -> list[Done]:  # fmt: skip
    """As `hammer`, on the cluster at `address`, with a driver of its own that has the environment `env`."""
    command = [
        sys.executable, "-m", "tests.cluster.hammering", address, json.dumps(asdict(config)), "--workers", str(workers),
        "--batch", str(batch), "--seconds", str(seconds), *(["--place", json.dumps(asdict(place))] if place else []),
    ]  # fmt: skip
    ran = subprocess.run(
        command, cwd=REPO, env=dict(env), capture_output=True, text=True, timeout=seconds + END_S, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return [Done(**one) for one in json.loads(ran.stdout.splitlines()[-1])]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("config", type=json.loads)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--place", type=json.loads, default=None)
    given = parser.parse_args()
    import ray

    ray.init(address=given.address, log_to_driver=False)
    place = RunPlace(**given.place) if given.place else None
    done = hammer(ray, EndpointConfig(**given.config), given.batch, given.seconds, given.workers, place)
    print(json.dumps([asdict(one) for one in done]))


if __name__ == "__main__":
    main()
