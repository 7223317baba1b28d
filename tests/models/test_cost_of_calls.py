"""What a call costs, by the model that answered, the one asked for, and the way it went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from data_juicer_ext.models import client
from data_juicer_ext.models.client import cost_of
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.types import Answer, Failure, Usage

ASKED = EndpointConfig(model="asked")


@pytest.fixture(autouse=True)
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ten cents a token of `asked`, a cent one of `answered`."""
    models = {"asked": {"input": 100_000, "output": 100_000}, "answered": {"input": 10_000, "output": 10_000}}
    (tmp_path / "prices.yaml").write_text(yaml.safe_dump({"models": models}))
    monkeypatch.setenv("DJ_EXT_PRICES", str(tmp_path / "prices.yaml"))
    client._prices.cache_clear()
    yield
    client._prices.cache_clear()


def answer(model: str, prompt: int = 9, completion: int = 1) -> Answer:
    return Answer("B", model, usage=Usage(prompt, completion))


@pytest.mark.parametrize(
    ("result", "dollars"),
    [
        (answer("answered"), 0.1),
        (answer("unheard-of"), 1.0),
        (answer("answered", 0, 0), 0.0),
        (answer("answered", 0, 1), 0.01),
        (answer("answered", 1, 0), 0.01),
        (Failure("empty", "no text", True, usage=Usage(9, 1)), 1.0),
        (Failure("timeout", "late", True), 0.0),
    ],
)
def test_the_price_is_that_of_the_model_that_answered_else_of_the_one_asked_for(
    result: Answer | Failure, dollars: float
) -> None:
    assert cost_of(result, ASKED) == pytest.approx(dollars)


def test_a_batch_costs_half() -> None:
    assert cost_of(answer("answered"), replace(ASKED, mode="batch")) == pytest.approx(0.05)


@pytest.mark.parametrize("mode", ["direct", "batch"])
def test_a_price_that_nobody_knows_is_none(mode: str) -> None:
    config = replace(ASKED, model="unheard-of", mode=mode)  # type: ignore[arg-type]
    assert cost_of(answer("unheard-of"), config) is None


def test_the_embedded_model_is_free() -> None:
    assert cost_of(answer("answered"), replace(ASKED, model="offline")) == 0.0
