"""A rating from 1 to 5 out of a model's answer: by the probabilities of the five levels, or by the level itself.

With log-probabilities S = sum over i of i * softmax(logit_i), the softmax over the five level tokens; the
difference of two logits is that of two log-probabilities. Source: SIQA, section 4.1.

Providers give the likeliest tokens only, and tokenizers spell a level in several ways. So
- all tokens that spell one level (" Good", "Good", "good", "▁Good", "Ġgood", "Good.") count together;
- a token that only begins a level ("Ex" of "Excellent") counts for it from two letters on, the token that was drawn
  however short it is, as what follows it is known;
- a level that no token names gets nothing: it is less likely than the least likely token given (`missing_below`).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.models.http.completion import LEAST
from data_juicer_ext.models.types import TokenChoices
from data_juicer_ext.siqa.rating_levels import LEVELS, level_in, level_name

_SHORTEST = 2  # letters from which the beginning of a level is taken for it
_TOKEN = re.compile(r"[^A-Za-z]*([A-Za-z]+)([^A-Za-z]*)")
# How byte-level and SentencePiece tokenizers write a blank and a line end.
_MARKS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n"})


@dataclass(frozen=True)
class ModelRating:
    """A score from 1 to 5 and how it came about.

    `levels`: by `logprobs` the probability of each level that was found, together 1; else how often each was
    given. `detail` is what else is known: by `logprobs` `mass` (the probability of all level tokens together
    before the softmax), `missing` (levels that no token named) and `missing_below` (an upper bound of the
    probability of each of them, 1 where no alternatives came); by `mean_of_draws` `draws` and `unreadable`.
    """

    score: float
    method: str
    levels: dict[str, float]
    detail: dict[str, Any] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {"score": self.score, "method": self.method, "levels": self.levels, **self.detail}


def rating_of_level(level: int) -> ModelRating:
    """The rating of an answer that gives `level`, 1 to 5."""
    return ModelRating(float(level), "level", {level_name(level): 1.0})


def mean_of_draws(levels: Sequence[int | None]) -> ModelRating | None:
    """The mean of several draws, without those that were unreadable (None); None where all were."""
    read = [level for level in levels if level is not None]
    if not read:
        return None
    counts = {level_name(level): float(count) for level, count in sorted(Counter(read).items())}
    detail = {"draws": len(levels), "unreadable": len(levels) - len(read)}
    return ModelRating(round(sum(read) / len(read), 6), "mean_of_draws", counts, detail)


def rating_by_logprobs(text: str, places: Sequence[TokenChoices]) -> ModelRating | None:
    """The rating by the probabilities of the level tokens in an answer; None where no level is found in them.

    Looked at is the place where the level that `text` gives was drawn; where the text gives none and no level
    was drawn, the first place with a whole level among its alternatives. A text that names levels without clearly
    giving one has no rating.
    """
    drawn = [_drawn_level(places, index) for index in range(len(places))]
    given = level_in(text)
    for index, level in enumerate(drawn):
        if level is not None and level == given:
            return _softmax(places[index], level)
    if given is None and any(drawn):
        return None
    named = (choices for choices in places if any(_is_whole(token) for token, _ in choices[1:]))
    return next(filter(None, (_softmax(choices, None) for choices in named)), None)


def token_level(token: str) -> int | None:
    """The level, 1 to 5, that a token spells, or begins with at least two letters; None if it does neither."""
    match = _TOKEN.fullmatch(token)
    return _spelled(match[1], begun=not match[2]) if match else None


def _is_whole(token: str) -> bool:
    """Whether a token spells a level to its end; the beginning of one ("Ex") may be that of any word."""
    match = _TOKEN.fullmatch(token)
    return match is not None and _spelled(match[1], begun=False) is not None


def _spelled(word: str, begun: bool) -> int | None:
    """The level that a word is; with `begun` also the only one that it may be the beginning of."""
    word = word.lower()
    for value, name in enumerate(LEVELS, 1):
        if name.lower() == word:
            return value
    fitting = [value for value, name in enumerate(LEVELS, 1) if name.lower().startswith(word)]
    return fitting[0] if begun and len(word) >= _SHORTEST and len(fitting) == 1 else None


def _drawn_level(places: Sequence[TokenChoices], index: int) -> int | None:
    """The level whose word begins in the token drawn at a place; what was drawn after it tells."""
    if not re.search(r"[A-Za-z]", places[index][0][0].translate(_MARKS)):
        return None
    written = "".join(choices[0][0] for choices in places[index:]).translate(_MARKS)
    match = _TOKEN.match(written)
    return _spelled(match[1], begun=match.end(1) == len(written)) if match else None


def _softmax(choices: TokenChoices, drawn: int | None) -> ModelRating | None:
    """The rating by the tokens of one place, the drawn one standing for the level `drawn` (None: for none)."""
    found: dict[int, list[float]] = {}
    for token, logprob in choices[1:]:
        level = token_level(token)
        if level is not None:
            found.setdefault(level, []).append(logprob)
    if drawn is not None:
        found.setdefault(drawn, []).append(choices[0][1])
    known = {level: _log_sum(logprobs) for level, logprobs in sorted(found.items())}
    if not known or max(known.values()) <= LEAST:
        return None
    highest = max(known.values())
    weights = {level: math.exp(logprob - highest) for level, logprob in known.items()}
    total = sum(weights.values())
    return ModelRating(
        round(sum(level * weight for level, weight in weights.items()) / total, 6), "logprobs",
        {level_name(level): round(weight / total, 6) for level, weight in weights.items()},
        {
            "mass": round(min(1.0, total * math.exp(highest)), 6),
            "missing": [name for value, name in enumerate(LEVELS, 1) if value not in known],
            "missing_below": round(min((math.exp(logprob) for _, logprob in choices[1:]), default=1.0), 9),
        },
    )  # fmt: skip


def _log_sum(logprobs: Sequence[float]) -> float:
    highest = max(logprobs)
    return highest + math.log(sum(math.exp(logprob - highest) for logprob in logprobs))
