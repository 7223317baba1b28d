"""Runs with keys at endpoints that repeat them: no file, log line or message holds a byte of one."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from data_juicer_ext.models.http.retry import DETAIL_LENGTH
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer, Reply
from tests.host import REPO, dj_process, write_rows
from tests.recipes.runs import configured, environment, kept, latex_paper
from tests.scripted import TEXT_MODEL, ScriptedModels, digest, step_of

pytestmark = pytest.mark.host

# One that looks like a key and one that does not: it is known by its value alone.
TEXT_KEY = "sk-canary-Text0123456789abcdefghijkl"
VISION_KEY = "Zq81/canary+Vision/of_no.known-form=="
NO_TOKEN = {"RAY_AUTH_MODE": "disabled"}  # a cluster of this machine alone
KEYS = {"CANARY_TEXT_KEY": TEXT_KEY, "CANARY_VISION_KEY": VISION_KEY}


class Telltale:
    """Scripted models that repeat the key of the call in every error that they give, in all kinds of places."""

    def __init__(self) -> None:
        self.models, self.refused = ScriptedModels(), 0

    def __call__(self, body: dict[str, Any]) -> Reply | str:
        step, user = step_of(body), json.dumps(body["messages"])
        key = TEXT_KEY if body["model"] == TEXT_MODEL else VISION_KEY
        if step == "claims" and "paper0" in user:
            return Reply(f"Incorrect API key provided: {key}. You sent Authorization: Bearer {key}", status=401)
        if step == "claims" and "paper1" in user:
            return Reply(status=400, raw=f"no JSON, but {key}")
        if step == "vote" and digest(user) % 3 == 0:
            self.refused += 1
            # Where the message is shortened, the cut goes through the key, elsewhere every time.
            padding = "x" * (DETAIL_LENGTH - self.refused % len(key))
            return Reply(f"{padding}{key}", status=500, headers={"X-Echo": key, "Retry-After": "0"})
        return self.models(body)


@pytest.fixture
def short() -> Iterator[Path]:
    """Where temporary files of a run go, and a Ray's: of a short name, as sockets lie in it."""
    folder = Path(tempfile.mkdtemp(prefix="r"))
    (folder / "tmp").mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def where_keys_stand(*folders: Path) -> list[str]:
    """The files below the folders that hold a key, read as they are and unpacked."""
    found = []
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if path.suffix == ".gz":
                data += gzip.decompress(data)
            found += [f"{path}: {name}" for name, key in KEYS.items() if holds(data, key)]
    return found


def holds(data: bytes, key: str) -> bool:
    """Whether a key, or so much of it that it would help, stands in `data`: as text, or as JSON within JSON."""
    return any(part.encode() in data for part in (key, key[:12], key[-12:], json.dumps(key.replace("/", "\\/"))[1:-1]))


def check(folder: Path, config: dict[str, Any], done: subprocess.CompletedProcess[str], *others: Path) -> None:
    """The run went as it should with such endpoints, and told no key."""
    assert done.returncode == 0, done.stderr[-3000:]
    run_dir = folder / "run"
    [run_id] = run_records.run_ids(run_dir)
    reasons = {(e["tag"], e["reason"]) for e in decisions(run_dir, run_id)}
    assert {("claim_extractor", "call_failed:auth"), ("claim_extractor", "call_failed:bad_request")} <= reasons
    assert ("vision_vote", "call_failed:server") in reasons
    assert kept(config) and "***" in done.stderr and "rows are UNDECIDED" in done.stderr
    assert len(list((run_dir / "ledger").iterdir())) > 0 and (run_dir / "undecided.jsonl").stat().st_size > 0
    assert not any(holds(text.encode(), key) for text in (done.stdout, done.stderr) for key in KEYS.values())
    assert where_keys_stand(folder, *others) == []


