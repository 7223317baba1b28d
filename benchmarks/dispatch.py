"""How full the client keeps an endpoint, through a whole operator, counted at the server.

    python -m benchmarks.dispatch [--calls 3000] [--only default-200ms ...]

Each line: calls per second from the first request to the last answer, as the server counts them, and
their share of the ceiling (calls in flight / latency). The server runs in a process of its own.
`upstream` is Data-Juicer's `llm_condition_filter`, which makes one call per row; `ray.data` is Ray's own
processor of HTTP requests, in batches of as many rows as may be in flight, on both cores. Of 20,000 calls, the
memory after each quarter is told too: it is flat where the later ones add little.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """One measurement; `ceiling` is in calls per second."""

    name: str
    executor: str
    latency: float
    in_flight: int
    server: tuple[str, ...] = ()
    params: tuple[tuple[str, Any], ...] = ()
    calls: int = 0
    watched: bool = False

    @property
    def ceiling(self) -> float:
        return self.in_flight / self.latency


LOGNORMAL = ("--spread", "0.99")
HANGS = (*LOGNORMAL, "--hang", "0.01")
SETTINGS = [
    Setting("default-200ms", "default", 0.2, 64),
    Setting("ray-200ms", "ray", 0.2, 64),
    Setting("default-500ms", "default", 0.5, 256, calls=10_000),
    Setting("default-lognormal", "default", 0.2, 64, LOGNORMAL),
    Setting("default-lognormal-hangs", "default", 0.2, 64, HANGS, (("hedge", 0.95),)),
    Setting("ray.data-200ms", "ray.data", 0.2, 64, calls=240),
    Setting("upstream-200ms", "upstream", 0.2, 64, calls=60),
    Setting("default-20000-calls", "default", 0.02, 64, calls=20_000, watched=True),
]


@contextmanager
def served(setting: Setting) -> Iterator[str]:
    """The base URL of a server for a setting."""
    command = [sys.executable, "-m", "benchmarks.server", "--latency", str(setting.latency), *setting.server]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def stats(base_url: str) -> dict[str, float]:
    """What the server counted: calls, the most in flight, seconds from the first request to the last answer."""
    with urllib.request.urlopen(base_url.removesuffix("/v1") + "/stats", timeout=10) as response:
        return dict(json.load(response))


def figure_rows(number: int) -> list[dict[str, Any]]:
    """Figure rows that differ, so that no answer comes from the store."""
    from data_juicer_ext.rows import Figure, figure_row

    return [
        figure_row(
            {"paper_id": f"p{n}", "domain": "cs.CL"},
            Figure(figure_id="1", label="fig:1", labels=["fig:1"], caption="Loss.", images=["-"], section=["S"],
                   context=[f"Figure~\\ref{{fig:1}} of run {n} shows that the loss falls to 0.{n}."],
                   context_places=["main.tex:1"]),
        )
        for n in range(number)
    ]  # fmt: skip


def run_operator(setting: Setting, base_url: str, calls: int) -> None:
    """The claim extractor over `calls` rows on the setting's executor."""
    from data_juicer.ops import load_ops

    params = {"base_url": base_url, "max_concurrency": setting.in_flight, **dict(setting.params)}
    process = [{"claim_extractor_mapper": {"api_model": "model", "model_params": params,
                                           "run_dir": tempfile.mkdtemp(prefix="bench-")}}]  # fmt: skip
    if setting.executor == "upstream":
        return _run_upstream(base_url, calls)
    if setting.executor == "ray.data":
        return _run_ray_data(setting, base_url, calls)
    if setting.executor == "default":
        from data_juicer.core.data import NestedDataset

        rows = NestedDataset.from_list(figure_rows(calls))
        done = rows.process(load_ops(process), open_monitor=False).to_list()
    else:
        done = _run_on_ray(process, calls)
    assert len(done) == calls, f"{len(done)} of {calls} rows came back"
    return None


def _run_on_ray(process: list[dict[str, Any]], calls: int) -> list[dict[str, Any]]:
    import ray
    from data_juicer.core.data.ray_dataset import RayDataset
    from data_juicer.ops import load_ops

    os.environ["RAY_JOB"] = "1"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    dataset = RayDataset(ray.data.from_items(figure_rows(calls), override_num_blocks=4))
    dataset.process(load_ops(process))
    return list(dataset.data.take_all())


def _run_ray_data(setting: Setting, base_url: str, calls: int) -> None:
    import ray
    from ray.data.llm import HttpRequestProcessorConfig, build_processor

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    config = HttpRequestProcessorConfig(url=f"{base_url}/chat/completions", batch_size=setting.in_flight, concurrency=2)

    def payload(row: dict[str, Any]) -> dict[str, Any]:
        text = f"The loss of run {row['id']} falls to 0.{row['id']}. " * 30
        return {"payload": {"model": "model", "messages": [{"role": "user", "content": text}]}}

    def answer(row: dict[str, Any]) -> dict[str, Any]:
        return {"answer": row["http_response"]["choices"][0]["message"]["content"]}

    process = build_processor(config, preprocess=payload, postprocess=answer)
    assert process(ray.data.range(calls)).count() == calls


def _run_upstream(base_url: str, calls: int) -> None:
    from data_juicer.core.data import NestedDataset
    from data_juicer.ops import load_ops

    os.environ |= {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "none"}
    rows = NestedDataset.from_list([{"text": f"row {n}"} for n in range(calls)])
    ops = load_ops([{"llm_condition_filter": {"api_or_hf_model": "model", "condition": "It is about curves."}}])
    rows.process(ops, open_monitor=False)


class MemoryWatch:
    """Resident memory of this process in MB, read four times per second while a server counts its calls."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._ended = threading.Event()
        self._seen: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.25):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self._seen.append((stats(self._base_url)["count"], pages * resource.getpagesize() / 2**20))

    def after_quarters(self, calls: int) -> list[float]:
        """The memory when a quarter, a half, three quarters and all of the calls had come."""
        self._ended.set()
        self._thread.join()
        marks = [calls * quarter / 4 for quarter in (1, 2, 3, 4)]
        return [next((mb for count, mb in self._seen if count >= mark), self._seen[-1][1]) for mark in marks]


def measure(setting: Setting, calls: int) -> None:
    """Run one setting in this process and print its line."""
    with served(setting) as base_url:
        watch = MemoryWatch(base_url) if setting.watched else None
        run_operator(setting, base_url, calls)
        quarters = watch.after_quarters(calls) if watch else []
        counted = stats(base_url)
    rate = counted["count"] / counted["seconds"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{setting.name:<26} {counted['count']:>6.0f} calls {rate:>7.1f}/s  {rate / setting.ceiling:>5.2f} of"
        f" {setting.ceiling:.0f}  most in flight {counted['peak']:.0f}  peak memory {memory:.0f} MB"
        + (f", after each quarter {' '.join(f'{mb:.0f}' for mb in quarters)}" if quarters else ""),
        flush=True,
    )


def main() -> None:
    """Each setting in a process of its own, so that none inherits another's connections."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--only", nargs="*", default=[setting.name for setting in SETTINGS])
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for setting in SETTINGS:
        if setting.name not in given.only:
            continue
        if given.here:
            measure(setting, setting.calls or given.calls)
        else:
            command = [sys.executable, "-m", "benchmarks.dispatch", "--here", "--only", setting.name]
            subprocess.run([*command, "--calls", str(given.calls)], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
