"""A scripted model for SIQA's prompts: what it answers hangs on what is asked for and on the image that is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.siqa.dimensions import HOW
from tests.fake_openai import Reply, images_of, text_of
from tests.scripted import digest

NAMES = {
    "Scientific validity:": "scientific_validity", "Scientific completeness:": "scientific_completeness",
    "Cognitive clarity:": "cognitive_clarity", "Disciplinary conformity:": "disciplinary_conformity",
}  # fmt: skip


def step_of(body: Mapping[str, Any]) -> str:
    """Which prompt a request was rendered from."""
    system = text_of(body, "system")
    for step, words in (("description", "describe it twice"), ("mcq", "You write one question"),
                        ("negation", "turn a Yes/No question"), ("rating", "You rate the")):  # fmt: skip
        if words in system:
            return step
    return "vote" if "<rationale>" in system else "other"


def dimensions_in(body: Mapping[str, Any]) -> list[str]:
    """The dimensions that a prompt defines."""
    system = text_of(body, "system")
    return [name for words, name in NAMES.items() if words in system]


def type_in(body: Mapping[str, Any]) -> str:
    """The type of question that a prompt asks for."""
    system = text_of(body, "system")
    return next(
        kind for kind, words in (("yes_no", "\nYes/No:"), ("what", "\nWhat:"), ("how", "\nHow:")) if words in system
    )


def picture(body: Mapping[str, Any]) -> int:
    """A number that is the image's own."""
    return digest("".join(image.data.hex() for image in images_of(body))) % 10_000


def responder(body: Mapping[str, Any]) -> str:
    """A good answer to any of the prompts."""
    step = step_of(body)
    if step == "description":
        [dimension] = dimensions_in(body)
        return (
            f"<good>Along {dimension} picture {picture(body)} is fine.</good>\n<bad>Along {dimension} it fails.</bad>"
        )
    if step == "mcq":
        [dimension] = dimensions_in(body)
        return question(type_in(body), dimension, picture(body))
    if step == "negation":
        return negation(body)
    return "Good"


def question(kind: str, dimension: str, number: int) -> str:
    about = f"part {number} as to {dimension}"
    if kind == "yes_no":
        return f"<question>Is {about} present?</question>\n<answer>{'Yes' if number % 2 else 'No'}</answer>"
    if kind == "how":
        return f"<question>How good is {about}?</question>\n<answer>{HOW[number % 4]}</answer>"
    options = "\n".join(f"{letter}. {about}, state {n}" for n, letter in enumerate("ABCD"))
    answer = "ABCD"[number % 4]
    return f"<question>What is {about}?</question>\n<options>\n{options}\n</options>\n<answer>{answer}</answer>"


def negation(body: Mapping[str, Any]) -> str:
    asked = re.search(r"<question>\n(.*)\n</question>", text_of(body, "user"))
    assert asked is not None and not images_of(body)
    return f"<question>{asked[1].replace('present', 'missing')}</question>"


def logprobs(drawn: str, **probabilities: float) -> dict[str, Any]:
    """The field `logprobs` of a choice: one place, `drawn` as it was drawn."""
    listed = [{"token": token, "logprob": math.log(value), "bytes": None} for token, value in probabilities.items()]
    own = math.log(probabilities[drawn])
    return {"content": [{"token": drawn, "logprob": own, "bytes": None, "top_logprobs": listed}], "refusal": None}


def rating(drawn: str, **probabilities: float) -> Reply:
    """An answer to a rating prompt with log-probabilities."""
    return Reply(drawn.strip(), logprobs=logprobs(drawn, **probabilities))
