"""Scripted models behind the fake endpoint: they play all six steps of the VeriSciQA pipeline.

What they answer is a pure function of what the prompt shows, so that runs can be compared, and a
test can work out by itself what a run has to end with. A question's right option is the one whose
number equals `right_number(question)`; which filters a question passes hangs on its digest.
"""

from __future__ import annotations

import hashlib
import re
import threading
from typing import Any

from tests.fake_openai import Reply, images_of, text_of

STEPS = ("claims", "questions", "source", "blind_text", "blind_vision", "vote")
TEXT_MODEL, VISION_MODEL = "text-model", "vision-model"


def digest(text: str) -> int:
    """A stable number of a text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def step_of(body: dict[str, Any]) -> str:
    """Which step of the pipeline a request belongs to, by the answer format that it asks for."""
    system = text_of(body, "system")
    if "<Patterns>" in system:
        return "claims"
    if "<question>" in system and "<answer>" in system:
        return "questions"
    if "<analysis>" in system:
        return "source"
    if "<rationale>" in system:
        return "vote"
    return "blind_text" if body["model"] == TEXT_MODEL else "blind_vision"


def right_number(question: str) -> int:
    """The number that is the right answer to a scripted question."""
    return 100 + digest(question) % 800


def refused_by(question: str) -> str:
    """The filter that refuses a scripted question, "" if all keep it."""
    return {0: "source", 1: "blind_text", 2: "blind_vision", 3: "vote"}.get(digest("fate" + question) % 7, "")


class ScriptedModels:
    """The responder. Steps in `broken` are answered by status 500; `calls` counts what arrived."""

    def __init__(self) -> None:
        self.broken: set[str] = set()
        self.calls: dict[str, int] = dict.fromkeys(STEPS, 0)
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply | str:
        step = step_of(body)
        with self._lock:
            self.calls[step] += 1
        if step in self.broken:
            return Reply("the model is overloaded", status=500)
        user = text_of(body, "user")
        if step == "claims":
            return _claims(user)
        if step == "questions":
            return _question(user)
        return _choice(step, user, bool(images_of(body)))


def _claims(user: str) -> str:
    seed = digest(user)
    if seed % 11 == 0:
        return "<Patterns>None</Patterns>"
    lines = [f"{n}. The figure shows that series {seed % 9973}-{n} reaches its peak." for n in range(1, 3 + seed % 3)]
    return "<Patterns>\n" + "\n".join(lines) + "\n</Patterns>"


def _question(user: str) -> str:
    found = re.findall(r"series (\d+-\d+) reaches", user)
    if not found:
        raise AssertionError("the prompt for a question holds no scripted claim")
    if digest(found[-1]) % 8 == 0:
        return "None"
    question = f"At which value does series {found[-1]} reach its peak?"
    right, place = right_number(question), digest("place" + question) % 4
    numbers = [right + 3 * offset for offset in (1, 2, 3)]
    numbers.insert(place, right)
    options = "\n".join(f"{'ABCD'[i]}. {number} units" for i, number in enumerate(numbers))
    return f"<question>{question}</question>\n<options>\n{options}\n</options>\n<answer>{'ABCD'[place]}</answer>"


def _choice(step: str, user: str, has_image: bool) -> str:
    question = re.findall(r"At which value does series \d+-\d+ reach its peak\?", user)[-1]
    options = dict(re.findall(r"^\W*([A-D])\W+(\d+) units", user, re.M))
    right = next(letter for letter, number in options.items() if int(number) == right_number(question))
    wrong = next(letter for letter in "ABCD" if letter in options and letter != right)
    refused = refused_by(question) == step
    if step == "source":
        return f"<analysis>By the text.</analysis>\n<option>{wrong if refused else right}</option>"
    if step == "vote":
        chosen = wrong if refused or not has_image else right
        return f"<rationale>The curve peaks there.</rationale>\n<option>{chosen}</option>"
    return f"<option>{right if refused else 'None'}</option>"
