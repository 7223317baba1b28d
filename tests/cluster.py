"""A Ray cluster of several raylets on this machine, as `ray start` makes one: joined by address, with a token.

    with RayCluster(nodes=2) as cluster:
        config["ray_address"] = cluster.address
        dj_process(config, folder, env=cluster.client_env)
        cluster.kill_node(1)

Each node is a `ray start --block` with processes of its own. All lie in one temporary folder, listen on free ports,
and are gone at the end. Nothing of the environment but what a process needs reaches the nodes: no key, no endpoint.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

import psutil

START_S = 90.0
END_S = 10.0
OBJECT_STORE_BYTES = 400 * 1024**2
LOOPBACK = "127.0.0.1"
# Titles of Ray's processes that run nothing of ours.
IDLE = ("ray::IDLE", "ray::DashboardAgent", "ray::RuntimeEnvAgent")
# What the processes of a node are given of this process's environment.
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "UV_OFFLINE", "PIP_NO_INDEX", "UV_CACHE_DIR", "OMP_NUM_THREADS")


class RayCluster:
    """`nodes` raylets of `cpus` CPUs each, the first of them the head; a context manager."""

    def __init__(self, nodes: int, cpus: int = 1, object_store_bytes: int = OBJECT_STORE_BYTES) -> None:
        self._number, self._cpus, self._store_bytes = nodes, cpus, object_store_bytes
        self._nodes: list[psutil.Process | None] = []
        self.folder = Path()
        self.address = ""

    @property
    def client_env(self) -> dict[str, str]:
        """What a driver needs in its environment to be let in."""
        return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self.folder / "token")}

    @property
    def size(self) -> int:
        """How many nodes were started; one that was killed keeps its number."""
        return len(self._nodes)

    def __enter__(self) -> RayCluster:
        self.folder = Path(tempfile.mkdtemp(prefix="rc", dir="/tmp"))  # short: sockets lie in it
        try:
            (self.folder / "token").write_text(secrets.token_hex(32))
            (self.folder / "token").chmod(0o600)
            self.address = f"{LOOPBACK}:{free_port()}"
            for _ in range(self._number):
                self.add_node()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def add_node(self) -> None:
        """Start one more node, and wait until it has joined."""
        head = not self._nodes
        where = ["--head", "--port", self.address.rpartition(":")[2], "--include-dashboard", "false",
                 "--temp-dir", str(self.folder / "ray")] if head else ["--address", self.address]  # fmt: skip
        command = [
            str(Path(sys.executable).parent / "ray"), "start", "--block", "--disable-usage-stats", *where,
            "--node-ip-address", LOOPBACK, "--num-cpus", str(self._cpus),
            "--object-store-memory", str(self._store_bytes),
        ]  # fmt: skip
        log = (self.folder / f"node{len(self._nodes)}.log").open("wb")
        with log:
            started = subprocess.Popen(
                command, cwd=self.folder, env=self._node_env(), start_new_session=True, stdout=log, stderr=log
            )
        self._nodes.append(psutil.Process(started.pid))
        self._wait_for(len(self._nodes) - 1, started)

    def _node_env(self) -> dict[str, str]:
        return {name: os.environ[name] for name in KEPT if name in os.environ} | self.client_env

    def _wait_for(self, number: int, started: subprocess.Popen[bytes]) -> None:
        log, until = self.folder / f"node{number}.log", time.monotonic() + START_S
        while "Ray runtime started." not in log.read_text(errors="replace"):
            if started.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"node {number} did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.1)

    def processes(self, number: int) -> list[psutil.Process]:
        """All processes of a node, its workers among them; none of one that was killed."""
        node = self._nodes[number]
        if node is None:
            return []
        try:
            return [*node.children(recursive=True), node]
        except psutil.NoSuchProcess:
            return []

    def workers(self, number: int) -> list[psutil.Process]:
        """The processes of a node that run a task or an actor now: Ray names them by what they do."""
        return [process for process in self.processes(number) if is_at_work(title(process))]

    def kill_node(self, number: int) -> None:
        """Kill all of a node at once (kill -9), as if its machine were gone."""
        kill_all(self.processes(number))
        self._nodes[number] = None

    def _end(self) -> None:
        everyone = [process for number in range(len(self._nodes)) for process in self.processes(number)]
        kill_all(everyone)
        psutil.wait_procs(everyone, timeout=END_S)
        shutil.rmtree(self.folder, ignore_errors=True)


def title(process: psutil.Process) -> str:
    """What a process calls itself, "" if it is gone."""
    try:
        return " ".join(process.cmdline()).strip()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def is_at_work(name: str) -> bool:
    """Whether a process of that title runs a task or an actor."""
    return name.startswith("ray::") and not name.startswith(IDLE)


def kill_all(processes: list[psutil.Process]) -> None:
    """Kill processes (kill -9), all stopped first so that none can act on the death of another."""
    for what in (signal.SIGSTOP, signal.SIGKILL):
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(what)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listening:
        listening.bind((LOOPBACK, 0))
        return int(listening.getsockname()[1])


def copies(papers: Path, main_files: dict[str, str], folder: Path, number: int) -> list[dict[str, str]]:
    """Rows for copies of papers (in turn), made in `folder`: each has a word of its own in its text, and an id."""
    rows = []
    for n, name in zip(range(number), itertools.cycle(main_files)):
        copied = folder / f"{name}-{n}"
        shutil.copytree(papers / name, copied, copy_function=_linked)
        for source in copied.rglob("*.tex"):
            text = source.read_text(encoding="utf-8", errors="replace")
            source.unlink()
            source.write_text(text.replace(" the ", f" the{n} "), encoding="utf-8")
        rows.append({"paper_id": copied.name, "paper_path": str(copied), "domain": "physics.comp-ph"})
    return rows


def _linked(source: str, target: str) -> str:
    """The same file under another name, as hundreds of copies of all figures would fill disks."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
