"""What goes over the wire, and that nothing secret comes back in an error."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import openai
import pytest

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.transport import LARGE_BODY, Transport, _httpx, redact, status_error
from tests.fake_openai import FakeServer, Reply

BODY = {"model": "m", "messages": [{"role": "user", "content": "naïve ‹text› 😀"}]}


def with_transport(base_url: str, use: Callable[[Transport], Awaitable[Any]], **config: Any) -> Any:
    async def main() -> Any:
        transport = Transport(EndpointConfig("m", base_url, **config))
        try:
            return await use(transport)
        finally:
            await transport.close()

    return asyncio.run(main())


def test_body_and_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-123456")
    with FakeServer(lambda body: "fine") as server:
        data = with_transport(server.base_url, lambda t: t.post(BODY, 5))
        sent = server.requests[0]
    assert data["choices"][0]["message"]["content"] == "fine"
    assert sent.body == BODY
    assert sent.headers["authorization"] == "Bearer sk-test-123456"
    assert sent.headers["content-type"] == "application/json"


@pytest.mark.parametrize("api_key_env", ["OPENAI_API_KEY", "none"])
def test_no_key_no_header(api_key_env: str) -> None:
    with FakeServer(lambda body: "fine") as server:
        with_transport(server.base_url, lambda t: t.post(BODY, 5), api_key_env=api_key_env)
        assert "authorization" not in server.requests[0].headers


def test_a_large_body_arrives_whole() -> None:
    body = {**BODY, "padding": "x" * (3 * LARGE_BODY)}
    with FakeServer(lambda body: "fine") as server:
        with_transport(server.base_url, lambda t: t.post(body, 5))
        assert server.requests[0].body == body


def test_connections_are_used_again() -> None:
    async def thrice(transport: Transport) -> int:
        for _ in range(3):
            await transport.post(BODY, 5)
        connector = transport._open().connector
        assert connector is not None
        return sum(len(kept) for kept in connector._conns.values())

    with FakeServer(lambda body: "fine") as server:
        assert with_transport(server.base_url, thrice) == 1


def test_a_redirect_is_not_followed() -> None:
    reply = Reply(status=307, headers={"Location": "https://elsewhere.example/v1"}, raw="")
    with FakeServer(lambda body: reply) as server, pytest.raises(openai.APIStatusError, match="elsewhere"):
        with_transport(server.base_url, lambda t: t.post(BODY, 5))


def test_a_list_is_no_answer() -> None:
    with FakeServer(lambda body: Reply(raw="[1]")) as server, pytest.raises(ValueError, match="no JSON object"):
        with_transport(server.base_url, lambda t: t.post(BODY, 5))


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(openai.APIConnectionError, match=r"127\.0\.0\.1:9"):
        with_transport("http://model.example/v1", lambda t: t.post(BODY, 5))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with FakeServer(lambda body: "direct") as server:
        with_transport(server.base_url, lambda t: t.post(BODY, 5))


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("bad key my.own+key!", "bad key ***"),
        ("Incorrect API key provided: sk-abcd****wxyz.", "Incorrect API key provided: ***."),
        ("it was my.own+k ... (given up)", "it was *** ... (given up)"),
        ("it was my.own+key", "it was ***"),
        ("it was my.", "it was my."),
        ("header was Bearer abcdef123456, no", "header was Bearer ***, no"),
        ("risk-taking in sky-blue is fine", "risk-taking in sky-blue is fine"),
    ],
)
def test_redact(text: str, clean: str) -> None:
    assert redact(text, "my.own+key!") == clean


def test_connections_are_bounded_by_the_slots_alone() -> None:
    async def limit(transport: Transport) -> int:
        connector = transport._open().connector
        assert connector is not None
        return connector.limit

    with FakeServer(lambda body: "fine") as server:
        assert with_transport(server.base_url, limit) == 0


@pytest.mark.parametrize(("status", "is_redirect"), [(299, False), (300, True), (399, True), (400, False)])
def test_what_is_a_redirect_says_where_to(status: int, is_redirect: bool) -> None:
    request = _httpx.Request("POST", "http://x/v1")
    for headers, place in (([("Location", "https://y/v1")], "https://y/v1"), ([], "nowhere")):
        error = status_error(status, headers, b"moved", request)
        told = f"a redirect to {place}; put that address into base_url"
        assert (told in str(error)) == is_redirect and ("moved" in str(error)) != is_redirect
