"""A Ray cluster of several raylets on this machine, as `ray start` makes one: joined by address, with a token.

    with RayCluster(nodes=2) as cluster:
        config["ray_address"] = cluster.address
        dj_process(config, folder, env=cluster.client_env)
        cluster.kill_node(1)

Each node is a `ray start --block` with processes of its own. All lie in one temporary folder, listen on free ports,
and are gone at the end, whoever has started them. Nothing of the environment but what a process needs reaches the
nodes: no key, no endpoint.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

import psutil

START_S = 90.0
# A raylet ends itself when its agents take more than 15 s to start, as they do on a busy machine, and no setting
# changes that (https://github.com/ray-project/ray/issues/65983).
START_TRIES = 4
END_S = 30.0
OBJECT_STORE_BYTES = 400 * 1024**2
STARTED = "Ray runtime started."
LOOPBACK = "127.0.0.1"
# Below what the kernel gives to outgoing connections, so that none of them takes a port between its choice and its use.
PORTS = range(20_000, 32_000)
# Two nodes of one machine would want the same ones, and waste seconds on it.
AGENT_PORTS = ("dashboard-agent-grpc-port", "dashboard-agent-listen-port", "runtime-env-agent-port",
               "metrics-export-port")  # fmt: skip
HAS_CLIENT = find_spec("grpc") is not None  # Ray's client server, which a Ray without it takes no port for
AGENT_MS = "120000"  # how long a raylet waits for them once they listen
# Titles of Ray's processes that run nothing of ours.
IDLE = ("ray::IDLE", "ray::DashboardAgent", "ray::RuntimeEnvAgent")
# What the processes of a node are given of this process's environment.
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "UV_OFFLINE", "PIP_NO_INDEX", "UV_CACHE_DIR", "OMP_NUM_THREADS")


class RayCluster:
    """`nodes` raylets of `cpus` CPUs each, the first of them the head; a context manager.

    `env` is what their environment has beside what every process needs.
    """

    def __init__(
        self, nodes: int, cpus: int = 1, object_store_bytes: int = OBJECT_STORE_BYTES, env: dict[str, str] | None = None
    ) -> None:
        self._number, self._cpus, self._store_bytes, self._env = nodes, cpus, object_store_bytes, env or {}
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
            [port] = free_ports(1)
            self.address = f"{LOOPBACK}:{port}"
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

    def add_node(self, within: Sequence[str] = ()) -> None:
        """Start one more node, and wait until it has joined. Raises RuntimeError if it does not.

        `within` is a command that takes the node's as its arguments.
        """
        tries = START_TRIES
        while problem := self._started(within):
            tries -= 1
            if not tries:
                raise RuntimeError(f"node {self.size} did not start:\n{problem}")

    def _started(self, within: Sequence[str]) -> str:
        """Start a node; "" once it has joined, else what it said."""
        log = self.folder / f"node{self.size}.log"
        with log.open("wb") as out:
            node = subprocess.Popen(
                [*within, *self._command()],
                cwd=self.folder,
                env=self._node_env(),
                start_new_session=True,
                stdout=out,
                stderr=out,
            )
        self._nodes.append(psutil.Process(node.pid))
        until = time.monotonic() + START_S
        while STARTED not in log.read_text(errors="replace"):
            if node.poll() is not None or time.monotonic() > until:
                self.kill_node(self.size - 1)
                self._nodes.pop()
                return log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)
        return ""

    def _command(self) -> list[str]:
        """What starts the next node; the first one is the head."""
        client_port, *agent_ports = free_ports(1 + len(AGENT_PORTS))
        where = ["--address", self.address] if self._nodes else [
            "--head", "--port", self.address.rpartition(":")[2], "--include-dashboard", "false",
            "--temp-dir", str(self.folder / "ray"),
            *(["--ray-client-server-port", str(client_port)] if HAS_CLIENT else []),
        ]  # fmt: skip
        return [
            str(Path(sys.executable).parent / "ray"), "start", "--block", "--disable-usage-stats", *where,
            "--node-ip-address", LOOPBACK, "--num-cpus", str(self._cpus),
            "--object-store-memory", str(self._store_bytes), "--min-worker-port", "0", "--max-worker-port", "0",
            *(f"--{name}={port}" for name, port in zip(AGENT_PORTS, agent_ports, strict=True)),
        ]  # fmt: skip

    def _node_env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return kept | self._env | self.client_env | {"RAY_agent_register_timeout_ms": AGENT_MS}

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
        kill_all_of(lambda: self.processes(number))
        self._nodes[number] = None

    def everyone(self) -> list[psutil.Process]:
        """All that was started with the token of this cluster: nodes, what outlived them, and drivers."""
        return [process for process in psutil.process_iter() if self._has_token(process)]

    def _has_token(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get("RAY_AUTH_TOKEN_PATH") == self.client_env["RAY_AUTH_TOKEN_PATH"]
        except psutil.Error:  # it is gone, or another user's
            return False

    def _end(self) -> None:
        # A node that ended by itself leaves workers behind, which are nobody's children any more.
        killed = kill_all_of(self.everyone)
        _, alive = psutil.wait_procs(killed, timeout=END_S)
        shutil.rmtree(self.folder, ignore_errors=True)
        if alive:
            raise RuntimeError(f"the cluster's processes {[process.pid for process in alive]} do not end")


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
    kill_all_of(lambda: processes)


def kill_all_of(find: Callable[[], list[psutil.Process]]) -> list[psutil.Process]:
    """As `kill_all`, with those that were started while the others were being stopped; all that were killed."""
    found: list[psutil.Process] = []
    while fresh := [process for process in find() if process not in found]:
        _send(signal.SIGSTOP, fresh)
        found += fresh
    _send(signal.SIGKILL, found)
    return found


def _send(what: signal.Signals, processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(what)


def free_ports(number: int) -> list[int]:
    """Ports that were free a moment ago, on all addresses of this machine."""
    found: list[int] = []
    for port in random.Random().sample(PORTS, len(PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("", port))
            found.append(port)
        if len(found) == number:
            return found
    raise RuntimeError(f"no {number} ports are free")


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
