"""The response store: every paid answer is on disk before it is used.

This module says what a store is and holds what its two kinds share. `sqlite` serves one
machine, `segments.store` a folder that an actor owns. Both keep the answer whole, with what is
needed to parse it again without paying, and know it by `request_key`.
"""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Generic, TypeVar

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.types import Answer, Usage

T = TypeVar("T")

SCHEMA_VERSION = 1
_KEY = re.compile(r"[0-9a-f]{64}\Z")


class StoreError(DjExtError, OSError):
    """The response store cannot be read or written; the text says why and what to do."""


@dataclass(frozen=True)
class Stored:
    """One stored answer. `created` is in seconds since 1970.

    `about` says what it was asked for: `task`, `prompt_version`, `endpoint`, `model` (as asked for) and `sampling`.
    """

    key: str
    answer: Answer
    about: Mapping[str, Any]
    created: float

    def said(self, name: str) -> str:
        """What `about` says under `name`, "" if nothing."""
        return str(self.about.get(name) or "")


@dataclass(frozen=True)
class Selection:
    """Which stored answers are meant: all of the given criteria must hold, empty ones are none.

    `before`: created before that time (seconds since 1970). `model`: as asked for or as answered.
    """

    before: float | None = None
    model: str = ""
    task: str = ""

    def takes(self, stored: Stored) -> bool:
        """Whether `stored` is selected."""
        return (
            (self.before is None or stored.created < self.before)
            and (not self.model or self.model in (stored.answer.model, stored.said("model")))
            and (not self.task or self.task == stored.said("task"))
        )


@dataclass(frozen=True)
class GroupStats:
    """The stored answers of one model (as answered) for one task, with the tokens they took."""

    model: str
    task: str
    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def plus(self, answer: Answer) -> "GroupStats":
        """The group with one more answer."""
        usage = answer.usage
        return replace(
            self,
            answers=self.answers + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt_tokens,
            completion_tokens=self.completion_tokens + usage.completion_tokens,
            cached_tokens=self.cached_tokens + usage.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + usage.reasoning_tokens,
        )


@dataclass(frozen=True)
class StoreStats:
    """What a store holds. `size` is in bytes on disk; the times are 0.0 for an empty store."""

    answers: int = 0
    size: int = 0
    oldest: float = 0.0
    newest: float = 0.0
    groups: tuple[GroupStats, ...] = field(default=())


def check_key(key: str) -> str:
    """`key`, or ValueError if it is none that `request_key` gives."""
    if not _KEY.match(key):
        raise ValueError(f"{key!r} is no request key: 64 hexadecimal digits are")
    return key


def answer_fields(answer: Answer) -> dict[str, Any]:
    """What is stored of an answer: all that came back, without what hangs on how it is asked for."""
    value = asdict(answer)
    del value["from_store"], value["image_flags"]
    if not answer.top_logprobs:  # most answers have none, and no store of an earlier version holds the key
        del value["top_logprobs"]
    return value


def answer_to_json(answer: Answer) -> str:
    """What is stored of an answer, as ASCII JSON that keeps every character."""
    return json.dumps(answer_fields(answer))


def answer_from_json(value: Mapping[str, Any]) -> Answer:
    """The answer in a decoded JSON object. Raises KeyError, TypeError or ValueError for another shape."""
    places = tuple(
        tuple((str(token), float(logprob)) for token, logprob in place) for place in value.get("top_logprobs", ())
    )
    return Answer(**{**value, "usage": Usage(**value["usage"]), "top_logprobs": places}, from_store=True)


def about_to_json(about: Mapping[str, Any]) -> str:
    """What an answer was asked for, as ASCII JSON; values that JSON lacks become their text.

    The answer is paid for: nothing beside it may be a reason not to store it.
    """
    return json.dumps(dict(about), default=str, skipkeys=True)


class PerProcess(Generic[T]):
    """One value per process: a forked child makes its own and leaves its parent's untouched.

    Neither threads, locks nor database connections survive a fork. `make` must be cheap and open
    nothing, since two threads may call it at once and only one result is kept.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: dict[int, T] = {}

    def get(self) -> T:
        """This process's value."""
        pid = os.getpid()
        value = self._values.get(pid)
        return self._values.setdefault(pid, self._make()) if value is None else value


class GroupCommit(Generic[T]):
    """Writes items from many threads and event loops, all that wait at once in one commit.

    One thread writes; whatever arrives during a commit goes into the next one, so that the cost of
    forcing data to disk is shared without any waiting for company.
    """

    def __init__(self, write: Callable[[list[T]], None]) -> None:
        self._write = write
        self._waiting: list[tuple[T, Future[None]]] = []
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, item: T) -> Future[None]:
        """Have `item` written; the future is done when it is on disk, or holds what went wrong."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # so that a cancelled waiter cannot take it back
        with self._wake:
            if self._closed:
                raise StoreError("the response store was closed")
            self._waiting.append((item, future))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="dj-ext-store", daemon=True)
                self._thread.start()
            self._wake.notify()
        return future

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._waiting and not self._closed:
                    self._wake.wait()
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            self._commit(batch)

    def _commit(self, batch: list[tuple[T, Future[None]]]) -> None:
        try:
            self._write([item for item, _ in batch])
        except Exception as error:
            for _, future in batch:
                future.set_exception(error)
        else:
            for _, future in batch:
                future.set_result(None)

    def close(self) -> None:
        """Write what waits, then end the thread. May be called twice."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
