"""What every test runs under: no hidden installation, no keys, no network but loopback; and who runs when."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.s3_server import S3

# How long an example takes hangs on what else runs on the machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

LONG = ("slow", "ray", "host")  # marks of tests that take seconds and more


def pytest_make_parametrize_id(val: object) -> str | None:
    """Bytes by number alone: archives and PDFs hold the time, and all workers have to call a test alike."""
    return "bytes" if isinstance(val, bytes) else None


@pytest.hookimpl(trylast=True)  # when those that are not asked for are gone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests come first, so that workers end at about the same time."""
    long = {item.path for item in items if any(item.get_closest_marker(mark) for mark in LONG)}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(autouse=True)
def turn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test marked `alone` waits until no other worker is at one, and the next ones of these wait for it."""
    top = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    how = fcntl.LOCK_EX if request.node.get_closest_marker("alone") else fcntl.LOCK_SH
    with (top.parent / "door").open("w") as door, (top.parent / "room").open("w") as room:
        fcntl.flock(door, fcntl.LOCK_EX)  # held while one waits, so that others don't slip in before
        fcntl.flock(room, how)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield
        fcntl.flock(room, fcntl.LOCK_UN)  # a process that was forked meanwhile has the file open as well


@pytest.fixture(autouse=True, scope="session")
def no_hidden_installs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Data-Juicer installs packages in the middle of runs; here that fails loudly instead."""
    os.environ["UV_OFFLINE"] = "1"
    os.environ["PIP_NO_INDEX"] = "1"
    os.environ["UV_CACHE_DIR"] = str(tmp_path_factory.mktemp("uv-cache"))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No key or endpoint of the machine reaches a test, and no test its user's cache."""
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith(("OPENAI_", "DJ_EXT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DJ_EXT_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def repo() -> Path:
    """The top of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> S3:
    """An empty bucket of an S3 server on this machine, reached by this process and those that it starts."""
    made = S3()
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    return made
