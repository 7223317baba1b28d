"""An endpoint that goes away and comes back, in the ways that endpoints do."""

from __future__ import annotations

import json
from collections import Counter
from types import TracebackType
from typing import Any, Literal, TypeAlias

from tests.fake_openai import FakeServer, Received, Reply
from tests.scripted import ScriptedModels

Trouble: TypeAlias = Literal["refused", "503", "hanging"]
TROUBLES: tuple[Trouble, ...] = ("refused", "503", "hanging")


class FlakyEndpoint:
    """Scripted models behind an address of their own that can be away; a context manager.

    `refused`: nobody listens. `503`: a gateway says so. `hanging`: requests are taken and never answered.
    `answered` and `failed` count requests by their text over all of that; what found nobody is in neither.
    """

    def __init__(self, latency: float) -> None:
        self._models, self._latency = ScriptedModels(), latency
        self._trouble, self._stopped = "", False
        self.answered, self.failed = Counter[str](), Counter[str]()
        self.server = FakeServer(self._answer)

    @property
    def base_url(self) -> str:
        return self.server.base_url

    @property
    def requests(self) -> list[Received]:
        return self.server.requests

    def __enter__(self) -> FlakyEndpoint:
        self.server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.stop()

    def goes(self, trouble: Trouble) -> None:
        """Go away."""
        if trouble == "refused":
            self.server.stop()
            self._stopped = True
        else:
            self._trouble = trouble

    def comes_back(self) -> None:
        """Be well again, at the same address."""
        if self._stopped:
            before, self._stopped = self.server, False
            self.server = FakeServer(self._answer, port=int(before.base_url.split(":")[2].split("/")[0])).start()
            self.server.requests[:0] = before.requests
        self._trouble = ""

    def _answer(self, body: dict[str, Any]) -> Reply:
        text = json.dumps(body, sort_keys=True)
        if self._trouble:
            self.failed[text] += 1
            return Reply(hang=True) if self._trouble == "hanging" else Reply("no backend is up", status=503)
        reply = self._models(body)
        assert isinstance(reply, str)
        self.answered[text] += 1
        return Reply(reply, delay=self._latency)
