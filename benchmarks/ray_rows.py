"""Many rows on Ray: rows per second, and the memory of all processes together.

    python -m benchmarks.ray_rows rows [--rows 100000 1000000]
    python -m benchmarks.ray_rows calls [--rows 100000]

rows: paper rows of one figure through operators without a model (`figure_rows_mapper`, and two of Data-Juicer's).
calls: figure rows through `claim_extractor_mapper`, at an endpoint that answers after 1 ms.
Memory is the sum of what each process of the run has (PSS: what is shared, the object store among it, counts once),
read every two seconds, like the CPU that each has taken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import yaml
from PIL import Image

from benchmarks.scripted_server import serving
from tests.host import recipe, with_parameters
from tests.ops.conftest import paper

EVERY_S = 2.0


class Watch:
    """What a process and all that it started take: the most memory at once, in MB, and seconds of CPU."""

    def __init__(self, root: int) -> None:
        self.most, self._root, self._ended = 0.0, psutil.Process(root), threading.Event()
        self._cpu: dict[int, float] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(EVERY_S):
            with contextlib.suppress(psutil.NoSuchProcess):
                family = [self._root, *self._root.children(recursive=True)]
                self.most = max(self.most, sum(pss(process.pid) for process in family))
                for process in family:
                    self._note_cpu(process)

    def _note_cpu(self, process: psutil.Process) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            taken = process.cpu_times()
            self._cpu[process.pid] = taken.user + taken.system

    def end(self) -> tuple[float, float]:
        """Stop watching; memory and CPU, but for what a process took after it was seen last."""
        self._ended.set()
        self._thread.join()
        return self.most, sum(self._cpu.values())


def pss(pid: int) -> float:
    """The proportional set size of a process in MB, 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def write_papers(folder: Path, number: int) -> Path:
    """A dataset of paper rows with a figure each; never held in memory."""
    image = folder / "figure.png"
    Image.new("RGB", (64, 48), "white").save(image)
    path = folder / "papers.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(number):
            file.write(json.dumps({**paper(str(image), n, 1), "text": f"Paper  {n} is about curves."}) + "\n")
    return path


def process_of(what: str, run_dir: Path) -> list[dict[str, Any]]:
    """The operators of a benchmark."""
    [figures, claims] = with_parameters(recipe("verisciqa_ray")["process"][1:3], run_dir=str(run_dir))
    if what == "calls":
        return [figures, claims]
    return [{"whitespace_normalization_mapper": {}}, {"text_length_filter": {"min_len": 5}}, figures]


def measure(what: str, number: int) -> None:
    """Run over so many rows in a process of its own and print a line."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        config = recipe("verisciqa_ray") | {
            "dataset_path": str(write_papers(folder, number)), "export_path": str(folder / "out"),
            "process": process_of(what, folder / "run"), "text_keys": "text",
        }  # fmt: skip
        (folder / "recipe.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
        with serving(folder / "arrivals", "--latency", "0.001") as endpoint, (folder / "log").open("wb") as log:
            env = {"OPENAI_BASE_URL": endpoint.base_url, "DJ_EXT_TEXT_MODEL": "text-model"}
            started = time.monotonic()
            command = [str(Path(sys.executable).parent / "dj-process"), "--config", "recipe.yaml"]
            process = subprocess.Popen(command, cwd=folder, env={**os.environ, **env}, stdout=log, stderr=log)
            watch = Watch(process.pid)
            code = process.wait()
            seconds, (most, cpu) = time.monotonic() - started, watch.end()
            calls = len(endpoint.arrivals())
        if code:
            raise SystemExit((folder / "log").read_text(errors="replace")[-3000:])
        rows = sum(1 for file in (folder / "out").glob("*.json*") for _ in file.open("rb"))
        disk = sum(path.stat().st_size for path in (folder / "run").rglob("*") if path.is_file()) / 2**20
        print(
            f"{what:<6} {number:>8} rows in, {rows:>8} out, {calls:>7} calls, {seconds:7.1f} s,"
            f" {number / seconds:7.0f} rows/s, at most {most:6.0f} MB, {cpu:7.1f} s of CPU, run folder {disk:6.0f} MB",
            flush=True,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Run one of the benchmarks for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("rows", "calls"))
    parser.add_argument("--rows", type=int, nargs="+")
    given = parser.parse_args()
    for number in given.rows or ([100_000, 1_000_000] if given.what == "rows" else [100_000]):
        measure(given.what, number)


if __name__ == "__main__":
    main()
