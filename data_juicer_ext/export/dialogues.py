"""Rows as dialogues: what is asked about the images, and the answer to learn.

A pair is a question with lettered options whose answer is one letter. A rated image is asked about one aspect at a
time, and the answer is the word for its level (SIQA, sections 3.4 and 3.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.export.order import PAIRS, RATED
from data_juicer_ext.export.tokens import escape
from data_juicer_ext.siqa.dimensions import ASPECTS, dimensions_of
from data_juicer_ext.siqa.levels import LEVELS, level_name, level_of

_LETTER = "Answer with one letter."
_LEVEL = f"Answer with one word: {', '.join(reversed(LEVELS[1:]))} or {LEVELS[0]}."


@dataclass(frozen=True)
class Dialogue:
    """One exchange: `id` is unique in an export; `asked` (escaped, no placeholder) and `answer` are text."""

    id: str
    asked: str
    answer: str


def dialogues(row: Mapping[str, Any], kind: str) -> list[Dialogue]:
    """The dialogues of a row: one of a pair, one an aspect of a rated image, none of another kind."""
    row_id = str(row.get("row_id") or "")
    if kind == PAIRS:
        lettered = (f"{chr(ord('A') + place)}. {option}" for place, option in enumerate(row["options"]))
        return [Dialogue(row_id, escape("\n".join((str(row["question"]), *lettered, _LETTER))), str(row["answer"]))]
    if kind == RATED:
        return [Dialogue(f"{row_id}:{aspect}", _rate(aspect), level(row, aspect)) for aspect in ASPECTS]
    return []


def level(row: Mapping[str, Any], aspect: str) -> str:
    """The word for the level of a rated image, of its score between 1 and 5."""
    return level_name(level_of(row[f"rating_{aspect}"], 1, 5))


def _rate(aspect: str) -> str:
    named = " and ".join(name.replace("_", " ") for name in dimensions_of(aspect))
    return f"How good is this scientific image in {aspect} ({named})?\n{_LEVEL}"
