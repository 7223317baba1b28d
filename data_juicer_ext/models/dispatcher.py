"""Takes one request through limits and tries until it is an answer or a failure."""

from __future__ import annotations

import asyncio
import random
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import openai

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.event_loop import Closing, shared
from data_juicer_ext.models.governor.ray_actor import limits_for
from data_juicer_ext.models.http.completion import Completion, read_completion
from data_juicer_ext.models.http.hedged_try import Copy, Race, TryOutcome
from data_juicer_ext.models.http.hedging import Hedging
from data_juicer_ext.models.http.messages import (
    CHARACTERS_A_TOKEN,
    DataUrls,
    chat_messages,
    image_files,
    prompt_tokens,
)
from data_juicer_ext.models.http.refused_parameters import ParameterRules
from data_juicer_ext.models.http.retry import RetryDecision, backoff, decide
from data_juicer_ext.models.http.transport import Sender, Transport, redact
from data_juicer_ext.models.limits.adaptive_concurrency import AdaptiveLimits
from data_juicer_ext.models.limits.circuit_breaker import FAILURES, Address, Breaker
from data_juicer_ext.models.types import Answer, Failure, FailureKind, Request, Result, Usage

# Tries of one request that were generated, and probably charged, but of no use (no text, broken
# JSON): retrying those until the deadline could multiply the price of a run.
PAID_TRIES = 4
TOKEN_LIMITS = ("max_completion_tokens", "max_tokens")
FIRST_COMPLETION_GUESS = 300.0  # tokens; later guesses follow what the endpoint really sends
MOST_CHANGES = 4  # of a request's parameters, as the endpoint asks for them
_NOT_SENT: tuple[FailureKind, ...] = ("bad_image", "internal")


Admit: TypeAlias = Callable[[], Awaitable[Failure | None]]
"""Asked whether a call may go out; the failure says why not."""


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
    last: RetryDecision | None = None


def make_sender(config: EndpointConfig) -> Sender:
    """What takes requests to the endpoint of `config`."""
    if config.backend == "litellm":
        from data_juicer_ext.models.http.litellm_backend import LiteLLMSender

        return LiteLLMSender(config)
    return Transport(config)


