"""Prices: exact models and their dated snapshots, cached tokens apart, unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.models.budget.prices import Price, PriceError, PriceTable, load_prices, price_of
from data_juicer_ext.models.types import Usage

TABLE = PriceTable({"m": Price(2.0, 8.0, 0.5), "m-mini": Price(0.4, 1.6, 0.1), "m-2024-05-13": Price(5.0, 15.0, 5.0)})
MILLION = Usage(1_000_000, 0)


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        (Usage(1_000_000, 0), 2.0),
        (Usage(0, 1_000_000), 8.0),
        (Usage(1_000_000, 0, cached_tokens=1_000_000), 0.5),
        (Usage(1_000_000, 0, cached_tokens=400_000), 0.6 * 2.0 + 0.4 * 0.5),
        (Usage(0, 1_000_000, reasoning_tokens=900_000), 8.0),  # they are part of the completion
        (Usage(1000, 500, 200, 100), (800 * 2 + 200 * 0.5 + 500 * 8) / 1e6),
        (Usage(10, 0, cached_tokens=99), 10 * 0.5 / 1e6),  # more cached than sent: no negative price
        (Usage(), 0.0),
    ],
)
def test_the_cost_of_a_call(usage: Usage, dollars: float) -> None:
    assert price_of("m", usage, TABLE) == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("m", 2.0),
        ("M", 2.0),
        (" m ", 2.0),
        ("m-2025-04-16", 2.0),
        ("m-20250416", 2.0),
        ("m@20250416", 2.0),
        ("m-0613", 2.0),
        ("m-latest", 2.0),
        ("m-2024-05-13", 5.0),  # a snapshot with a price of its own
        ("m-mini", 0.4),
        ("m-mini-2024-07-18", 0.4),
        ("m-nano", None),
        ("m-mini-search-preview", None),
        ("m-pro", None),
        ("m.1", None),
        ("m-2025", None),
        ("m-9999", None),
        ("ft:m-mini-2024-07-18:lab", None),
        ("vendor/m", None),
        ("", None),
    ],
)
def test_a_name_covers_its_dated_snapshots_only(model: str, dollars: float | None) -> None:
    assert price_of(model, MILLION, TABLE) == dollars


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4.1-2025-04-14", Price(2.0, 8.0, 0.5)),
        ("gpt-4.1-mini-2025-04-14", Price(0.4, 1.6, 0.1)),
        ("gpt-4o-2024-08-06", Price(2.5, 10.0, 1.25)),
        ("gpt-4o-2024-05-13", Price(5.0, 15.0, 5.0)),
        ("gpt-4o-mini-2024-07-18", Price(0.15, 0.6, 0.075)),
        ("o4-mini-2025-04-16", Price(1.1, 4.4, 0.275)),
        ("gpt-5-mini-2025-08-07", Price(0.25, 2.0, 0.025)),
    ],
)
def test_shipped_prices(model: str, price: Price) -> None:
    assert load_prices().find(model) == price


def test_shipped_prices_make_sense() -> None:
    table = load_prices()
    assert len(table.models) >= 10
    for name, price in table.models.items():
        assert 0 < price.cached_input <= price.input < price.output, name
    for unknown in (
        "o3-pro",
        "gpt-5-pro",
        "gpt-5.4",
        "o4-mini-deep-research",
        "gpt-4o-audio-preview",
        "offline",
    ):
        assert table.find(unknown) is None


def own(tmp_path: Path, text: str) -> str:
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_own_prices_override_model_by_model(tmp_path: Path) -> None:
    text = "models:\n  O3: {input: 1, output: 2, note: contract}\n  mine: {input: 0, output: 0}\n"
    table = load_prices(own(tmp_path, text))
    assert table.find("o3-2025-04-16") == Price(1.0, 2.0, 1.0, "contract")  # cached as the rest, if not said
    assert price_of("mine", MILLION, table) == 0.0
    assert table.find("gpt-4.1") == load_prices().find("gpt-4.1")
    assert len(table.sources) == 2


def test_the_environment_names_own_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJ_EXT_PRICES", own(tmp_path, "models: {mine: {input: 3, output: 4}}"))
    assert load_prices().find("mine") == Price(3.0, 4.0, 3.0)
    second = tmp_path / "second.yaml"
    second.write_text("models: {}")
    assert load_prices(str(second)).find("mine") is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("models: {m: {input: 1}}", "m needs both input and output"),
        ("models: {m: {input: 1, output: 2, cached: 3}}", "cached is unknown .did you mean cached_input"),
        ("models: {m: {input: -1, output: 2}}", "input is -1, allowed are numbers from 0"),
        ("models: {m: {input: .nan, output: 2}}", "input is nan"),
        ("models: {m: {input: true, output: 2}}", "input is True"),
        ("models: {m: {input: '2', output: 2}}", "input is '2'"),
        ("models: {m: {input: 1, output: 2, cached_input: [1]}}", "cached_input is"),
        ("models: {m: 3}", "m must be a mapping"),
        ("models: [m]", "models must map"),
        ("prices: {}", "prices is unknown"),
        ("currency: EUR", "'EUR' is not supported"),
        ("- a", "is no mapping"),
        ("", "is no mapping"),
        ("a: [", "not YAML"),
        ("!!python/object/apply:os.system ['true']", "not YAML"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(PriceError, match=match) as caught:
        load_prices(own(tmp_path, text))
    assert "own.yaml" in str(caught.value)


def test_a_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(PriceError, match=r"nowhere\.yaml can't be read"):
        load_prices(str(tmp_path / "nowhere.yaml"))
