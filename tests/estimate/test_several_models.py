"""A step that puts each row to several models: all their calls, at the mean of their prices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.estimate.cost_of_calls import unit_prices
from data_juicer_ext.estimate.prompt_rehearsal import rehearse
from data_juicer_ext.estimate.recipe_steps import RecipeStep, plan
from data_juicer_ext.models import client
from data_juicer_ext.models.budget.prices import PRICES_VARIABLE
from tests.estimate.figures import config
from tests.ops.mapper.annotating import drawn, question


def voting(*models: str) -> RecipeStep:
    given = [{"api_model": model, "model_params": {"base_url": "https://api.example.com/v1"}} for model in models]
    [step] = plan(config({"mcq_label_vote_mapper": {"models": given}})).steps
    return step


@pytest.fixture(autouse=True)
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    path = tmp_path / "prices.yaml"
    path.write_text("models:\n  one: {input: 1, output: 10}\n  two: {input: 3, output: 20}\n")
    monkeypatch.setenv(PRICES_VARIABLE, str(path))
    client._prices.cache_clear()
    yield
    client._prices.cache_clear()


def test_no_model_of_several_has_anywhere_to_send_anything() -> None:
    step = voting("one", "two", "two")
    assert [endpoint.model for endpoint in step.endpoints] == ["one", "two", "two"]
    assert all(endpoint.base_url.startswith("http://127.0.0.1:9/") for endpoint in step.endpoints)
    assert not any(endpoint.key() for endpoint in step.endpoints)


def test_all_their_calls_are_counted(tmp_path: Path) -> None:
    rows = [question(drawn(tmp_path / "a.png"), number) for number in range(2)]
    sent = rehearse([voting("one", "two", "two")], rows, {})
    assert sent.calls.tolist() == [[3], [3]] and sent.images.min() > 0 and not sent.silent


def test_they_are_priced_at_the_mean_and_free_only_where_all_are() -> None:
    found = unit_prices(voting("one", "two"))
    assert found is not None and found == pytest.approx((2e-6, 15e-6))
    assert unit_prices(voting("one", "nobody-knows")) is None
    assert not voting("offline", "one").is_free and voting("offline", "offline").is_free
