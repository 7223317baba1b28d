"""Scripted models that bill by a rule of their own, so that an estimate can be held against it.

Text: one token for `characters` characters of all messages. Images: one for each square of 32 pixels that is
needed to cover the image as it arrived, at most 1,536. Answers: one for four characters.
"""

from __future__ import annotations

import io
import math
import threading
from collections import defaultdict
from dataclasses import replace
from typing import Any

from PIL import Image

from tests.fake_openai import Reply, images_of, text_of
from tests.scripted import ScriptedModels, step_of


class Billing:
    """The responder; `prompt` and `calls` sum up what was billed, by step of the pipeline."""

    def __init__(self, characters: float = 4.0) -> None:
        self.characters = characters
        self.prompt: dict[str, int] = defaultdict(int)
        self.calls: dict[str, int] = defaultdict(int)
        self._models, self._lock = ScriptedModels(), threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply:
        answer = self._models(body)
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        tokens = self._prompt(body)
        with self._lock:
            self.prompt[step_of(body)] += tokens
            self.calls[step_of(body)] += 1
        completion = len(reply.content or "") // 4
        return replace(reply, usage={"prompt_tokens": tokens, "completion_tokens": completion,
                                     "total_tokens": tokens + completion})  # fmt: skip

    def _prompt(self, body: dict[str, Any]) -> int:
        text = sum(len(text_of({"messages": [message]}, message["role"])) for message in body["messages"])
        tokens = int(text / self.characters)
        for sent in images_of(body):
            width, height = Image.open(io.BytesIO(sent.data)).size
            tokens += min(1536, math.ceil(width / 32) * math.ceil(height / 32))
        return tokens
