"""Rates an image for SIQA's perception and knowledge."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from data_juicer_ext.models.types import Message
from data_juicer_ext.ops.authoring import (
    Answer,
    Calls,
    ConfigError,
    Failure,
    ModelMapper,
    Outcome,
    Request,
    count,
    one_of,
    operator,
    request,
    undecided,
)
from data_juicer_ext.prompts import render
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.rows import to_json
from data_juicer_ext.siqa.dimensions import ASPECTS, dimensions_of
from data_juicer_ext.siqa.rating import ModelRating, mean_of_draws, rating_by_logprobs, rating_of_level
from data_juicer_ext.siqa.rating_levels import LEVELS, level_in

OP_NAME = "siqa_rating_mapper"

_METHODS = ("auto", "logprobs", "level", "draws")
_ASKED = {"logprobs": True, "top_logprobs": 20}
_FLAT = (*(f"rating_{aspect}" for aspect in ASPECTS), "rating_mean")
_PROBLEM = f"it gives none of the levels {', '.join(LEVELS)}"


@dataclass(frozen=True)
class _Unrated:
    """Why an aspect has no rating: a short stable reason, and a text for the user."""

    reason: str
    message: str


@dataclass(frozen=True)
class _Reading:
    """What an answer gives: the level that its text names, and the rating by its log-probabilities."""

    level: int | None
    by_logprobs: ModelRating | None


@operator(OP_NAME)
class SiqaRatingMapper(ModelMapper):
    """Rates an image from 1 to 5 for perception and for knowledge, in two queries.

    The caption is not shown. An answer without a level is asked for once more; a row without both ratings is undecided.

    Input columns: figure rows.
    Output columns: the same rows with `rating` (JSON: by aspect `score`, `method` and `levels`) and
        `rating_perception`, `rating_knowledge`, `rating_mean` (1 to 5) and `rating_method`: `logprobs` (the mean of
        the levels, weighted by the softmax over the five level tokens), `level` (that of one answer) or
        `mean_of_draws`; two with a + between where the aspects differ.
    Source: SIQA, section 4.1.
    """

    needs = ("row_id", "images", "domain")
    makes = ("rating", *_FLAT, "rating_method", "provenance")
    template = "siqa/rating"
    repair_template = "siqa/rating_repair"
    fields = ("aspect", "dimensions", "domain")
    parser_version = "siqa-rating-1"

    def __init__(self, method: str = "auto", draws: int = 1, *args: Any, **kwargs: Any):
        """
        :param method: `auto`: by log-probabilities where the endpoint gives them, else the mean of `draws` answers,
            which with one draw is its level. `logprobs`: by log-probabilities, a row without them is undecided.
            `level`: the level of one answer. `draws`: the mean of `draws` answers.
        :param draws: how many answers a mean is taken of, 1 to 25. More than one need a temperature above 0.
        """
        with self.checked_parameters():
            one_of("method", method, _METHODS)
            self.draws = count("draws", draws, 1, 25)
            if method == "draws" and draws > 1 and (kwargs.get("sampling_params") or {}).get("temperature") == 0:
                raise ConfigError("draws: at temperature 0 all draws are alike; raise it, or take method: level")
        self.method = method
        super().__init__(*args, **kwargs)
        if method in ("auto", "logprobs"):
            self.sampling = {**_ASKED, **self.sampling}

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One figure row to its ratings."""
        if not any(row["images"]):
            return Outcome("drop", "no_image", message="there is no image to rate")
        found = await asyncio.gather(*(self._rate(row, aspect, calls) for aspect in ASPECTS))
        for aspect, rated in zip(ASPECTS, found, strict=True):
            if isinstance(rated, Failure):
                return undecided(rated)
            if isinstance(rated, _Unrated):
                return Outcome("undecided", rated.reason, message=f"{aspect}: {rated.message}")
        ratings = {aspect: one for aspect, one in zip(ASPECTS, found, strict=True) if isinstance(one, ModelRating)}
        told = {aspect: rating.told() for aspect, rating in ratings.items()}
        scores = [rating.score for rating in ratings.values()]
        method = "+".join(dict.fromkeys(rating.method for rating in ratings.values()))
        flat = dict(zip(_FLAT, (*scores, round(sum(scores) / len(scores), 6)), strict=True))
        return self.kept(row, method, told, rating=to_json(told), rating_method=method, **flat)

    async def _rate(self, row: dict[str, Any], aspect: str, calls: Calls) -> ModelRating | _Unrated | Failure:
        def asked(draw: int) -> Request:
            return request(self.template, self.sampling, tuple(row["images"]), draw, aspect=aspect,
                           dimensions=dimensions_of(aspect), domain=spelled_out(row["domain"]))  # fmt: skip

        first = await self._read(asked(0), calls)
        if isinstance(first, Failure):
            return first
        if self.method in ("auto", "logprobs") and first.by_logprobs is not None:
            return first.by_logprobs
        if self.method == "logprobs":
            return _Unrated("no_logprobs", "no log-probabilities of levels came with the answer; try method: auto")
        if self.method == "level" or self.draws == 1:
            return _Unrated("unparsable", _PROBLEM) if first.level is None else rating_of_level(first.level)
        rest = await asyncio.gather(*(self._read(asked(draw), calls) for draw in range(1, self.draws)))
        failure = next((reading for reading in rest if isinstance(reading, Failure)), None)
        if failure is not None:
            return failure
        readings = [first, *(reading for reading in rest if isinstance(reading, _Reading))]
        return mean_of_draws([reading.level for reading in readings]) or _Unrated("unparsable", _PROBLEM)

    async def _read(self, asked: Request, calls: Calls) -> _Reading | Failure:
        """What one answer gives; where it gives nothing it is asked for once more."""
        answer = await calls.ask(asked)
        if isinstance(answer, Failure):
            return answer
        reading = self._reading(answer)
        if reading is not None:
            return reading
        follow_up = (
            *asked.messages,
            Message("assistant", answer.text),
            *render(self.repair_template, problem=_PROBLEM),
        )
        second = await calls.ask(replace(asked, messages=follow_up))
        return second if isinstance(second, Failure) else self._reading(second) or _Reading(None, None)

    def _reading(self, answer: Answer) -> _Reading | None:
        level = level_in(answer.text)
        rating = rating_by_logprobs(answer.text, answer.top_logprobs) if self.method in ("auto", "logprobs") else None
        return None if level is None and rating is None else _Reading(level, rating)
