"""The fake endpoint in a process of its own, with the latencies that benchmarks need.

    python -m benchmarks.server --latency 0.2 [--spread 0.99] [--hang 0.01 --hang-seconds 30]

Prints its base URL. `--latency` is the median in seconds; with `--spread` (the sigma of a lognormal)
latencies vary; a share `--hang` of the calls takes `--hang-seconds` instead. Seeded.
"""

from __future__ import annotations

import argparse
import random
import threading
from typing import Any

from tests.fake_openai import FakeServer, Reply

ANSWER = "<Patterns>\n1. The figure shows that the curve rises.\n</Patterns>"


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--spread", type=float, default=0.0)
    parser.add_argument("--hang", type=float, default=0.0)
    parser.add_argument("--hang-seconds", type=float, default=30.0)
    given = parser.parse_args()
    chance = random.Random(1)

    def reply(body: dict[str, Any]) -> Reply:
        if given.hang and chance.random() < given.hang:
            return Reply(ANSWER, delay=given.hang_seconds)
        factor = chance.lognormvariate(0.0, given.spread) if given.spread else 1.0
        return Reply(ANSWER, delay=given.latency * factor)

    with FakeServer(reply, record=False) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
