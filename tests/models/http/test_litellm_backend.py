"""The litellm backend behind the same types, with a module that stands in for litellm."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import openai
import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.config import endpoint
from data_juicer_ext.models.config.endpoint import ConfigError, needs_key, parse_model_params, require_key
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.http.transport import _httpx
from data_juicer_ext.models.types import Result, Usage
from tests.fake_openai import Reply, completion
from tests.models.calling import answered, failed, question

REQUEST = _httpx.Request("POST", "https://provider.example")


class RateLimitError(openai.RateLimitError):
    """As litellm's: without body or code."""

    def __init__(self, retry_after: str) -> None:
        response = _httpx.Response(429, headers={"retry-after": retry_after}, request=REQUEST)
        super().__init__("litellm.RateLimitError: slow down", response=response, body=None)


class ContextWindowExceededError(openai.BadRequestError):
    def __init__(self) -> None:
        super().__init__("prompt of 9999", response=_httpx.Response(400, request=REQUEST), body=None)


class ContentPolicyViolationError(openai.BadRequestError):
    def __init__(self) -> None:
        super().__init__("no", response=_httpx.Response(400, request=REQUEST), body=None)


class Fake(ModuleType):
    """A litellm whose `acompletion` gives what `reply` says; keeps what it was called with."""

    def __init__(self) -> None:
        super().__init__("litellm")
        self.calls: list[dict[str, Any]] = []
        self.reply: Callable[[dict[str, Any]], Reply] = lambda call: Reply("B")

    async def acompletion(self, **call: Any) -> Any:
        self.calls.append(call)
        data = completion(self.reply(call), call)
        return SimpleNamespace(model_dump=lambda: data, _hidden_params={"additional_headers": {"llm_provider-x": "1"}})


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    module = Fake()
    monkeypatch.setitem(sys.modules, "litellm", module)
    get_model.cache_clear()
    yield module
    get_model.cache_clear()


def ask(model: str, **params: Any) -> Result:
    config = parse_model_params(model, None, {"backend": "litellm", "backoff": 0.002, **params})
    return run(get_model(config).ask(question(temperature=0.5)))


def test_one_call(litellm: Fake) -> None:
    answer = answered(ask("anthropic/one"))
    assert (answer.text, answer.usage) == ("B", Usage(11, 7))
    (call,) = litellm.calls
    assert (call["model"], call["temperature"], call["num_retries"]) == ("anthropic/one", 0.5, 0)
    assert call["messages"][1] == {"role": "user", "content": "Which?"}
    assert not {"api_key", "api_base"} & set(call)
    assert (litellm.telemetry, litellm.suppress_debug_info) == (False, True)


def test_key_and_address_go_where_they_are_given(litellm: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k-1")
    answered(ask("anthropic/two", api_key_env="MY_KEY", base_url="https://proxy.example/v1"))
    assert (litellm.calls[0]["api_key"], litellm.calls[0]["api_base"]) == ("k-1", "https://proxy.example/v1")


def test_errors_follow_the_same_rules(litellm: Fake) -> None:
    errors: list[Exception] = [
        RateLimitError("0.01"),
        openai.APITimeoutError(REQUEST),
        openai.APIConnectionError(request=REQUEST),
    ]

    def reply(call: dict[str, Any]) -> Reply:
        if errors:
            raise errors.pop()
        return Reply("C")

    litellm.reply = reply
    answer = answered(ask("anthropic/three"))
    assert (answer.text, answer.tries) == ("C", 4)


@pytest.mark.parametrize(
    ("error", "kind"),
    [(ContextWindowExceededError(), "bad_request"), (ContentPolicyViolationError(), "content_filter")],
)
def test_refusals_are_known_by_their_class(litellm: Fake, error: Exception, kind: str) -> None:
    def reply(call: dict[str, Any]) -> Reply:
        raise error

    litellm.reply = reply
    failure = failed(ask(f"anthropic/{kind}"))
    assert (failure.kind, failure.tries) == (kind, 1)
    assert failure.message.startswith("endpoint litellm:anthropic answered 400")


def test_configuration(litellm: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.example/v1")  # for the other backend
    config = parse_model_params("gemini/flash", None, {"backend": "litellm"})
    assert (config.base_url, config.endpoint, needs_key(config)) == ("", "litellm:gemini", False)
    named = parse_model_params("gemini/flash", None, {"backend": "litellm", "api_key_env": "GEMINI_API_KEY"})
    with pytest.raises(ConfigError, match="GEMINI_API_KEY"):
        require_key(named)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    monkeypatch.setattr(endpoint.importlib.util, "find_spec", lambda name: None)  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match=r"pip install 'data-juicer-ext\[litellm\]'"):
        parse_model_params("gemini/flash", None, {"backend": "litellm"})


def test_no_batches_through_litellm(litellm: Fake) -> None:
    with pytest.raises(ConfigError, match="mode: batch needs"):
        parse_model_params("gemini/flash", None, {"backend": "litellm", "mode": "batch"})
