"""What a row will send: the prompts of every step, rendered as in a run, and sent nowhere.

The first step that calls a model sees the real row. Later ones see it as it would be then, with a
text of assumed length in the place of a claim, question or option; all else in their prompts is real.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.estimate.image_tokens import ImageRule, rule_for, sent_size
from data_juicer_ext.estimate.intervals import Numbers
from data_juicer_ext.estimate.recipe_steps import RecipeStep
from data_juicer_ext.models.http.messages import CHARACTERS_PER_TOKEN
from data_juicer_ext.models.types import Failure, Request, Result
from data_juicer_ext.ops.base.model_op import ModelOp

_UNSENT = Failure("budget", "an estimate sends nothing", retryable=True, tries=0)


class _Listener:
    """A model that keeps what it is asked, and answers nothing."""

    name = "nobody"

    def __init__(self) -> None:
        self.heard: list[Request] = []

    async def ask(self, request: Request) -> Result:
        """Keep the request."""
        self.heard.append(request)
        return _UNSENT


@dataclass(frozen=True)
class Rehearsed:
    """Calls and prompt tokens that one row takes at each step it reaches: a row each, one column per step.

    `text` and `images` are tokens. `assumed` says what was taken for granted; `silent` names the steps
    whose prompts could not be rendered.
    """

    calls: Numbers
    text: Numbers
    images: Numbers
    assumed: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def tokens(self) -> Numbers:
        """Tokens of text and images together."""
        return self.text + self.images


def rehearse(
    steps: Sequence[RecipeStep], rows: Sequence[Mapping[str, Any]], characters: Mapping[str, int]
) -> Rehearsed:
    """What each of `rows`, as they reach the first of `steps`, would send at every one of these."""
    return asyncio.run(_all(steps, rows, characters))


async def _all(
    steps: Sequence[RecipeStep], rows: Sequence[Mapping[str, Any]], characters: Mapping[str, int]
) -> Rehearsed:
    shape = (len(rows), len(steps))
    calls, text, images = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    assumed, silent = dict[str, None](), dict[str, None]()
    sizes = dict[tuple[str, int], tuple[int, int] | None]()
    for number, given in enumerate(rows):
        row = dict(given)
        for place, step in enumerate(steps):
            requests = await _requests(step, row)
            if requests is None:
                silent[step.tag] = None
            elif requests and step.endpoint is not None:
                rule = rule_for(step.endpoint, step.op.sampling)
                calls[number, place] = len(requests)
                text[number, place] = sum(map(_text_tokens, requests))
                images[number, place] = sum(_image_tokens(request, step, rule, sizes) for request in requests)
                assumed |= {rule.assumed: None} if images[number, place] and rule.assumed else {}
            row = _after(step, row, characters)
    return Rehearsed(calls, text, images, tuple(assumed), tuple(silent))


async def _requests(step: RecipeStep, row: dict[str, Any]) -> list[Request] | None:
    """What a row would send at a step, as far as that hangs on no answer; None where it can't be told."""
    if step.endpoint is None:
        return []
    listener = _Listener()
    try:
        await step.op.rehearse(row, Calls(listener, step.endpoint))
    except Exception:  # the row lacks what an operator that is not known here would have made of it
        return listener.heard or None
    return listener.heard


def _text_tokens(request: Request) -> int:
    """The client's own estimate of a request's text (`models.messages.prompt_tokens`)."""
    return sum(len(message.text) for message in request.messages) // CHARACTERS_PER_TOKEN + 1


def _image_tokens(
    request: Request, step: RecipeStep, rule: ImageRule, sizes: dict[tuple[str, int], tuple[int, int] | None]
) -> float:
    longest, tokens = step.op.endpoint.max_image_side, 0.0
    for message in request.messages:
        for path in message.images:
            key = path, longest
            if key not in sizes:
                sizes[key] = sent_size(*key)
            size = sizes[key]
            tokens += rule.rule(*size) if size is not None else 0.0
    return tokens


def _after(step: RecipeStep, row: dict[str, Any], characters: Mapping[str, int]) -> dict[str, Any]:
    if not isinstance(step.op, ModelOp):
        return row
    try:
        return step.op.row_after(row, characters)
    except (KeyError, ValueError):  # the dataset's rows are of another kind: later steps say so
        return row
