"""What goes to a model and what comes back: requests, answers and failures, all typed.

Nothing here returns an empty text for an error: a call ends as an `Answer` or as a `Failure`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

Role: TypeAlias = Literal["system", "user", "assistant"]
Verdict: TypeAlias = Literal["keep", "drop", "undecided"]

FailureKind: TypeAlias = Literal[
    "network",  # no connection, reset, name not found
    "timeout",  # a try or the whole request ran out of time
    "rate_limit",  # 429 until the deadline
    "server",  # 408, 409, 5xx
    "empty",  # a response without text
    "cut_off",  # finish_reason "length", or a body that ends too early
    "content_filter",  # the provider refused the content
    "auth",  # 401, 403, or no key
    "bad_request",  # 400, 404, 422, context too long
    "bad_image",  # an image of the request could not be read or prepared
    "storage",  # the object storage of an image can't be reached at the moment
    "budget",  # the run has spent what it may: nothing was sent
    "store",  # the answer could not be stored, or the store not be read: the run has to end
    "internal",  # a defect on this side, with the exception's text
]


@dataclass(frozen=True)
class Message:
    """One chat message: its text and the files of its images, in the order a model sees them."""

    role: Role
    text: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """One question to a model.

    `task` names the prompt template (e.g. "verisciqa/claim_extraction") and `fields` holds what the template was
    rendered with, nothing more: a rule-based model reads these instead of the prose. `sampling` goes to the provider as
    it is. `draw` tells equal requests apart (votes). `prompt_version` is the template's fingerprint.
    """

    messages: tuple[Message, ...]
    task: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    draw: int = 0
    prompt_version: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call, as the provider counted them; `estimated` where it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens, self.reasoning_tokens + other.reasoning_tokens,
            self.estimated or other.estimated,
        )  # fmt: skip


TokenChoices: TypeAlias = tuple[tuple[str, float], ...]
"""One place of an answer as (token, natural logarithm of its probability): the token that was drawn comes first,
the alternatives follow from likely to unlikely. Tokens stand as the provider spells them (" Good", "\u2581Good")."""


@dataclass(frozen=True)
class Answer:
    """A model's text. `model` is the name as the provider answered it, `seconds` includes retries.

    `image_flags` say what was done to the request's images to send them (`figures.image_preparation.ImagePart`).
    `top_logprobs` holds the first tokens of `text` (thinking left out) with their alternatives, where the request
    asked for them (sampling `logprobs` and `top_logprobs`) and the provider gives any; else it is empty.
    """

    text: str
    model: str
    finish_reason: str = "stop"
    usage: Usage = Usage()
    seconds: float = 0.0
    tries: int = 1
    from_store: bool = False
    image_flags: tuple[str, ...] = ()
    top_logprobs: tuple[TokenChoices, ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. `retryable`: the same request may succeed in a later run.

    `usage` holds the tokens of answers that were paid for and could not be used.
    """

    kind: FailureKind
    message: str
    retryable: bool
    seconds: float = 0.0
    tries: int = 1
    usage: Usage = Usage()


Result: TypeAlias = Answer | Failure


@runtime_checkable
class Model(Protocol):
    """Anything that answers requests: a client of an endpoint, or the offline model."""

    name: str

    async def ask(self, request: Request) -> Result:
        """Answer one request. Never raises for a failed call: it returns a `Failure`."""
        ...
