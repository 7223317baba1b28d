"""Takes one request through limits and tries until it is an answer or a failure."""

import asyncio
import random
import time
import weakref
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import openai

from data_juicer_ext.models.budget.shared_budget import Admission
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.event_loop import Closing
from data_juicer_ext.models.governor.governor_actor import limits_for
from data_juicer_ext.models.http.completion import Completion, read_completion
from data_juicer_ext.models.http.hedged_try import Copy, Race, TryOutcome
from data_juicer_ext.models.http.hedging import Hedging
from data_juicer_ext.models.http.refused_parameters import ParameterRules
from data_juicer_ext.models.http.retry import RetryDecision, backoff, decide
from data_juicer_ext.models.http.transport import Sender, Transport
from data_juicer_ext.models.limits.adaptive_concurrency import AdaptiveLimits
from data_juicer_ext.models.limits.circuit_breaker import FAILURES, Address, Breaker
from data_juicer_ext.models.ongoing_call import NOT_SENT, OngoingCall
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.types import Answer, Failure, Result

FIRST_COMPLETION_GUESS = 300.0  # tokens; later guesses follow what the endpoint really sends
MOST_CHANGES = 4  # of a request's parameters, as the endpoint asks for them


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
        self._agreed = limits_for(config, address)
        self._limits = AdaptiveLimits(self._agreed, config.max_concurrency)
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

    async def answer(self, prepared: PreparedRequest, admission: Admission | None = None) -> Result:
        """The answer to a request, or why there is none after all the tries it was worth.

        `admission` is asked once, when the request has a slot and could go out; its failure ends the call. A slot is
        held for a try only, not for the wait before the next one. A task that is cancelled while its answer is arriving
        gets that answer (see `Race`), and CancelledError when it asks for another.
        """
        self._refuse_cancelled()
        call = OngoingCall(self._config, prepared)
        while True:
            async with self._limits.slot(urgent=call.tries > 0):
                refused = await admission.admit() if admission is not None and call.tries == 0 else None
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

    async def _try(self, call: OngoingCall) -> Result | float:
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
        return call.answer(outcome)

    async def _race(self, call: OngoingCall) -> TryOutcome:
        """The outcome of one try, which goes out once more if it is slow and the endpoint is hedged."""
        race, started, task = Race(), time.monotonic(), call.prepared.request.task
        self._hedging.began()
        another = partial(self._another_copy, call) if self._hedging.on else None
        outcome = await race.run(partial(self._copy, call), another, partial(self._hedging.look, task))
        if race.cancelled and (current := asyncio.current_task()) is not None:
            self._cancelled.add(current)
        if decide(outcome) is None:
            self._hedging.answered(task, time.monotonic() - started)
            if isinstance(outcome, Completion) and race.abandoned:
                used = replace(call.used(outcome), estimated=True)
                for _ in range(race.abandoned):
                    call.usage += used
        return outcome

    async def _another_copy(self, call: OngoingCall, copy: Copy) -> TryOutcome:
        async with self._limits.slot(urgent=True):
            await self._limits.turn(self._tokens(call))
            return await self._copy(call, copy)

    async def _copy(self, call: OngoingCall, copy: Copy) -> TryOutcome:
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
        if decision is not None and decision.kind in NOT_SENT:
            return
        if decision is None or decision.verdict == "rate_limit":
            self._limits.note(refused=decision is not None, started=started)
        if decision is not None and not decision.answered:
            self._trouble = decision
        self._breaker.note(decision is None or decision.answered, started, time.monotonic())

    async def _turn(self, call: OngoingCall) -> Failure | None:
        now = time.monotonic()
        if self._breaker.refuses(now):
            text = f"{self._trouble.detail} (given up after {FAILURES} failed tries in a row)"
            return call.failure(replace(self._trouble, detail=text))
        pause = self._agreed.paused_for()
        if pause > 0 and pause >= call.left:
            text = f"asks to wait beyond the deadline of a request ({self._config.deadline:g} s)"
            return call.failure(RetryDecision("transient", "rate_limit", text))
        await self._limits.turn(self._tokens(call))
        return call.failure(call.last) if call.last is not None and call.left <= 0 else None

    async def _send(self, call: OngoingCall, copy: Copy) -> Completion:
        on_head = partial(self._head_arrived, copy)
        for _ in range(MOST_CHANGES):
            body = {**self._rules.apply(call.sampling), "model": self._config.model, "messages": call.prepared.messages}
            timeout = max(0.001, min(self._config.timeout, call.left))
            try:
                return read_completion(await self._sender.post(body, timeout, on_head))
            except openai.APIStatusError as error:
                if not self._rules.learn(error, body):
                    raise
                refusal = error
        raise refusal

    def _head_arrived(self, copy: Copy, headers: Mapping[str, str]) -> None:
        copy.arrived = True
        self._limits.told(headers)

    def _after(self, call: OngoingCall, decision: RetryDecision) -> Failure | float:
        """What follows a try that brought no answer: the failure, or the seconds to wait."""
        if decision.kind == "timeout" and call.left <= 0 and call.last is not None:
            return call.failure(call.last)  # what ailed the earlier tries says more than our own hurry
        call.last = decision
        if decision.kind == "cut_off" and decision.verdict == "no" and call.raise_token_limit():
            return 0.0
        call.unusable += decision.paid
        # Trying again where nobody is costs nothing, and the endpoint may be back before the deadline.
        now = time.monotonic()
        call.transient += decision.verdict == "transient" and not (decision.nobody and self._breaker.away(now))
        in_vain = decision.nobody and self._breaker.never_came(now)
        if decision.verdict == "no" or in_vain or call.tried_enough:
            return call.failure(decision)
        wait = max(backoff(call.tries, self._config.backoff, self._random), decision.after or 0.0)
        if decision.verdict == "rate_limit":
            self._agreed.pause(wait if decision.after is None else decision.after)
        return call.failure(decision) if wait >= call.left else wait

    def _tokens(self, call: OngoingCall) -> int:
        return call.prepared.prompt_tokens + int(self._completion_guess)

    def _count(self, call: OngoingCall, completion: Completion) -> None:
        usage = call.used(completion)
        self._agreed.count_tokens(self._tokens(call), usage.prompt_tokens + usage.completion_tokens)
        self._completion_guess += 0.1 * (usage.completion_tokens - self._completion_guess)
        call.usage += usage
