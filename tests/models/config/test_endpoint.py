"""What operators may say about a model, and what is refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.models.config.endpoint import (
    DEFAULT_BASE_URL,
    ConfigError,
    EndpointConfig,
    expand_environment,
    needs_key,
    parse_model_params,
    parse_sampling_params,
    require_key,
)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE", "x")
    monkeypatch.setenv("BLANK", "")
    text = "${HERE}/${BLANK}/${BLANK:-b}/${GONE:-http://c:1/v1}/${GONE:-}/$HERE/${}"
    assert expand_environment(text) == "x//b/http://c:1/v1//$HERE/${}"
    with pytest.raises(ConfigError, match="GONE is not set"):
        expand_environment("${GONE}")


@pytest.mark.parametrize("params", [None, {}])
def test_defaults(params: dict[str, Any] | None) -> None:
    config = parse_model_params("m", None, params)
    assert config == EndpointConfig("m")
    assert config.url == DEFAULT_BASE_URL + "/chat/completions"


def test_base_url_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1/")
    assert parse_model_params("m").base_url == "http://localhost:8000/v1"
    assert parse_model_params("m", None, {"base_url": "http://other/v1"}).base_url == "http://other/v1"


def test_everything_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "qwen")
    monkeypatch.setenv("WIDTH", "8")
    config = parse_model_params(
        "${MODEL}",
        "openai/chat/completions",
        {
            "base_url": "https://example.org/${PART:-v2}",
            "api_key_env": "MY_KEY",
            "max_concurrency": "${WIDTH}",
            "requests_per_minute": 600,
            "tokens_per_minute": 1e5,
            "timeout": 5,
            "deadline": "20.5",
            "backoff": 0,
            "max_tries": 3,
            "backend": "openai",
            "max_image_side": 1024,
            "max_image_bytes": 100_000,
            "max_image_pixels": 1_000_000,
        },
    )
    assert config == EndpointConfig(
        "qwen", "https://example.org/v2", "MY_KEY", "/openai/chat/completions", 8, 600, 100_000, 5.0, 20.5, 0.0,
        3, "openai", 1024, 100_000, 1_000_000,
    )  # fmt: skip
    assert type(config.tokens_per_minute) is int
    assert config.endpoint == "example.org"
    assert config.image_limits.max_side == 1024


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"max_concurency": 3}, "did you mean max_concurrency"),
        ({"nonsense": 3}, "allowed: base_url, api_key_env"),
        ({"max_concurrency": 0}, "whole number from 1"),
        ({"max_concurrency": 2.5}, "whole number"),
        ({"max_concurrency": True}, "whole number"),
        ({"max_concurrency": "many"}, "'many' will not do"),
        ({"timeout": -1}, "model_params.timeout"),
        ({"timeout": "nan"}, "model_params.timeout"),
        ({"max_concurrency": float("inf")}, "whole number"),
        ({"deadline": None}, "model_params.deadline"),
        ({"backend": "carrier pigeon"}, "allowed: openai"),
        ({"base_url": "example.org/v1"}, "no http or https URL"),
        ({"base_url": "ftp://example.org"}, "no http or https URL"),
        ({"base_url": "http://[::1/v1"}, "no http or https URL"),
        ({"base_url": "http://localhost:99999/v1"}, "no http or https URL"),
        ({"base_url": "https://example.org/v1/chat/completions"}, "leave /chat/completions out"),
        ({"base_url": "${NOT_THERE}"}, "NOT_THERE is not set"),
    ],
)
def test_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_model_params("m", None, params)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "params",
    [
        {"api_key": "sk-secret-1"},
        {"api_key_env": "sk-secret-1"},
        {"base_url": "https://user:sk-secret-1@example.org/v1"},
        {"base_url": "https://example.org/v1?key=sk-secret-1"},
    ],
)
def test_a_key_in_the_recipe_is_refused_and_not_repeated(params: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_model_params("m", None, params)
    assert "secret" not in str(caught.value)
    assert "api_key_env" in str(caught.value)


@pytest.mark.parametrize(("endpoint", "said"), [("/responses", "allowed"), ("http://x/v1", "base_url")])
def test_unknown_endpoint(endpoint: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_model_params("m", endpoint)


@pytest.mark.parametrize("model", ["", "  ", None])
def test_empty_model(model: Any) -> None:
    with pytest.raises(ConfigError, match="api_model is empty"):
        parse_model_params(model)


@pytest.mark.parametrize(
    ("url", "needed"),
    [
        ("https://api.openai.com/v1", True),
        ("http://8.8.8.8/v1", True),
        ("http://localhost:8000/v1", False),
        ("http://127.0.0.1:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://10.1.2.3/v1", False),
        ("http://192.168.0.9/v1", False),
        ("http://vllm:8000/v1", False),
        ("http://box.local/v1", False),
    ],
)
def test_which_endpoints_need_a_key(url: str, needed: bool) -> None:
    assert needs_key(EndpointConfig("m", url)) is needed


def test_a_missing_key_stops_with_its_name_and_the_way_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse_model_params("m", None, {"base_url": "https://example.org/v1", "api_key_env": "MY_KEY"})
    with pytest.raises(ConfigError, match=r"MY_KEY is not set.*api_model: offline"):
        require_key(config)
    monkeypatch.setenv("MY_KEY", " sk-123456 \n")
    require_key(config)
    assert config.key() == "sk-123456"
    assert "123456" not in repr(config)


def test_no_key_needed_by_word_or_offline() -> None:
    for config in (
        parse_model_params("m", None, {"base_url": "https://example.org/v1", "api_key_env": "None"}),
        parse_model_params("offline"),
    ):
        require_key(config)
        assert not needs_key(config)


def test_sampling_params() -> None:
    assert parse_sampling_params(None) == {}
    assert parse_sampling_params({"temperature": 1.0, "seed": 3, "extra_body": {"top_k": 5}}) == {
        "temperature": 1.0,
        "seed": 3,
        "top_k": 5,
    }


@pytest.mark.parametrize("params", [{"stream": True}, {"messages": []}, {"extra_body": {"model": "x"}}, [1]])
def test_sampling_params_refused(params: Any) -> None:
    with pytest.raises(ConfigError, match="sampling_params"):
        parse_sampling_params(params)
