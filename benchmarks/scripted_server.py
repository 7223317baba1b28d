"""Scripted models of the VeriSciQA pipeline in a process of their own, which note when they were asked.

    python -m benchmarks.scripted_server --arrivals FILE [--latency 0.2] [--keep-all]

Prints its base URL. FILE gets the moment of each request: a double of the machine's monotonic clock, in seconds.
With `--keep-all` no question is refused by any filter.
"""

from __future__ import annotations

import argparse
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import scripted
from tests.fake_openai import FakeServer, Reply


@dataclass(frozen=True)
class Endpoint:
    """A server that runs, and the file with its arrivals."""

    base_url: str
    file: Path

    def arrivals(self) -> list[float]:
        """When each request came, in order."""
        data = self.file.read_bytes()
        return sorted(struct.unpack(f"{len(data) // 8}d", data))

    def clear(self) -> None:
        """Forget what has come so far."""
        self.file.write_bytes(b"")


@contextmanager
def serving(file: Path, *arguments: str) -> Iterator[Endpoint]:
    """A server for the time of a `with`."""
    command = [sys.executable, "-m", "benchmarks.scripted_server", "--arrivals", str(file), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Endpoint(process.stdout.readline().strip(), file)
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--arrivals", type=Path, required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--keep-all", action="store_true")
    given = parser.parse_args()
    if given.keep_all:
        scripted.refused_by = lambda question: ""
    models = scripted.ScriptedModels()
    with given.arrivals.open("ab", buffering=0) as file:

        def answer(body: dict[str, Any]) -> Reply:
            file.write(struct.pack("d", time.monotonic()))
            reply = models(body)
            return reply if isinstance(reply, Reply) else Reply(reply, delay=given.latency)

        with FakeServer(answer, record=False) as server:
            print(server.base_url, flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    main()
