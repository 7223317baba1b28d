"""Reads a chat completion as providers really send it into one small typed value, its log-probabilities included.

OpenAI's shape is the norm; vLLM, Ollama, DeepSeek, DashScope and gateways leave fields out, send
null for them, or put an error into a response of status 200.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from data_juicer_ext.models.types import TokenChoices, Usage
from data_juicer_ext.rows import scrub

MOST_PLACES = 16
"""Tokens of an answer that are kept: enough for an answer in a word, whatever marks stand around it."""
MOST_ALTERNATIVES = 20  # of a token; no provider sends more
LEAST = -9999.0
"""What OpenAI sends for a token of no probability to speak of; stands for all that is lower, minus infinity too."""


def first_tokens(logprobs: Any, text: str, thought: bool) -> tuple[TokenChoices, ...]:
    """The first tokens of `text`, `MOST_PLACES` at most, with their alternatives; () where there are none.

    `logprobs` is the field of that name in a choice. `thought`: the model thought before it wrote `text`, so that the
    tokens may begin with thinking; then only tokens that spell `text` are taken. Never raises for an odd shape.
    """
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, list):
        return ()
    places = [place for place in content if isinstance(place, Mapping) and isinstance(place.get("token"), str)]
    start = _first_place([place["token"] for place in places], text.strip(), thought)
    return tuple(filter(None, map(_choices, places[start : start + MOST_PLACES])))


def _first_place(tokens: Sequence[str], text: str, thought: bool) -> int:
    """The index of the token in which `text` begins; past the last one where that is not known."""
    written = "".join(tokens).rfind(text)
    if written < 0:  # tokens in another spelling ("▁Good"): they are the text's unless thinking came before
        return len(tokens) if thought else 0
    ends = accumulate(map(len, tokens))
    return next((place for place, end in enumerate(ends) if end > written), 0)


def _choices(place: Mapping[str, Any]) -> TokenChoices:
    listed = place.get("top_logprobs")
    pairs = [_pair(item) for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    known = {token: value for token, value in pairs if token is not None and value is not None}
    drawn, own = _pair(place)
    assert drawn is not None, "places without a token were left out"
    own = known.pop(drawn, None) if own is None else own
    alternatives = sorted(((t, v) for t, v in known.items() if t != drawn), key=lambda item: (-item[1], item[0]))
    if own is None and not alternatives:
        return ()
    # A drawn token without a probability of its own still says what was drawn.
    return ((drawn, LEAST if own is None else own), *alternatives[:MOST_ALTERNATIVES])


def _pair(item: Mapping[str, Any]) -> tuple[str | None, float | None]:
    token, value = item.get("token"), item.get("logprob")
    if not isinstance(value, (int, float)) or isinstance(value, bool) or math.isnan(value):
        value = None
    return token if isinstance(token, str) else None, None if value is None else max(LEAST, min(0.0, float(value)))


_THINKING = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"))
_THINKING_PARTS = ("thinking", "reasoning")  # types of the parts of a content that comes as a list
_MOST_BLOCKS = 16


@dataclass(frozen=True)
class Completion:
    """The first choice of a response. `text` is without thinking text, scrubbed and stripped.

    `usage` is None where the provider counted nothing; `raw_length` is the length in characters of
    all text that was generated, thinking included. `error` is the message of an error that came
    with status 200, `error_code` its code. `top_logprobs` as in `types.Answer`.
    """

    text: str
    model: str = ""
    finish_reason: str = "stop"
    usage: Usage | None = None
    raw_length: int = 0
    error: str = ""
    error_code: str = ""
    top_logprobs: tuple[TokenChoices, ...] = ()


def read_completion(data: Mapping[str, Any]) -> Completion:
    """The completion in the decoded JSON body of a response; never raises for an odd shape."""
    choices = data.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    error = data.get("error") or choice.get("error")
    message = _mapping(choice.get("message"))
    content = _text(message.get("content")) or _text(message.get("refusal"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    shown = without_thinking(content)
    return Completion(
        text=scrub(shown).strip(),
        model=scrub(str(data.get("model") or "")),
        finish_reason=str(choice.get("finish_reason") or "stop"),
        usage=_usage(data.get("usage")),
        raw_length=len(content) + len(reasoning),
        error=_error_text(error),
        error_code=str(_mapping(error).get("code") or ""),
        top_logprobs=first_tokens(choice.get("logprobs"), shown, thought=shown != content or bool(reasoning)),
    )


def without_thinking(text: str) -> str:
    """`text` without the thinking at its start, which may come in several blocks.

    Some chat templates open the thinking in the prompt, so that only its end is in the text; an
    opening that is never closed leaves nothing.
    """
    for _ in range(_MOST_BLOCKS):
        rest = _without_block(text)
        if rest == text:
            break
        text = rest
    return text


def _without_block(text: str) -> str:
    for opening, closing in _THINKING:
        if text.lstrip().startswith(opening):
            return text.partition(closing)[2]
        before, found, after = text.partition(closing)
        if found and opening not in before:
            return after
    return text


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(content: Any) -> str:
    """A content as one text; some providers send it as a list of parts, thinking among them."""
    if isinstance(content, list):
        parts = [_mapping(part) for part in content]
        return "".join(str(part.get("text") or "") for part in parts if part.get("type") not in _THINKING_PARTS)
    return content if isinstance(content, str) else ""


def _error_text(error: Any) -> str:
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("code") or "an error without a message")
    return str(error) if error else ""


def _usage(usage: Any) -> Usage | None:
    counted = _mapping(usage)
    if not counted:
        return None
    prompt = _mapping(counted.get("prompt_tokens_details"))
    completion = _mapping(counted.get("completion_tokens_details"))
    reasoning = completion.get("reasoning_tokens", counted.get("reasoning_tokens"))
    cached = prompt.get("cached_tokens", counted.get("prompt_cache_hit_tokens"))  # the latter: DeepSeek
    return Usage(
        prompt_tokens=_count(counted.get("prompt_tokens")),
        completion_tokens=_count(counted.get("completion_tokens")),
        cached_tokens=_count(cached),
        reasoning_tokens=_count(reasoning),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0
