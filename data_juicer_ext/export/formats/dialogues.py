"""Rows as dialogues: what is asked about the images, and the answer to learn.

A pair is a question with lettered options whose answer is one letter. A rated image is asked about one aspect at a
time, and the answer is the word for its level (SIQA, appendix D.1).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.export.options import ExportOptions
from data_juicer_ext.export.rows.row_kinds import SIQA_S, RowKind
from data_juicer_ext.siqa.dimensions import ASPECTS, dimensions_of
from data_juicer_ext.siqa.rating_levels import LEVELS, level_name, level_of

_ASK_LETTER = "Answer with the letter of the right option."
_ASK_REASON = "Say what the figure shows, then answer with the letter of the right option on a line of its own."
_ASK_LEVEL = f"Answer with one word: {', '.join(reversed(LEVELS[1:]))} or {LEVELS[0]}."


@dataclass(frozen=True)
class Dialogue:
    """One exchange about a row's images: `id` is unique in an export; `asked` and `answer` are plain text."""

    id: str
    asked: str
    answer: str


def dialogues(row: Mapping[str, Any], kind: RowKind, order: ExportOptions) -> list[Dialogue]:
    """The dialogues of a row: one of a question, one an aspect of a rated image, none of other kinds."""
    row_id = str(row["row_id"])
    if kind.asks:
        return [_about_question(row_id, row, order)]
    if kind is SIQA_S:
        return [Dialogue(f"{row_id}-{aspect}", _rate(aspect), level(row, aspect)) for aspect in ASPECTS]
    return []


def level(row: Mapping[str, Any], aspect: str) -> str:
    """The word for the level of a rated image in an aspect, by its score between 1 and 5."""
    return level_name(level_of(row[f"rating_{aspect}"], 1, len(LEVELS)))


def _about_question(row_id: str, row: Mapping[str, Any], order: ExportOptions) -> Dialogue:
    reason = str(row.get("rationale") or "").strip() if order.rationale else ""
    asked = "\n".join([*_lines(row, order), _ASK_REASON if reason else _ASK_LETTER])
    return Dialogue(row_id, asked, f"{reason}\n{row['answer']}" if reason else str(row["answer"]))


def _lines(row: Mapping[str, Any], order: ExportOptions) -> Iterator[str]:
    caption = str(row.get("caption") or "").strip() if order.caption else ""
    if caption:
        yield f"Caption: {caption}"
    yield str(row["question"])
    for place, option in enumerate(row["options"]):
        yield f"{chr(ord('A') + place)}. {option}"


def _rate(aspect: str) -> str:
    named = " and ".join(name.replace("_", " ") for name in dimensions_of(aspect))
    return f"How good is this scientific image in {aspect}, that is in {named}?\n{_ASK_LEVEL}"
