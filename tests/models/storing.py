"""What the tests of the response stores share."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from data_juicer_ext.models.types import Answer, Usage

ABOUT: dict[str, Any] = {
    "task": "verisciqa/claim_extraction",
    "prompt_version": "3f1c",
    "endpoint": "api.example.com",
    "model": "the-model",
    "sampling": {"temperature": 0.2, "stop": ["\n"]},
}


def key_of(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def answer_of(number: int, model: str = "the-model-2026-01-01", text: str = "") -> Answer:
    return Answer(
        text=text or f"answer {number}",
        model=model,
        finish_reason="stop",
        usage=Usage(100 + number, 10, 60, 4, estimated=number % 2 == 1),
        seconds=0.25,
        tries=2,
    )


_WRITER = """
import asyncio, sys
from tests.models.storing import ABOUT, answer_of, key_of
from data_juicer_ext.models.{module} import {name}

store = {name}(sys.argv[1])

async def lane(first):
    for number in range(first, first + 100_000):
        await store.put_async(key_of(number), answer_of(number, text="x" * 3000), ABOUT)
        sys.stdout.write(f"{{number}}\\n")
        sys.stdout.flush()

async def main():
    await asyncio.gather(*(lane(int(sys.argv[2]) + 100_000 * place) for place in range(8)))

asyncio.run(main())
"""


class Writer:
    """A process that stores answers as fast as it can and prints the number of each once it is stored."""

    def __init__(self, module: str, name: str, place: Path, first: int = 0) -> None:
        code = textwrap.dedent(_WRITER).format(module=module, name=name)
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, str(place), str(first)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self.acknowledged: set[int] = set()

    def kill_after(self, answers: int) -> None:
        """kill -9 once that many answers were acknowledged; takes in what came until then."""
        while len(self.acknowledged) < answers:
            line = self._output.readline()
            assert line, "the writer ended by itself"
            self.acknowledged.add(int(line))
        os.kill(self._process.pid, signal.SIGKILL)
        rest = self._output.read()
        self.acknowledged |= {int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")}
        self._output.close()
        self._process.wait()
