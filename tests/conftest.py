"""What every test runs under: no hidden installation, no keys, no network but loopback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.s3_server import S3


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
