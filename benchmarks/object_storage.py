"""A run over object storage beside one over a folder, on two raylets: seconds, objects left, and the same verdicts.

    python -m benchmarks.object_storage [--copies 100] [--latency 0.02]

Real papers (`--papers-from`, as `tests/host.py` finds them) and copies that differ in a word and in their ids. The
storage is an S3 server in a process of its own on this machine, which takes `--latency` seconds per request: that of a
region's storage.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.cluster import Bench
from benchmarks.scripted_server import serving
from data_juicer_ext.runs.fetched_run import fetch_run
from data_juicer_ext.storage import file_access
from tests.cluster.ray_cluster import RayCluster, copies, free_ports
from tests.host import SHARED_PAPERS, with_parameters
from tests.recipes.runs import MAIN_FILES, configured, verdicts

BUCKET = "s3://bench"
_SERVER = """
import sys, time
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
app, latency = DomainDispatcherApplication(create_backend_app), float(sys.argv[2])
def slow(environ, start_response):
    time.sleep(latency)
    return app(environ, start_response)
run_simple("127.0.0.1", int(sys.argv[1]), slow, threaded=True)
"""


@contextmanager
def storage(latency: float) -> Iterator[dict[str, str]]:
    """An S3 server with a bucket; what processes need in their environment to reach it."""
    [port] = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(port), str(latency)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}/bench", method="PUT"))
                break
            except OSError:
                time.sleep(0.2)
        yield {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1",
               "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": address}  # fmt: skip
    finally:
        server.kill()
        server.wait()


def packed(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a paper that was put there as an archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(row["paper_path"], arcname=".")
    file_access.write(f"{BUCKET}/papers/{row['paper_id']}.tar.gz", buffer.getvalue())
    return row | {"paper_path": f"{row['paper_id']}.tar.gz"}


def compared(bench: Bench, number: int, papers: Path, env: dict[str, str]) -> None:
    """Print what either run took and left."""
    rows: list[dict[str, Any]] = [
        {"paper_id": n, "paper_path": str(papers / n), "domain": "math.NA"} for n in MAIN_FILES
    ]
    rows += copies(papers, MAIN_FILES, bench.folder / "copies", number)
    found = []
    with RayCluster(2, cpus=1, env=env | {"DJ_EXT_CACHE": str(bench.folder / "nodes")}) as cluster:
        for name in ("folder", "s3"):
            (bench.folder / name).mkdir()
            there = name == "s3"
            config = configured("verisciqa_ray", bench.folder / name, [packed(row) for row in rows] if there else rows)
            config |= {"ray_address": cluster.address}
            if there:
                given = {"run_dir": f"{BUCKET}/run", "paper_root": f"{BUCKET}/papers"}
                config["process"] = with_parameters(config["process"], **given)
            started = bench.run(config, name, cluster.client_env)
            seconds = time.monotonic() - started
            run_dir = bench.folder / name / "run"
            if there:
                fetch_run(f"{BUCKET}/run", run_dir, images=False)
            found.append(verdicts(run_dir))
            same = "the same verdicts" if found[0] == found[-1] else "OTHER VERDICTS"
            counts = f"{len(rows)} papers {len(bench.spans())} calls {len(found[-1])} verdicts"
            print(f"{name:<7} {counts} in {seconds:.0f} s  {same}", flush=True)
    left = Counter(key.partition("/")[0] for key in file_access.tree(f"{BUCKET}/run"))
    print("objects left:", ", ".join(f"{count} {part}" for part, count in sorted(left.items())))


def main() -> None:
    """Run both in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--papers-from", type=Path, default=SHARED_PAPERS)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    os.environ["DJ_EXT_CACHE"] = str(folder / "cache")
    try:
        with (
            serving(folder / "text.arrivals", "--latency", "0") as text,
            serving(folder / "vision.arrivals", "--latency", "0") as vision,
            storage(given.latency) as env,
        ):
            os.environ.update(env)
            compared(Bench(folder, text, vision), given.copies, given.papers_from, env)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
