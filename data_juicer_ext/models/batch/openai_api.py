"""OpenAI's interface for files and batches over HTTP, as DashScope and others offer it too."""

import asyncio
import json
import random
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
import openai

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.retry import backoff, decide
from data_juicer_ext.models.http.transport import _httpx, _proxy, status_error

FILE_TIMEOUT_S = 600.0  # for the upload or download of a file; other calls have the configuration's
LISTED = 100  # batches looked through for one whose id was lost


class BatchApi:
    """The calls that a batch needs; lives on one event loop.

    All are tried again as the retry rules say until the configuration's deadline, and then raise
    the OpenAI SDK's exceptions. Repeating them is harmless except for `create`, which is sent once.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._proxy = _proxy(config.url)
        self._random = random.Random()
        self._session: aiohttp.ClientSession | None = None

    async def upload(self, lines: bytes) -> str:
        """Upload the requests of a batch (JSON lines); gives the file's id."""

        def form() -> aiohttp.FormData:
            data = aiohttp.FormData()
            data.add_field("purpose", "batch")
            data.add_field("file", lines, filename="requests.jsonl", content_type="application/jsonl")
            return data

        while_trying = _Patience(self._config, self._random)
        while True:
            try:
                return str((await self._json("POST", "/files", FILE_TIMEOUT_S, data=form()))["id"])
            except Exception as error:
                await while_trying.after(error)

    async def create(self, file_id: str, metadata: Mapping[str, str]) -> dict[str, Any]:
        """Start a batch of the requests in a file. Sent once: a repetition could buy everything twice."""
        body = {
            "input_file_id": file_id, "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "metadata": dict(metadata),
        }  # fmt: skip
        return await self._json("POST", "/batches", self._config.timeout, json=body)

    async def get(self, batch_id: str) -> dict[str, Any]:
        """A batch as it stands."""
        return await self._again(f"/batches/{quote(batch_id, safe='')}")

    async def newest(self) -> list[dict[str, Any]]:
        """The newest batches of the account."""
        found = (await self._again(f"/batches?limit={LISTED}")).get("data")
        return [batch for batch in found if isinstance(batch, dict)] if isinstance(found, list) else []

    async def content(self, file_id: str) -> bytes:
        """The bytes of a file."""
        while_trying = _Patience(self._config, self._random)
        while True:
            try:
                return await self._raw("GET", f"/files/{quote(file_id, safe='')}/content", FILE_TIMEOUT_S)
            except Exception as error:
                await while_trying.after(error)

    async def _again(self, path: str) -> dict[str, Any]:
        while_trying = _Patience(self._config, self._random)
        while True:
            try:
                return await self._json("GET", path, self._config.timeout)
            except Exception as error:
                await while_trying.after(error)

    async def _json(self, method: str, path: str, timeout: float, **sent: Any) -> dict[str, Any]:
        raw = await self._raw(method, path, timeout, **sent)
        data = json.loads(raw)
        if not isinstance(data, dict):
            raise json.JSONDecodeError("no JSON object", raw.decode("utf-8", "replace"), 0)
        return data

    async def _raw(self, method: str, path: str, timeout: float, **sent: Any) -> bytes:
        url = self._config.base_url + path
        request = _httpx.Request(method, url)
        key = self._config.key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limit = aiohttp.ClientTimeout(total=timeout)
        if self._session is None:
            self._session = aiohttp.ClientSession()
        try:
            async with self._session.request(
                method, url, headers=headers, timeout=limit, proxy=self._proxy, allow_redirects=False, **sent
            ) as response:
                raw = await response.read()
                if not 200 <= response.status < 300:
                    raise status_error(response.status, list(response.headers.items()), raw, request)
                return raw
        except asyncio.TimeoutError as error:
            raise openai.APITimeoutError(request) from error
        except (aiohttp.ClientError, OSError) as error:
            raise openai.APIConnectionError(message=str(error), request=request) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


class _Patience:
    """Waits between the tries of one call that costs nothing, and raises when another try is not worth it.

    A batch is out for hours: only the deadline bounds the tries, so that an endpoint which is away for minutes
    ends no run.
    """

    def __init__(self, config: EndpointConfig, rng: random.Random) -> None:
        self._config, self._rng = config, rng
        self._until = time.monotonic() + config.deadline
        self._tries = 0

    async def after(self, error: Exception) -> None:
        self._tries += 1
        decision = decide(error)
        wait = backoff(self._tries, self._config.backoff, self._rng)
        if decision is None or decision.verdict == "no":
            raise error
        wait = max(wait, decision.after or 0.0)
        if time.monotonic() + wait >= self._until:
            raise error
        await asyncio.sleep(wait)
