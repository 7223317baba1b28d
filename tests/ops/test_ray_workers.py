from __future__ import annotations

import pytest

from data_juicer_ext.ops import ray_workers


def test_a_ray_that_is_started_here_keeps_its_workers_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ray_workers.VARIABLE, raising=False)
    ray_workers.install()
    from ray._raylet import Config

    Config.initialize("")
    assert Config.idle_worker_killing_time_threshold_ms() == ray_workers.IDLE_MS
    monkeypatch.setenv(ray_workers.VARIABLE, "1000")
    ray_workers.install()
    assert ray_workers.os.environ[ray_workers.VARIABLE] == "1000"
