"""Wrappers around the host's functions: each once, in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from data_juicer_ext.ops.host.host_patch import wrap


def doubled(original: Callable[[int], int], number: int) -> int:
    return 2 * original(number)


def counted(original: Callable[[int], int], number: int) -> int:
    return 100 + original(number)


def from_the_next(original: Callable[[int], int], number: int) -> int:
    return original(number + 1)


@pytest.mark.parametrize("order", list(itertools.permutations((doubled, counted, from_the_next))))
def test_all_wrappers_are_there_whichever_comes_first(order: tuple[Callable[..., int], ...]) -> None:
    host = SimpleNamespace(function=lambda number: number)
    for wrapper in order:
        wrap(host, "function", wrapper)
    expected = 6  # of 5, by the wrapper that makes it the next
    for wrapper in order:
        expected = {doubled: 2 * expected, counted: 100 + expected}.get(wrapper, expected)
    assert host.function(5) == expected


def test_a_wrapper_is_put_in_place_once() -> None:
    host = SimpleNamespace(function=lambda number: number)
    for _ in range(3):
        wrap(host, "function", doubled)
        wrap(host, "function", counted)
    assert host.function(1) == 102


def test_methods_and_static_methods_stay_what_they_are() -> None:
    class Host:
        factor = 3

        def method(self, number: int) -> int:
            return self.factor * number

        @staticmethod
        def static(number: int) -> int:
            return number

    def more(original: Callable[..., int], *args: Any) -> int:
        return 1 + original(*args)

    wrap(Host, "method", more)
    wrap(Host, "static", more)
    assert (Host().method(2), Host.static(2), Host().static(2)) == (7, 3, 3)
    assert Host.method.__name__ == "method"


@pytest.mark.parametrize("first", ["ray_reading", "ray_joining"])
def test_what_starts_ray_is_wrapped_by_both_whichever_is_installed_first(
    first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from data_juicer.utils import ray_utils

    from data_juicer_ext.ops.host import ray_joining, ray_reading

    read: list[str] = []
    monkeypatch.setattr(ray_utils, "initialize_ray", lambda cfg=None: "joined")
    monkeypatch.setattr(ray_reading, "read_here", lambda: read.append("read"))
    modules = [ray_reading, ray_joining] if first == "ray_reading" else [ray_joining, ray_reading]
    for module in (*modules, *modules):
        module.install()
    assert ray_utils.initialize_ray(SimpleNamespace(ray_address="local")) == "joined" and read == ["read"]
    monkeypatch.setattr(ray_joining, "PATIENCE_S", 0.0)
    monkeypatch.setattr(ray_joining, "unreachable", lambda address: "nobody listens")
    with pytest.raises(SystemExit):
        ray_utils.initialize_ray(SimpleNamespace(ray_address="10.0.0.1:1"))
    assert read == ["read"]