def prepared(name: str, folder: Path, short: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """A recipe and its environment, with all that the run writes below `folder`, and temporary files below `short`."""
    rows = [latex_paper(folder / "papers", f"paper{n}", 3) for n in range(6)]
    config = configured(name, folder, rows, backoff=0.01, max_tries=2)
    env = {"DJ_EXT_TEXT_KEY_ENV": "CANARY_TEXT_KEY", "DJ_EXT_VISION_KEY_ENV": "CANARY_VISION_KEY"}
    env["TMPDIR"] = str(short / "tmp")
    for variable in ("HOME", "HF_HOME", "XDG_CACHE_HOME", "DATA_JUICER_CACHE_HOME"):
        place = folder / variable.lower()
        place.mkdir()
        env[variable] = str(place)
    return config, env


def test_on_the_default_executor(tmp_path: Path, short: Path) -> None:
    config, env = prepared("verisciqa", tmp_path, short)
    with FakeServer(Telltale()) as server:
        done = dj_process(config, tmp_path, env={**environment(server), **env, **KEYS}, afresh=True)
        sent = {request.headers.get("authorization") for request in server.requests}
    assert sent == {f"Bearer {key}" for key in KEYS.values()}
    check(tmp_path, config, done, short)


@pytest.mark.parametrize(
    "name", ["verisciqa", pytest.param("verisciqa_ray", marks=[pytest.mark.ray, pytest.mark.slow])]
)
def test_in_the_stack_traces_of_a_run_that_breaks_off(name: str, tmp_path: Path, short: Path) -> None:
    config, env = prepared(name, tmp_path, short)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "undecided").write_text("a file where a folder has to be")
    with FakeServer(Telltale()) as server:
        env |= {**environment(server), **KEYS, "RAY_TMPDIR": str(short)}
        done = dj_process(config, tmp_path, env=env, afresh=True)
    assert done.returncode != 0 and "Traceback" in done.stderr and "run the same command again" in done.stderr
    assert not any(holds(text.encode(), key) for text in (done.stdout, done.stderr) for key in KEYS.values())
    assert where_keys_stand(tmp_path, short) == []


def test_in_shards(tmp_path: Path, short: Path) -> None:
    config, env = prepared("verisciqa", tmp_path, short)
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(yaml.safe_dump(config, sort_keys=False))
    with FakeServer(Telltale()) as server:
        done = subprocess.run(
            [sys.executable, "-m", "data_juicer_ext.cli", "run", str(recipe), "--shard", "3"],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPO), **environment(server), **env, **KEYS},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kept pairs" in done.stdout and not holds((done.stdout + done.stderr).encode(), TEXT_KEY)
    assert len((tmp_path / "run" / "undecided.jsonl").read_text().splitlines()) > 1
    assert where_keys_stand(tmp_path, short) == []


@pytest.mark.ray
@pytest.mark.slow
def test_on_a_ray_whose_workers_inherit_the_keys(tmp_path: Path, short: Path) -> None:
    config, env = prepared("verisciqa_ray", tmp_path, short)
    with FakeServer(Telltale()) as server:
        done = dj_process(
            config, tmp_path, env={**environment(server), **env, **KEYS, "RAY_TMPDIR": str(short)}, afresh=True
        )
        sent = {request.headers.get("authorization") for request in server.requests}
    assert sent == {f"Bearer {key}" for key in KEYS.values()}
    assert any("worker" in path.name for path in short.rglob("*.out"))
    check(tmp_path, config, done, short)


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The address of a Ray that was started without any key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bare = {key: value for key, value in os.environ.items() if key not in KEYS}
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", f"--port={port}", "--num-cpus=2",
         "--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder}"],
        env={**bare, **NO_TOKEN, "PYTHONPATH": str(REPO)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not any(folder.rglob("raylet.out")) or not _listens(port):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.2)
        yield f"127.0.0.1:{port}"
    finally:
        family = [process, *psutil.Process(process.pid).children(recursive=True)]
        for member in family:
            try:
                os.kill(member.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.ray
@pytest.mark.slow
def test_on_a_cluster_that_is_handed_the_keys_in_memory(tmp_path: Path, short: Path) -> None:
    config, env = prepared("verisciqa_ray", tmp_path, short)
    with FakeServer(Telltale()) as server, cluster(short) as address:
        env |= {**environment(server), **KEYS, **NO_TOKEN}
        done = dj_process(config | {"ray_address": address}, tmp_path, env=env, afresh=True)
        sent = {request.headers.get("authorization") for request in server.requests}
        assert sent == {f"Bearer {key}" for key in KEYS.values()}
        check(tmp_path, config, done, short)


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(f"x {TEXT_KEY} y".encode()))
    (tmp_path / "b.json").write_text(json.dumps({"a": json.dumps({"key": VISION_KEY})}))
    (tmp_path / "c.txt").write_text(f"...{VISION_KEY[-12:]}")
    (tmp_path / "d.txt").write_text("nothing")
    assert len(where_keys_stand(tmp_path)) == 3
    assert write_rows(tmp_path / "e.jsonl", [{"key": TEXT_KEY}]) and len(where_keys_stand(tmp_path)) == 4
