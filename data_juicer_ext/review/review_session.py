"""What the page talks to: it starts annotators, hands out items under opaque ids, and takes their answers."""

import hashlib
import hmac
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.ratings.line_file import number_in
from data_juicer_ext.ratings.rating_file import Rating, RatingsFile, ratings_path
from data_juicer_ext.review.annotators import annotator_name
from data_juicer_ext.review.forms.form import FormError
from data_juicer_ext.review.live_agreement import Alpha, alphas
from data_juicer_ext.rows import scrub

T = TypeVar("T")
MOST_ANNOTATORS = 500
LONGEST_REASON = 4000  # characters
_LONGEST_LOOK = 86_400.0  # seconds


class UnknownItemError(DjExtError, LookupError):
    """There is no such item, or no such image of it."""


class LockedError(FormError):
    """What was answered cannot be changed any more."""


@dataclass(frozen=True)
class ShownItem(Generic[T]):
    """An item as one annotator has it: at a position of their list, and in a round of the calibration (0: none)."""

    annotator: str
    item: T
    position: int
    round: int = 0


class Desk(ABC, Generic[T]):
    """One review of a run. Its public methods may be called by several threads.

    `run_dir` gets the folder `review`; `preset` is the annotator that the page starts with ("": it asks).
    """

    mode: ClassVar[str]
    form_name: str
    title: str

    def __init__(self, run_dir: Path, preset: str = "") -> None:
        self.preset = annotator_name(preset) if preset else ""
        self._ratings = RatingsFile(ratings_path(run_dir))
        self._shown: dict[str, ShownItem[T]] = {}
        self._started: set[str] = set()
        self._key = secrets.token_bytes(32)
        self._lock = threading.RLock()

    def about(self) -> dict[str, Any]:
        """What the page is told before anybody has given a name."""
        return {"mode": self.mode, "title": self.title, "annotator": self.preset}

    def start(self, name: object) -> dict[str, Any]:
        """An annotator's list of items, each with whether it is done. Raises FormError for no proper name."""
        with self._lock:
            annotator = annotator_name(name, sorted({key[0] for key in self._ratings.latest()} | self._started))
            if annotator not in self._started and len(self._started) >= MOST_ANNOTATORS:
                raise FormError(f"More than {MOST_ANNOTATORS} annotators: start the server anew.")
            self._started.add(annotator)
            return {"annotator": annotator, **self._list(annotator)}

    def item(self, token: str) -> dict[str, Any]:
        """An item with the annotator's own answer. Raises UnknownItemError."""
        with self._lock:
            shown = self._known(token)
            return {"id": token, "position": shown.position, **self._view(shown)}

    def image(self, token: str, index: int) -> str:
        """The file of an item's image, in the order in which the page shows them. Raises UnknownItemError."""
        with self._lock:
            images = self._images(self._known(token))
        if not 0 <= index < len(images):
            raise UnknownItemError("no such image")
        return images[index]

    def save(self, token: str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Store an answer; what the page has to know then. Raises UnknownItemError, FormError, OSError."""
        with self._lock:
            return self._save(self._known(token), answer)

    def agreement(self) -> list[Alpha]:
        """How far annotators agree so far: counts and alphas, nothing of a single item."""
        with self._lock:
            mine = [rating for rating in self._ratings.latest().values() if rating.form == self.form_name]
        return alphas(mine)

    @abstractmethod
    def _list(self, annotator: str) -> dict[str, Any]: ...

    @abstractmethod
    def _view(self, shown: ShownItem[T]) -> dict[str, Any]: ...

    @abstractmethod
    def _images(self, shown: ShownItem[T]) -> tuple[str, ...]: ...

    @abstractmethod
    def _save(self, shown: ShownItem[T], answer: Mapping[str, Any]) -> dict[str, Any]: ...

    def _issue(self, shown: ShownItem[T], row_id: str) -> str:
        """An id that tells nothing, and is another one for each annotator."""
        named = "\x1f".join((shown.annotator, str(shown.round), row_id)).encode("utf-8", "replace")
        token = hmac.new(self._key, named, hashlib.sha256).hexdigest()[:24]
        self._shown[token] = shown
        return token

    def _known(self, token: str) -> ShownItem[T]:
        if token not in self._shown:
            raise UnknownItemError("This item is not known: the server was started anew. Reload the page.")
        return self._shown[token]

    def _rating_of(self, annotator: str, row_id: str) -> Rating | None:
        return self._ratings.latest().get((annotator, self.form_name, row_id))


def reason_of(answer: Mapping[str, Any], needed: bool) -> str:
    """The reason in an answer. Raises FormError where it is needed and says nothing, or is too long."""
    reason = answer.get("reason")
    text = scrub(reason).strip() if isinstance(reason, str) else ""
    if needed and not any(map(str.isalnum, text)):
        raise FormError("A reason is needed: what do you see, or read, that makes you say so?")
    if len(text) > LONGEST_REASON:
        raise FormError(f"The reason has {len(text):,} characters; at most {LONGEST_REASON:,} are taken.")
    return text


def seconds_of(answer: Mapping[str, Any]) -> float:
    """How long an item was looked at, as the page measured it; 0 where it did not."""
    seconds = number_in(answer, "seconds") or 0.0
    return round(seconds, 1) if 0 <= seconds <= _LONGEST_LOOK else 0.0
