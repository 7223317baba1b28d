"""The part of the fake server that stands for a provider's files and batches."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


@dataclass
class Batch:
    """One batch: the requests by `custom_id`, and what the provider says about it."""

    data: dict[str, Any]
    requests: dict[str, dict[str, Any]]
    looks: int = 0
    end: str = "completed"


@dataclass
class FakeBatches:
    """Files and batches in memory. Each batch ends after it was looked at `looks` times.

    `ends` says how batches end, one after the other: `completed` (which is how all others end),
    `expired` (only the first half is answered), `cancelled`, or `failed: CODE`. `trouble` holds
    statuses that requests to "METHOD path-prefix" get before they are heard; `lose` makes the
    next creation succeed without its answer arriving.
    """

    answer: Answer
    looks: int = 1
    ends: list[str] = field(default_factory=list)
    trouble: dict[str, list[int]] = field(default_factory=dict)
    lose: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    made: list[Batch] = field(default_factory=list)
    looked: int = 0

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/files", self._heard(self._upload))
        router.add_get("/v1/files/{id}/content", self._heard(self._content))
        router.add_post("/v1/batches", self._heard(self._create))
        router.add_get("/v1/batches", self._heard(self._list))
        router.add_get("/v1/batches/{id}", self._heard(self._get))

    def _heard(self, handler: Any) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            for name, statuses in self.trouble.items():
                method, _, prefix = name.partition(" ")
                if request.method == method and request.path.startswith(prefix) and statuses:
                    error = {"message": "trouble", "code": None}
                    return web.json_response({"error": error}, status=statuses.pop(0))
            response: web.StreamResponse = await handler(request)
            return response

        return handle

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        assert form["purpose"] == "batch"
        return web.json_response({"id": self._keep(file.file.read()), "object": "file"})

    def _keep(self, data: bytes) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = data
        return name

    async def _content(self, request: web.Request) -> web.Response:
        data = self.files.get(request.match_info["id"])
        return web.Response(body=data) if data is not None else web.json_response({}, status=404)

    async def _create(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
        data = {
            "id": f"batch-{len(self.made) + 1}",
            "status": "in_progress",
            "metadata": asked["metadata"],
            "created_at": int(time.time()),
        }
        requests = {line["custom_id"]: line["body"] for line in lines}
        assert len(requests) == len(lines), "a custom_id stands twice"
        end = self.ends.pop(0) if self.ends else "completed"
        self.made.append(Batch(data, requests, end=end))
        if self.lose:
            self.lose = False
            assert request.transport is not None
            request.transport.abort()
        return web.json_response(data)

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [batch.data for batch in reversed(self.made)]})

    async def _get(self, request: web.Request) -> web.Response:
        self.looked += 1
        for batch in self.made:
            if batch.data["id"] == request.match_info["id"]:
                batch.looks += 1
                if batch.looks >= self.looks and batch.data["status"] == "in_progress":
                    self._end(batch)
                return web.json_response(batch.data)
        return web.json_response({"error": {"message": "no such batch"}}, status=404)

    def _end(self, batch: Batch) -> None:
        status, _, code = batch.end.partition(": ")
        batch.data |= {"status": status, f"{status}_at": batch.data["created_at"] + 60}
        if status == "failed":
            batch.data["errors"] = {"data": [{"code": code, "message": f"it failed by {code}"}]}
        if status not in ("completed", "expired"):
            return
        served = len(batch.requests) if status == "completed" else len(batch.requests) // 2
        good, bad = [], []
        for number, (key, body) in enumerate(batch.requests.items()):
            line: dict[str, Any] = {"id": f"r-{number}", "custom_id": key, "response": None, "error": None}
            if number < served:
                code_, answer = self.answer(body)
                line["response"] = {"status_code": code_, "request_id": "r", "body": answer}
            else:
                line["error"] = {"code": "batch_expired", "message": "not served in time"}
            is_good = line["response"] is not None and line["response"]["status_code"] == 200
            (good if is_good else bad).append(json.dumps(line))
        # Lines come in any order.
        if good:
            batch.data["output_file_id"] = self._keep("\n".join(reversed(good)).encode())
        if bad:
            batch.data["error_file_id"] = self._keep("\n".join(bad).encode())
