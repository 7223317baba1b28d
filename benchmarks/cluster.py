"""Runs on Ray: stages that stream into each other, clusters of several raylets, and the time before the first call.

    python -m benchmarks.cluster streaming [--papers 200] [--in-flight 32] [--latency 0.2]
    python -m benchmarks.cluster raylets [--copies 500] [--nodes 2 4]
    python -m benchmarks.cluster startup

streaming: the text and the vision stages of `recipes/verisciqa_ray.yaml`, each alone and then together, with an
endpoint each; times from the first request to the last answer, as the endpoints saw them.
raylets: the recipe over real papers (`--papers-from`, as `tests/host.py` finds them) and copies that differ in a word
and in their ids: the verdicts of the default executor, by row id, and what that took.
startup: the seconds from the start of `dj-process` to the first request, over a few figures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.scripted_server import Endpoint, serving
from tests.cluster.ray_cluster import RayCluster, copies
from tests.host import SHARED_PAPERS, dj_process, recipe, with_parameters, write_rows
from tests.ops.conftest import paper
from tests.recipes.runs import MAIN_FILES, configured, kept, verdicts
from tests.scripted import TEXT_MODEL, VISION_MODEL

TEXT_STEPS, VISION_STEPS = slice(1, 6), slice(6, 8)  # of the recipe
RUN_S = 3600.0


class Bench:
    """A folder, and an endpoint each for the text and the vision models."""

    def __init__(self, folder: Path, text: Endpoint, vision: Endpoint) -> None:
        self.folder, self.text, self.vision = folder, text, vision

    @property
    def env(self) -> dict[str, str]:
        return {
            "DJ_EXT_TEXT_MODEL": TEXT_MODEL, "DJ_EXT_TEXT_BASE_URL": self.text.base_url,
            "DJ_EXT_VISION_MODEL": VISION_MODEL, "DJ_EXT_VISION_BASE_URL": self.vision.base_url,
        }  # fmt: skip

    def run(self, config: dict[str, Any], name: str, env: dict[str, str] | None = None) -> float:
        """Run a recipe in a folder of its own; the moment it was started (monotonic, seconds)."""
        for endpoint in (self.text, self.vision):
            endpoint.clear()
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        started = time.monotonic()
        done = dj_process(config, folder, env={**self.env, **(env or {})}, timeout=RUN_S)
        if done.returncode:
            raise SystemExit(f"{name} failed:\n{done.stderr[-3000:]}")
        return started

    def spans(self) -> list[float]:
        """All arrivals of the last run."""
        return sorted([*self.text.arrivals(), *self.vision.arrivals()])


def figure_papers(folder: Path, number: int) -> list[dict[str, Any]]:
    """Paper rows with three figures each, which need no LaTeX to be read."""
    image = folder / "figure.png"
    Image.new("RGB", (64, 48), "white").save(image)
    return [{**paper(str(image), n, 3), "text": ""} for n in range(number)]


def steps_over(bench: Bench, name: str, steps: slice, rows: Sequence[dict[str, Any]], in_flight: int) -> dict[str, Any]:
    """A part of the shipped recipe over rows, on a Ray of this machine."""
    folder = bench.folder / name
    folder.mkdir(exist_ok=True)
    config = recipe("verisciqa_ray")
    limits = {"max_concurrency": in_flight}
    config["process"] = with_parameters(config["process"][steps], run_dir=str(folder / "run"), model_params=limits)
    return config | {
        "dataset_path": str(write_rows(folder / "rows.jsonl", list(rows))), "export_path": str(folder / "out"),
    }  # fmt: skip


def exported(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The exported rows without what Data-Juicer adds to them."""
    files = sorted(Path(config["export_path"]).glob("*.json*"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines() if line]
    return [{key: value for key, value in row.items() if not key.startswith("__dj__")} for row in rows]


def streaming(bench: Bench, papers: int, in_flight: int, latency: float) -> None:
    """Print how long the stages take alone and together, and how full each endpoint is in the middle."""
    rows = figure_papers(bench.folder, papers)
    ceiling = in_flight / latency

    def measured(name: str, steps: slice, given: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], float]:
        config = steps_over(bench, name, steps, given, in_flight)
        bench.run(config, name)
        moments = bench.spans()
        seconds = moments[-1] + latency - moments[0]
        print(f"{name:<10} {len(moments):>6} calls {seconds:7.1f} s  {len(moments) / seconds:6.1f} calls/s", flush=True)
        return config, seconds

    text, text_s = measured("text", TEXT_STEPS, rows)
    _, vision_s = measured("vision", VISION_STEPS, exported(text))
    _, both_s = measured("both", slice(1, 8), rows)
    print(f"together in {both_s / (text_s + vision_s):.2f} of the sum of the stages alone")
    moments = bench.spans()
    first, last = moments[0], moments[-1]
    low, high = first + (last - first) / 4, last - (last - first) / 4
    for name, endpoint in (("text", bench.text), ("vision", bench.vision)):
        within = sum(low <= moment < high for moment in endpoint.arrivals())
        print(f"{name:<10} {within / (high - low) / ceiling:.2f} of its ceiling in the middle half of the run")


