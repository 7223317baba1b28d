"""What a form is: stages that show something of a row and ask for scores."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import yaml

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.rows import Row

TEXT_LIMIT = 6000  # characters of one text that a page shows
Values = dict[str, int]


class FormError(DjExtError, ValueError):
    """An answer that does not fit its form; the text is for the person who gave it."""


@dataclass(frozen=True)
class FormQuestion:
    """One thing to score, from `low` to `high`. `levels` name scores, `anchors` describe them ("1", "9-10")."""

    key: str
    title: str
    question: str
    low: int
    high: int
    levels: Mapping[int, str] = field(default_factory=dict)
    anchors: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def shown(self) -> dict[str, Any]:
        """What the page needs of it."""
        return {"key": self.key, "title": self.title, "question": self.question, "low": self.low, "high": self.high,
                "levels": {str(score): text for score, text in self.levels.items()},
                "anchors": [list(anchor) for anchor in self.anchors.items()], "note": self.note}  # fmt: skip


@dataclass(frozen=True)
class FormStage:
    """What is shown from this stage on (`blocks`, beside what stages before it show), and asked at it."""

    name: str
    blocks: Sequence[dict[str, Any]]
    asks: Sequence[FormQuestion]
    needs_reason: bool = False

    def checked(self, values: Any) -> Values:
        """The scores of an answer. Raises FormError unless there is one in range for each thing asked."""
        given = values if isinstance(values, dict) else {}
        if missing := [ask.title for ask in self.asks if given.get(ask.key) is None]:
            raise FormError(f"Not rated yet: {', '.join(missing)}")
        if set(given) != {ask.key for ask in self.asks}:
            raise FormError("The answer rates something that was not asked.")
        for ask in self.asks:
            score = given[ask.key]
            if type(score) is not int or not ask.low <= score <= ask.high:
                raise FormError(f"{ask.title}: give a whole number from {ask.low} to {ask.high}.")
        return {ask.key: given[ask.key] for ask in self.asks}


class Form(ABC):
    """How rows are rated. Nothing that it shows tells where a row is from, or what any model said of it.

    `side` is +1 or -1: on which side the first image is shown, for the form that shows two; others do not look at it.
    """

    name: ClassVar[str]
    pair: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """The page's heading."""
        return str(texts(self.name)["title"])

    @property
    def intro(self) -> str:
        """What raters are told first."""
        return str(texts(self.name)["intro"])

    def takes(self, row: Row) -> bool:
        """Whether a row can be rated."""
        return bool(images_of(row))

    @abstractmethod
    def stages(self, row: Row) -> Sequence[FormStage]:
        """The stages of a row, at least one."""

    def stored(self, row: Row, values: Values, side: int) -> dict[str, Any]:
        """The `ratings` of a whole answer."""
        return dict(values)

    def given(self, row: Row, ratings: Mapping[str, Any], side: int) -> Values:
        """The answer that stored ratings stand for; what does not fit is left out."""
        keys = {ask.key for stage in self.stages(row) for ask in stage.asks}
        return {key: value for key, value in ratings.items() if key in keys and type(value) is int}


def images_of(row: Row) -> tuple[str, ...]:
    """The image files that a row names."""
    images = row.get("images")
    return tuple(str(image) for image in images if image) if isinstance(images, (list, tuple)) else ()


def text_block(title: str, text: Any) -> list[dict[str, Any]]:
    """A block of text; none where there is no text."""
    shown = shown_text(text or "", TEXT_LIMIT)
    return [{"kind": "text", "title": title, "text": shown}] if shown.strip() else []


def asks(form: str, low: int, high: int) -> dict[str, FormQuestion]:
    """The dimensions of a form."""
    about = texts(form)
    levels = about.get("levels") or {}
    return {
        key: FormQuestion(
            key, told["title"], told["question"], low, high, levels,
            {str(score): text for score, text in (told.get("anchors") or {}).items()}, told.get("note") or "",
        )
        for key, told in about["dimensions"].items()
    }  # fmt: skip


@cache
def texts(form: str) -> dict[str, Any]:
    """The words of a form."""
    return dict(yaml.safe_load((Path(__file__).parent / "texts.yaml").read_text(encoding="utf-8"))[form])
