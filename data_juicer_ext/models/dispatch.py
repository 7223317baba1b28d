"""Takes one request through limits and tries until it is an answer or a failure."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field, replace
from typing import Any

from data_juicer_ext.models.breaker import FAILURES, Breaker
from data_juicer_ext.models.completion import Completion, read_completion
from data_juicer_ext.models.endpoint import EndpointConfig
from data_juicer_ext.models.limits import Limits
from data_juicer_ext.models.loop import Closing, shared
from data_juicer_ext.models.messages import (
    CHARACTERS_A_TOKEN,
    DataUrls,
    chat_messages,
    image_files,
    prompt_tokens,
)
from data_juicer_ext.models.retry import Decision, backoff, decide
from data_juicer_ext.models.transport import Transport, redact
from data_juicer_ext.models.types import Answer, Failure, FailureKind, Request, Result, Usage

# Tries of one request that were generated, and probably charged, but of no use (no text, broken
# JSON): retrying those until the deadline could multiply the price of a run.
PAID_TRIES = 4
TOKEN_LIMITS = ("max_completion_tokens", "max_tokens")
FIRST_COMPLETION_GUESS = 300.0  # tokens; later guesses follow what the endpoint really sends
_NOT_SENT: tuple[FailureKind, ...] = ("bad_image", "internal")


@dataclass
class _Call:
    """One request on its way: what was tried so far, and what it took."""

    request: Request
    sampling: dict[str, Any]
    prompt_tokens: int
    started: float = 0.0
    tries: int = 0
    transient: int = 0
    unusable: int = 0
    limit_raised: bool = False
    usage: Usage = field(default_factory=Usage)
    last: Decision | None = None


class Dispatcher(Closing):
    """Everything that one process keeps for one endpoint: connections, limits, circuit breaker."""

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._limits = Limits(config.max_concurrency, config.requests_per_minute, config.tokens_per_minute)
        self._breaker = Breaker(config.deadline)
        self._transport = Transport(config)
        self._trouble = Decision("transient", "network", "does not answer", answered=False)
        self._random = random.Random()
        self._completion_guess = FIRST_COMPLETION_GUESS

    async def close(self) -> None:
        await self._transport.close()

    async def answer(self, request: Request) -> Result:
        """The answer to `request`, or why there is none after all the tries it was worth.

        A slot is held for a try only, not for the wait before the next one.
        """
        call = _Call(request, dict(request.sampling), prompt_tokens(request))
        while True:
            async with self._limits.slot(urgent=call.tries > 0):
                outcome = await self._try(call)
            if isinstance(outcome, Answer | Failure):
                return outcome
            await asyncio.sleep(outcome)

    async def _try(self, call: _Call) -> Result | float:
        """One try: an answer, a final failure, or the seconds until the next try."""
        refused = await self._turn(call)
        if refused is not None:
            return refused
        started = time.monotonic()
        call.started = call.started or started
        call.tries += 1
        outcome: Completion | Exception
        try:
            outcome = await self._send(call)
        except Exception as error:  # whatever it is, `decide` names it; it must not leave this call
            outcome = error
        decision = decide(outcome)
        self._note(decision, started)
        if isinstance(outcome, Completion):
            self._count(call, outcome)
            if decision is None:
                return self._done(call, outcome)
        assert decision is not None
        return self._after(call, decision)

    def _note(self, decision: Decision | None, started: float) -> None:
        """Tell the circuit breaker how a try ended."""
        if decision is not None and decision.kind in _NOT_SENT:
            return
        if decision is not None and not decision.answered:
            self._trouble = decision
        self._breaker.note(decision is None or decision.answered, started, time.monotonic())

    async def _turn(self, call: _Call) -> Failure | None:
        """Wait for the limits; a failure where the wait is not worth it."""
        now = time.monotonic()
        if self._breaker.refuses(now):
            text = f"{self._trouble.detail} (given up after {FAILURES} failed tries in a row)"
            return self._failure(call, replace(self._trouble, detail=text))
        pause = self._limits.paused_for()
        if pause > 0 and pause >= self._left(call):
            text = f"asks to wait beyond the deadline of a request ({self._config.deadline:g} s)"
            return self._failure(call, Decision("transient", "rate_limit", text))
        await self._limits.turn(call.prompt_tokens + int(self._completion_guess))
        if call.last is not None and self._left(call) <= 0:
            return self._failure(call, call.last)
        return None

    async def _send(self, call: _Call) -> Completion:
        urls = shared("data_urls", DataUrls)
        limits = self._config.image_limits
        images = {path: await urls.get(path, limits) for path in image_files(call.request)}
        body = {
            **call.sampling,
            "model": self._config.model,
            "messages": chat_messages(call.request, images),
        }
        timeout = min(self._config.timeout, self._left(call))
        return read_completion(await self._transport.post(body, max(timeout, 0.001)))

    def _after(self, call: _Call, decision: Decision) -> Failure | float:
        """What follows a try that brought no answer: the failure, or the seconds to wait."""
        if decision.kind == "timeout" and self._left(call) <= 0 and call.last is not None:
            return self._failure(call, call.last)  # what ailed the earlier tries says more than our own hurry
        call.last = decision
        if decision.kind == "cut_off" and decision.verdict == "no" and _raise_token_limit(call):
            return 0.0
        call.unusable += decision.paid
        call.transient += decision.verdict == "transient"
        tried_enough = call.transient >= self._config.max_tries or call.unusable >= PAID_TRIES
        if decision.verdict == "no" or tried_enough:
            return self._failure(call, decision)
        wait = max(backoff(call.tries, self._config.backoff, self._random), decision.after or 0.0)
        if decision.verdict == "rate_limit":
            self._limits.pause(wait if decision.after is None else decision.after)
        return self._failure(call, decision) if wait >= self._left(call) else wait

    def _left(self, call: _Call) -> float:
        """Seconds until the request's deadline."""
        spent = time.monotonic() - call.started if call.started else 0.0
        return self._config.deadline - spent

    def _count(self, call: _Call, completion: Completion) -> None:
        usage = completion.usage
        if usage is None:
            usage = Usage(call.prompt_tokens, completion.raw_length // CHARACTERS_A_TOKEN, estimated=True)
        reserved = call.prompt_tokens + int(self._completion_guess)
        self._limits.count_tokens(reserved, usage.prompt_tokens + usage.completion_tokens)
        self._completion_guess += 0.1 * (usage.completion_tokens - self._completion_guess)
        call.usage = _sum(call.usage, usage)

    def _done(self, call: _Call, completion: Completion) -> Answer:
        return Answer(
            text=completion.text,
            model=completion.model or self._config.model,
            finish_reason=completion.finish_reason,
            usage=call.usage,
            seconds=time.monotonic() - call.started,
            tries=call.tries,
        )

    def _failure(self, call: _Call, decision: Decision) -> Failure:
        subject = "" if decision.kind in _NOT_SENT else f"endpoint {self._config.endpoint} "
        return Failure(
            kind=decision.kind,
            message=redact(subject + decision.detail, self._config.key()),
            retryable=decision.retryable,
            seconds=time.monotonic() - call.started if call.started else 0.0,
            tries=call.tries,
            usage=call.usage,
        )


def _raise_token_limit(call: _Call) -> bool:
    """Double the request's token limit, once; False where it was done or there is none."""
    if call.limit_raised:
        return False
    for name in TOKEN_LIMITS:
        if isinstance(call.sampling.get(name), int):
            call.sampling[name] *= 2
            call.limit_raised = True
    return call.limit_raised


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
        first.cached_tokens + second.cached_tokens,
        first.reasoning_tokens + second.reasoning_tokens,
        first.estimated or second.estimated,
    )
