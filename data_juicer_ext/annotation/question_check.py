"""Whether a row holds a question that can be put to a model, and what its options say."""

from collections.abc import Mapping, Sequence
from typing import Any

MOST_OPTIONS = 26


def question_problem(row: Mapping[str, Any], needs_answer: bool = False) -> str:
    """Why the question of `row` can't be asked, "" if it can; with `needs_answer` it has to have a right one."""
    options = row.get("options")
    if not str(row.get("question") or "").strip():
        return "the row has no question"
    if options is None or isinstance(options, str) or not 2 <= len(options) <= MOST_OPTIONS:
        return f"options must be a list of 2 to {MOST_OPTIONS} texts, they are {str(options)[:100]!r}"
    answer = str(row.get("answer") or "")
    if needs_answer and index_of(answer, len(options)) is None:
        return f"answer must be a letter from A to {chr(64 + len(options))}, it is {answer[:40]!r}"
    return ""


def index_of(letter: str, options: int) -> int | None:
    """The place of the option that `letter` means among so many, from 0; None for what means none of them."""
    place = ord(letter) - 65 if len(letter) == 1 else -1
    return place if 0 <= place < options else None


def option_text(options: Sequence[str], letter: str) -> str:
    """What the option with `letter` says; the letter itself where there is no such option."""
    place = index_of(letter, len(options))
    return letter if place is None else options[place]
