"""What an endpoint says about sampling parameters, learned from its own refusals and remembered.

Reasoning models take `max_completion_tokens` instead of `max_tokens` and fix the temperature. No list of model names
says so reliably (gateways rename models), but the refusal itself (status 400 or 422) names the parameter.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from data_juicer_ext.models.http.retry import provider_message

if TYPE_CHECKING:
    from openai import APIStatusError

log = logging.getLogger(__name__)

# The two names of the same limit: an endpoint that refuses one is asked with the other.
OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
# Leaving these out changes how an answer is drawn, not what the answer is: the model's own are used.
OPTIONAL = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
# What is told beside the answer, which stays the same without it. Only the two together are of use.
BESIDE = ("logprobs", "top_logprobs")

_STATUS = (400, 422)
_CODES = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
_WORDS = re.compile(
    r"unsupported (?:parameter|value)|unrecognized request argument|extra (?:inputs|fields)"
    r"|(?:is|are) not supported|does not support|not permitted|unknown (?:parameter|argument)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?![\w.,-]*\d)")
_MESSAGE_LENGTH = 2000
_NAMES = (*OTHER_NAME, *OPTIONAL, *BESIDE)
_NAMED = {name: re.compile(rf"(?<![A-Za-z_]){name}(?![A-Za-z_])") for name in _NAMES}


class ParameterRules:
    """The changes to sampling parameters that one endpoint asked for. Lives on one event loop."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._renamed: dict[str, str] = {}
        self._dropped: set[str] = set()
        self._most_alternatives: int | None = None

    def apply(self, sampling: Mapping[str, Any]) -> dict[str, Any]:
        """`sampling` as this endpoint takes it; parameters of which nothing is known stay as they are."""
        taken = {self._renamed.get(name, name): value for name, value in sampling.items() if name not in self._dropped}
        if self._most_alternatives is not None and isinstance(taken.get("top_logprobs"), int):
            taken["top_logprobs"] = min(taken["top_logprobs"], self._most_alternatives)
        return taken

    def learn(self, error: APIStatusError, sent: Mapping[str, Any]) -> bool:
        """Whether the call that sent the parameters `sent` and ended in `error` may do with other ones.

        True means that it is worth making again at once with what `apply` gives now.
        """
        if error.status_code not in _STATUS:
            return False
        message = provider_message(error)[:_MESSAGE_LENGTH]
        refused = _refused(message, str(error.code or ""), str(error.param or ""), sent)
        if not refused:
            return False
        if refused in OTHER_NAME:
            return self._rename(refused, sent)
        if refused in BESIDE and self._fewer_alternatives(message, sent):
            return True
        if refused not in self._dropped:
            self._dropped.update(BESIDE if refused in BESIDE else (refused,))
            log.warning("model %s takes no %r of ours: it is left out", self._model, refused)
        return True

    def _fewer_alternatives(self, message: str, sent: Mapping[str, Any]) -> bool:
        """Whether fewer alternatives than were sent may do: as many as a refusal named, which is tried once."""
        asked = sent.get("top_logprobs")
        if not isinstance(asked, int):
            return False
        if self._most_alternatives is None:
            smaller = (number for number in map(int, _NUMBER.findall(message)) if 1 <= number < asked)
            self._most_alternatives = max(smaller, default=None)
        return self._most_alternatives is not None and self._most_alternatives < asked

    def _rename(self, refused: str, sent: Mapping[str, Any]) -> bool:
        other = OTHER_NAME[refused]
        if other in sent or self._renamed.get(other) == refused:  # neither name will do: no way to go on
            return False
        self._renamed[refused] = other
        return True


def _refused(message: str, code: str, named: str, sent: Mapping[str, Any]) -> str:
    """The parameter of `sent` that the error is about and that can be done without, or ""."""
    clear = code.lower() in _CODES or _WORDS.search(message)
    names = _NAMES if clear else BESIDE  # no other error would speak of log-probabilities
    if named:
        return named if named in names and named in sent else ""
    # Without `param` the one that stands first in the text: "'max_tokens' is not supported, use ...".
    places = {name: match.start() for name in names if name in sent and (match := _NAMED[name].search(message))}
    return min(places, key=lambda name: places[name], default="")
