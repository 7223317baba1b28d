"""The log-probabilities that come with a chat completion: the first tokens of its text and their alternatives.

OpenAI's shape (`logprobs.content`, a list with `token`, `logprob` and `top_logprobs` each) is the norm; vLLM,
SGLang, llama.cpp, Ollama and gateways send it too, with fields left out here and there.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from data_juicer_ext.models.types import TokenChoices

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
