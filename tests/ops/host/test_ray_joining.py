"""Clusters that can't be joined: what users are told, and that it takes no minutes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_juicer_ext.ops.host import ray_joining


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    """A port that nobody else gets, and that nobody listens at."""
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        yield here


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_listens(taken: socket.socket, scheme: str) -> None:
    host, port = taken.getsockname()
    address = f"{scheme}{host}:{port}"
    assert f"nobody listens at {address}" in ray_joining.unreachable(address, patience=0.0)
    taken.listen()
    assert ray_joining.unreachable(address, patience=0.0) == ""


@pytest.mark.parametrize("address", ["", "auto", "local", "10.0.0.1", "port:here", "local:///tmp/x:1"])
def test_what_names_no_port_is_left_to_ray(address: str) -> None:
    assert ray_joining.unreachable(address, patience=0.0) == ""


@pytest.mark.parametrize("address", ["127.0.0.1:99999", "[::1]:1"])
def test_addresses_that_cannot_be(address: str) -> None:
    assert "nobody listens" in ray_joining.unreachable(address, patience=0.0)


def test_a_ray_that_does_not_start() -> None:
    said = ray_joining.refused("local", RuntimeError("no room\n  for it"))
    assert said == "ray_address: Ray can't be started on this machine: no room for it"


def test_a_cluster_that_refuses_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = ConnectionError("Failed to connect to Ray cluster")
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert "set RAY_AUTH_MODE=token" in ray_joining.refused("10.0.0.1:6379", error)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    assert "There is no file" in ray_joining.refused("10.0.0.1:6379", error)
    (tmp_path / "token").write_text("0" * 64)
    said = ray_joining.refused("10.0.0.1:6379", error)
    assert "Failed to connect" in said and "that of its nodes" in said and "0000" not in said