def raylets(bench: Bench, number: int, nodes: Sequence[int], papers: Path) -> None:
    """Print what each cluster took, and whether its verdicts are those of the default executor."""
    rows = [{"paper_id": name, "paper_path": str(papers / name), "domain": "math.NA"} for name in MAIN_FILES]
    rows += copies(papers, MAIN_FILES, bench.folder / "copies", number)
    expected: tuple[list[str], set[tuple[str, str, str]]] | None = None
    for count in (0, *nodes):
        name = f"{count} raylets" if count else "default"
        folder = bench.folder / name.replace(" ", "-")
        folder.mkdir()
        config = configured("verisciqa_ray" if count else "verisciqa", folder, rows)
        with ExitStack() as stack:
            env = {}
            if count:
                cluster = stack.enter_context(RayCluster(count, cpus=1))
                config, env = config | {"ray_address": cluster.address}, cluster.client_env
            started = bench.run(config, folder.name, env)
            seconds = time.monotonic() - started
        found = kept(config), verdicts(folder / "run")
        expected = expected or found
        calls = len(bench.spans())
        print(
            f"{name:<10} {len(rows)} papers {calls} calls {len(found[1])} verdicts {len(found[0])} kept in"
            f" {seconds:.0f} s  {'the verdicts of the default executor' if found == expected else 'OTHER VERDICTS'}",
            flush=True,
        )


def startup(bench: Bench) -> None:
    """Print the seconds from the start of the process to the first request, three times each."""
    rows = figure_papers(bench.folder, 8)
    for executor in ("default", "ray"):
        seconds = []
        for n in range(3):
            config = steps_over(bench, f"{executor}{n}", slice(1, 8), rows, 32) | {"executor_type": executor}
            if executor == "default":
                config["export_path"] += ".jsonl"
            started = bench.run(config, f"{executor}{n}")
            seconds.append(bench.spans()[0] - started)
        print(f"{executor:<10} first request after {' '.join(f'{s:.1f}' for s in sorted(seconds))} s", flush=True)


def main() -> None:
    """Run one of the benchmarks in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("streaming", "raylets", "startup"))
    parser.add_argument("--papers", type=int, default=200)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--copies", type=int, default=500)
    parser.add_argument("--nodes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--papers-from", type=Path, default=SHARED_PAPERS)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    latency = given.latency if given.what == "streaming" else 0.0
    arguments = ("--latency", str(latency), *(("--keep-all",) if given.what == "streaming" else ()))
    try:
        with (
            serving(folder / "text.arrivals", *arguments) as text,
            serving(folder / "vision.arrivals", *arguments) as vision,
        ):
            bench = Bench(folder, text, vision)
            if given.what == "streaming":
                streaming(bench, given.papers, given.in_flight, given.latency)
            elif given.what == "raylets":
                raylets(bench, given.copies, given.nodes, given.papers_from)
            else:
                startup(bench)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
