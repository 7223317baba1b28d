from __future__ import annotations

import os

import pytest

from data_juicer_ext.ops import ray_workers


def test_a_ray_that_is_started_here_keeps_its_workers_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ray_workers.VARIABLE, raising=False)
    ray_workers.install()
    assert os.environ[ray_workers.VARIABLE] == str(ray_workers.IDLE_MS)
    monkeypatch.setenv(ray_workers.VARIABLE, "1000")
    ray_workers.install()
    assert os.environ[ray_workers.VARIABLE] == "1000"