class Dispatcher(Closing):
    """Everything that one process keeps for one endpoint: connections, limits, circuit breaker.

    `address`: what it shares with other endpoints of the process at the same address, if there are any.
    """

    def __init__(self, config: EndpointConfig, address: Address | None = None) -> None:
        self._config = config
        address = address or Address()
        self._limits = AdaptiveLimits(limits_for(config, address), config.max_concurrency)
        self._hedging = Hedging(config.hedge, burst=config.max_concurrency / 4)
        self._breaker = Breaker(config.deadline, address)
        self._sender = make_sender(config)
        self._rules = ParameterRules(config.model)
        self._trouble = RetryDecision("transient", "network", "does not answer", answered=False)
        self._random = random.Random()
        self._completion_guess = FIRST_COMPLETION_GUESS
        self._cancelled: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    async def close(self) -> None:
        await self._sender.close()

    async def answer(self, request: Request, admit: Admit | None = None) -> Result:
        """The answer to `request`, or why there is none after all the tries it was worth.

        `admit` is asked once, when the request has a slot and could go out; its failure ends the call.
        A slot is held for a try only, not for the wait before the next one. A task that is cancelled
        while its answer is arriving gets that answer (see `race`), and CancelledError when it asks
        for another.
        """
        self._refuse_cancelled()
        call = _Call(request, dict(request.sampling), prompt_tokens(request))
        while True:
            async with self._limits.slot(urgent=call.tries > 0):
                refused = await admit() if admit is not None and call.tries == 0 else None
                outcome = refused or await self._try(call)
            if isinstance(outcome, Answer | Failure):
                return outcome
            await asyncio.sleep(outcome)

    def _refuse_cancelled(self) -> None:
        task = asyncio.current_task()
        if task is not None and task in self._cancelled:
            cancelling = getattr(task, "cancelling", None)  # since Python 3.11: 0 once a time-out was dealt with
            if cancelling is None or cancelling() > 0:
                raise asyncio.CancelledError
            self._cancelled.discard(task)

    async def _try(self, call: _Call) -> Result | float:
        """One try: an answer, a final failure, or the seconds until the next try."""
        refused = await self._turn(call)
        if refused is not None:
            return refused
        call.started = call.started or time.monotonic()
        outcome = await self._race(call)
        decision = decide(outcome)
        if decision is not None:
            return self._after(call, decision)
        assert isinstance(outcome, Completion)
        return self._done(call, outcome)

    async def _race(self, call: _Call) -> TryOutcome:
        """The outcome of one try, which goes out once more if it is slow and the endpoint is hedged."""
        race, started, task = Race(), time.monotonic(), call.request.task
        self._hedging.began()

        async def first(copy: Copy) -> TryOutcome:
            return await self._copy(call, copy)

        async def another(copy: Copy) -> TryOutcome:
            async with self._limits.slot(urgent=True):
                await self._limits.turn(self._tokens(call))
                return await self._copy(call, copy)

        hedged = another if self._hedging.on else None
        outcome = await race.run(first, hedged, lambda elapsed: self._hedging.look(task, elapsed))
        if race.cancelled and (current := asyncio.current_task()) is not None:
            self._cancelled.add(current)
        if decide(outcome) is None:
            self._hedging.answered(task, time.monotonic() - started)
            if isinstance(outcome, Completion) and race.abandoned:
                used = replace(self._used(call, outcome), estimated=True)
                for _ in range(race.abandoned):
                    call.usage = _sum(call.usage, used)
        return outcome

    async def _copy(self, call: _Call, copy: Copy) -> TryOutcome:
        """Send the request once, and tell limits and circuit breaker how that went."""
        started = time.monotonic()
        call.tries += 1
        copy.sent_at = started
        outcome: TryOutcome
        try:
            outcome = await self._send(call, copy)
        except Exception as error:  # whatever it is, `decide` names it; it must not leave this call
            outcome = error
        decision = decide(outcome)
        self._note(decision, started)
        if isinstance(outcome, Completion):
            self._count(call, outcome)
        return outcome

    def _note(self, decision: RetryDecision | None, started: float) -> None:
        if decision is not None and decision.kind in _NOT_SENT:
            return
        if decision is None or decision.verdict == "rate_limit":
            self._limits.note(refused=decision is not None, started=started)
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
            return self._failure(call, RetryDecision("transient", "rate_limit", text))
        await self._limits.turn(self._tokens(call))
        if call.last is not None and self._left(call) <= 0:
            return self._failure(call, call.last)
        return None

    async def _send(self, call: _Call, copy: Copy) -> Completion:
        urls = shared("data_urls", DataUrls)
        limits = self._config.image_limits
        images = {path: await urls.get(path, limits) for path in image_files(call.request)}
        messages = chat_messages(call.request, images)

        def on_head(headers: Mapping[str, str]) -> None:
            copy.arrived = True
            self._limits.told(headers)

        for _ in range(MOST_CHANGES):
            body = {**self._rules.apply(call.sampling), "model": self._config.model, "messages": messages}
            timeout = max(0.001, min(self._config.timeout, self._left(call)))
            try:
                return read_completion(await self._sender.post(body, timeout, on_head))
            except openai.APIStatusError as error:
                if not self._rules.learn(error, body):
                    raise
                refusal = error
        raise refusal

    def _after(self, call: _Call, decision: RetryDecision) -> Failure | float:
        """What follows a try that brought no answer: the failure, or the seconds to wait."""
        if decision.kind == "timeout" and self._left(call) <= 0 and call.last is not None:
            return self._failure(call, call.last)  # what ailed the earlier tries says more than our own hurry
        call.last = decision
        if decision.kind == "cut_off" and decision.verdict == "no" and _raise_token_limit(call):
            return 0.0
        call.unusable += decision.paid
        # Trying again where nobody is costs nothing, and the endpoint may be back before the deadline.
        now = time.monotonic()
        call.transient += decision.verdict == "transient" and not (decision.nobody and self._breaker.away(now))
        in_vain = decision.nobody and self._breaker.never_came(now)
        tried_enough = in_vain or call.transient >= self._config.max_tries or call.unusable >= PAID_TRIES
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

    def _tokens(self, call: _Call) -> int:
        """About how many tokens the call will take."""
        return call.prompt_tokens + int(self._completion_guess)

    def _used(self, call: _Call, completion: Completion) -> Usage:
        if completion.usage is not None:
            return completion.usage
        return Usage(call.prompt_tokens, completion.raw_length // CHARACTERS_A_TOKEN, estimated=True)

    def _count(self, call: _Call, completion: Completion) -> None:
        usage = self._used(call, completion)
        self._limits.count_tokens(self._tokens(call), usage.prompt_tokens + usage.completion_tokens)
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
            top_logprobs=completion.top_logprobs,
        )

    def _failure(self, call: _Call, decision: RetryDecision) -> Failure:
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
