"""A scriptable OpenAI-compatible server over real HTTP, for tests and benchmarks.

    with FakeServer(lambda body: "B") as server:
        ...                                # point a client at server.base_url
        server.responder = lambda body: Reply(status=500)
    assert server.requests[0].user_text == "..."

The responder gets the parsed JSON body of a chat request and gives a text or a `Reply`. It runs in
the server's own thread, one call at a time, and may be exchanged while the server runs. An
exception in it is answered with status 500, and `stop` (the end of the `with`) raises it.
`server.batches` is the interface for files and batches, whose requests the responder answers too.
As a process: `python -m tests.fake_openai --port 8123 --latency 0.2`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.fake_batches import FakeBatches

START_TIMEOUT = 10.0
MAX_BODY = 256 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """What the server does with one request.

    `content` is the answer's text (None: a message without content), or the error's message where
    `status` is 400 or more (`code` and `param` are then those of the error). `logprobs` is that field of
    the choice. `delay` in seconds comes before the answer. `raw` replaces the whole body, so that it can
    be empty or cut. `hang`: no answer until the client gives up. `reset`: the connection is torn down in
    the middle of the body.
    """

    content: str | None = "ok"
    status: int = 200
    finish_reason: str = "stop"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | str | None = None
    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    )
    model: str = ""
    code: str | None = None
    param: str | None = None
    reasoning: str = ""
    logprobs: Any = None
    hang: bool = False
    reset: bool = False


@dataclass(frozen=True)
class ImageSent:
    """An image as it arrived: its MIME type and decoded bytes."""

    mime: str
    data: bytes


@dataclass(frozen=True)
class Received:
    """One recorded request; `arrived` is `time.monotonic()`, header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any
    arrived: float

    @property
    def system_text(self) -> str:
        return text_of(self.body, "system")

    @property
    def user_text(self) -> str:
        return text_of(self.body, "user")

    @property
    def images(self) -> list[ImageSent]:
        return images_of(self.body)


Responder = Callable[[dict[str, Any]], "Reply | str"]


def _parts(body: Mapping[str, Any], role: str | None) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for message in body.get("messages", []):
        if role is None or message["role"] == role:
            content = message["content"]
            found += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return found


def text_of(body: Mapping[str, Any], role: str) -> str:
    """The text parts of all messages of `role`, joined by line feeds."""
    return "\n".join(part["text"] for part in _parts(body, role) if part["type"] == "text")


def images_of(body: Mapping[str, Any]) -> list[ImageSent]:
    """The images of all messages, in order. Raises ValueError for one that is no base64 data URL."""
    images = []
    for part in _parts(body, None):
        if part["type"] == "image_url":
            head, _, data = part["image_url"]["url"].partition(";base64,")
            if not head.startswith("data:") or not data:
                raise ValueError(f"not a base64 data URL: {part['image_url']['url'][:60]}")
            images.append(ImageSent(head.removeprefix("data:"), base64.b64decode(data, validate=True)))
    return images


def completion(reply: Reply, body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON body of a chat completion with what `reply` says."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    answer: dict[str, Any] = {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": reply.model or body.get("model", ""),
        "choices": [{"index": 0, "finish_reason": reply.finish_reason, "message": message}],
    }
    if reply.logprobs is not None:
        answer["choices"][0]["logprobs"] = reply.logprobs
    if reply.usage is not None:
        answer["usage"] = dict(reply.usage)
    return answer


def _payload(reply: Reply, body: Mapping[str, Any]) -> bytes:
    if reply.raw is not None:
        return reply.raw.encode() if isinstance(reply.raw, str) else reply.raw
    if reply.status >= 400:
        error = {"message": reply.content, "type": "fake_error", "param": reply.param, "code": reply.code}
        return json.dumps({"error": error}).encode()
    return json.dumps(completion(reply, body)).encode()


class FakeServer:
    """The server, in a thread of its own on 127.0.0.1; a context manager. `port=0` takes a free one."""

    def __init__(self, responder: Responder, port: int = 0, *, record: bool = True) -> None:
        self.responder = responder
        self.requests: list[Received] = []
        self.count = 0
        self.in_flight = 0
        self.in_flight_peak = 0
        self.first_arrival = 0.0
        self.last_sent = 0.0
        self.base_url = ""
        self.errors: list[Exception] = []
        self.batches = FakeBatches(self._batched)
        self._port = port
        self._record = record
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="fake-openai", daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._failed: Exception | None = None

    def start(self) -> FakeServer:
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT) or self._failed:
            raise RuntimeError("the fake server did not start") from self._failed
        return self

    def stop(self) -> None:
        """End the server. Raises the first exception that the responder raised, if there was one."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(START_TIMEOUT)
        if self.errors:
            raise self.errors[0]

    def __enter__(self) -> FakeServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.errors.clear()
        self.stop()

    def clear(self) -> None:
        """Forget what was recorded."""
        self.requests.clear()
        self.count = self.in_flight_peak = 0
        self.first_arrival = self.last_sent = 0.0

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:
            self._failed = error
            self._ready.set()
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        self.batches.add_routes(app.router)
        app.router.add_get("/stats", self._stats)
        app.router.add_post("/clear", self._clear)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self._port).start()
        self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    async def _stats(self, request: web.Request) -> web.Response:
        seconds = self.last_sent - self.first_arrival
        return web.json_response({"count": self.count, "peak": self.in_flight_peak, "seconds": seconds})

    async def _clear(self, request: web.Request) -> web.Response:
        self.clear()
        return web.json_response({})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        arrived = time.monotonic()
        self.first_arrival = self.first_arrival or arrived
        self.count += 1
        self.in_flight += 1
        self.in_flight_peak = max(self.in_flight_peak, self.in_flight)
        try:
            body = await request.json()
            if self._record:
                headers = {name.lower(): value for name, value in request.headers.items()}
                self.requests.append(Received(request.path, headers, body, arrived))
            return await self._answer(request, self._reply(body), body)
        finally:
            self.in_flight -= 1
            self.last_sent = time.monotonic()

    def _reply(self, body: dict[str, Any]) -> Reply:
        try:
            reply = self.responder(body)
        except Exception as error:
            self.errors.append(error)
            return Reply(f"the responder raised {error!r}", status=500)
        return Reply(reply) if isinstance(reply, str) else reply

    def _batched(self, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and decoded body that the responder gives to one request of a batch."""
        reply = self._reply(body)
        return reply.status, json.loads(_payload(reply, body))

    async def _answer(self, request: web.Request, reply: Reply, body: Mapping[str, Any]) -> web.StreamResponse:
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.hang:
            await self._stop.wait()
        payload = _payload(reply, body)
        headers = {"Content-Type": "application/json", **reply.headers}
        if not reply.reset:
            return web.Response(body=payload, status=reply.status, headers=headers)
        response = web.StreamResponse(status=reply.status, headers=headers)
        response.content_length = len(payload)
        await response.prepare(request)
        await response.write(payload[: len(payload) // 2])
        if request.transport is not None:
            request.transport.abort()
        return response


def main() -> None:
    parser = argparse.ArgumentParser(description="A fake OpenAI-compatible server that answers one text.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--text", default="B", help="the answer")
    arguments = parser.parse_args()
    reply = Reply(arguments.text, delay=arguments.latency)
    with FakeServer(lambda body: reply, arguments.port, record=False) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
