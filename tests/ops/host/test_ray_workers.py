from __future__ import annotations

import os

import pytest

from data_juicer_ext.ops.host import ray_workers


@pytest.mark.parametrize("name", ray_workers.VARIABLES)
def test_a_ray_that_is_started_here_is_told_unless_the_user_says_otherwise(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name, raising=False)
    ray_workers.install()
    assert os.environ[name] == ray_workers.VARIABLES[name]
    monkeypatch.setenv(name, "1000")
    ray_workers.install()
    assert os.environ[name] == "1000"


def test_what_is_told_is_what_ray_knows() -> None:
    assert set(ray_workers.VARIABLES) == {
        "RAY_idle_worker_killing_time_threshold_ms", "RAY_prestart_worker_first_driver"
    }  # fmt: skip
