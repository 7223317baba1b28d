"""One call on its way: what was tried so far, what it took, and how it ends."""

import time
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.http.messages import CHARACTERS_PER_TOKEN
from data_juicer_ext.models.http.retry import RetryDecision
from data_juicer_ext.models.http.transport import redact
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.types import Answer, Failure, FailureKind, Usage

# Tries of one request that were generated, and probably charged, but of no use (no text, broken
# JSON): retrying those until the deadline could multiply the price of a run.
PAID_TRIES = 4
TOKEN_LIMITS = ("max_completion_tokens", "max_tokens")
NOT_SENT: tuple[FailureKind, ...] = ("bad_image", "internal")


@dataclass
class OngoingCall:
    """A request on its way to the endpoint of `config`. `started` (monotonic, 0.0: not yet) begins its deadline.

    `tries` counts copies that went out, `transient` and `unusable` those that came to nothing, `usage` the tokens
    of all. `sampling` is the request's own until its token limit is raised.
    """

    config: EndpointConfig
    prepared: PreparedRequest
    started: float = 0.0
    tries: int = 0
    transient: int = 0
    unusable: int = 0
    usage: Usage = field(default_factory=Usage)
    last: RetryDecision | None = None
    limit_raised: bool = False
    sampling: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.sampling = dict(self.prepared.request.sampling)

    @property
    def seconds(self) -> float:
        """Since the first try went out."""
        return time.monotonic() - self.started if self.started else 0.0

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.config.deadline - self.seconds

    @property
    def tried_enough(self) -> bool:
        """Whether another try is worth neither time nor money."""
        return self.transient >= self.config.max_tries or self.unusable >= PAID_TRIES

    def used(self, completion: Completion) -> Usage:
        """The tokens of one response; estimated where the provider counted none."""
        if completion.usage is not None:
            return completion.usage
        return Usage(self.prepared.prompt_tokens, completion.raw_length // CHARACTERS_PER_TOKEN, estimated=True)

    def raise_token_limit(self) -> bool:
        """Double the token limit, once; False where it was done or there is none."""
        if self.limit_raised:
            return False
        for name in TOKEN_LIMITS:
            if isinstance(self.sampling.get(name), int):
                self.sampling[name] *= 2
                self.limit_raised = True
        return self.limit_raised

    def answer(self, completion: Completion) -> Answer:
        """The call's answer."""
        return Answer(
            text=completion.text, model=completion.model or self.config.model, finish_reason=completion.finish_reason,
            usage=self.usage, seconds=self.seconds, tries=self.tries, top_logprobs=completion.top_logprobs,
        )  # fmt: skip

    def failure(self, decision: RetryDecision) -> Failure:
        """The call's end without an answer."""
        subject = "" if decision.kind in NOT_SENT else f"endpoint {self.config.endpoint} "
        return Failure(
            kind=decision.kind,
            message=redact(subject + decision.detail, self.config.key()),
            retryable=decision.retryable,
            seconds=self.seconds,
            tries=self.tries,
            usage=self.usage,
        )
