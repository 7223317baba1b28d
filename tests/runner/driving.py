"""Drives `dj-ext run` as users start it, over tiny papers, against the scripted models."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil
import yaml
from PIL import Image

from tests.fake_openai import FakeServer, Received
from tests.forks import programs
from tests.host import recipe, with_parameters, write_rows
from tests.recipes.runs import environment

PRICE = 1000.0  # US dollars a million tokens: one call of the fake server (18 tokens) costs 0.018
COST_A_CALL = 18 * PRICE / 1e6


def papers(folder: Path, number: int) -> Path:
    """A dataset of `number` papers with one figure each, given as LaTeX in the row."""
    folder.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (80, 60), (20, 90, 200)).save(folder / "plot.png")
    return write_rows(folder / "papers.jsonl", [_paper(folder, n) for n in range(number)])


def _paper(folder: Path, n: int) -> dict[str, Any]:
    body = (
        f"Figure~\\ref{{fig:1}} of paper {n} shows that series {n} rises.\n\n"
        f"\\begin{{figure}}\\includegraphics{{plot}}\\caption{{Plot of paper {n}.}}\\label{{fig:1}}\\end{{figure}}\n\n"
    )
    return {
        "paper_id": f"p{n}", "domain": None if n % 3 else "cs.CL",
        "text": f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\\end{{document}}\n",
        "given_captions": json.dumps([f"Plot of paper {n}."]), "given_images": json.dumps([str(folder / "plot.png")]),
    }  # fmt: skip


def write_recipe(folder: Path, name: str = "verisciqa", model_params: dict[str, Any] | None = None, **own: Any) -> Path:
    """A shipped recipe with parameters of its model operators set."""
    config = recipe(name)
    config["process"] = with_parameters(config["process"], model_params={"backoff": 0.01, **(model_params or {})})
    for step in config["process"]:
        for given in step.values():
            given.update(own if "api_model" in given else {})
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


def started(server: FakeServer, folder: Path, *arguments: str, forked: bool = False) -> subprocess.Popen[str]:
    """`dj-ext run` with the given arguments, in a process group of its own.

    A fork of a process that has imported Data-Juicer takes no signals.
    """
    prices = folder / "prices.yaml"
    one = {"input": PRICE, "output": PRICE}
    prices.write_text(yaml.safe_dump({"models": {"text-model": one, "vision-model": one}}))
    clean = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    program = [str(programs() / "dj-ext")] if forked else [sys.executable, "-m", "data_juicer_ext.cli"]
    return subprocess.Popen(
        [*program, "run", *arguments],
        cwd=folder, env={**clean, **environment(server), "DJ_EXT_PRICES": str(prices), "PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def finished(server: FakeServer, folder: Path, *arguments: str, forked: bool = True) -> tuple[int, str]:
    """The exit code and what was said, once it has ended."""
    process = started(server, folder, *arguments, forked=forked)
    said, errors = process.communicate(timeout=240)
    return process.returncode, said + errors


def stopped_after(
    calls: int, number: signal.Signals, server: FakeServer, folder: Path, *arguments: str
) -> tuple[int, str, tuple[float, float]]:
    """Stop it by a signal once `calls` requests have arrived; exit code, what was said, and from when to when
    it was stopped (`time.monotonic()`).

    SIGKILL is sent to all that it has started, SIGINT as a terminal does: to its whole group, SIGTERM to it alone.
    """
    process = started(server, folder, *arguments)
    deadline = time.monotonic() + 120
    while len(server.requests) < calls:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    family = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    moment = time.monotonic()
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    elif number == signal.SIGTERM:
        process.send_signal(number)
    else:
        for pid in family:
            _kill(pid)
    said, errors = process.communicate(timeout=60)
    return process.returncode, said + errors, (moment, time.monotonic())


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def rows(path: Path) -> list[str]:
    """The rows of a JSON Lines file, a text each; every line must be whole."""
    return [json.dumps(json.loads(line), sort_keys=True) for line in path.read_text().splitlines()]


def ids(path: Path) -> list[str]:
    """The row ids of a JSON Lines file, in order."""
    return [json.loads(line)["row_id"] for line in path.read_text().splitlines()]


def asked(requests: Iterable[Received]) -> Counter[str]:
    """How often each request has arrived."""
    return Counter(json.dumps(request.body, sort_keys=True) for request in requests)


def shards(run_dir: Path) -> list[dict[str, Any]]:
    """The entries of a run folder's manifest."""
    return list(json.loads((run_dir / "manifest.json").read_text())["shards"])
