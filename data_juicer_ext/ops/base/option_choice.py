"""Asking a model to choose among a question's options, and its choice in the letters of the row."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Answer, Failure, Request
from data_juicer_ext.qa.letter_answers import LetterParse, parse_letter
from data_juicer_ext.qa.option_order import original_letters, permutation


async def ask_letter(
    calls: Calls, request: Request, options: Sequence[str], repair: str
) -> tuple[LetterParse, Answer] | Failure:
    """One call and the option it chooses, asked for again by the template `repair` once where none can be read."""

    def parse(text: str) -> LetterParse:
        return parse_letter(text, options)

    def problem(parsed: LetterParse) -> str:
        return "no option could be read from it" if parsed.kind == "unparsable" else ""

    return await calls.ask_parsed(request, parse, problem, repair)


def order_of(row: Mapping[str, Any], tag: str, draw: int, permute: bool) -> tuple[int, ...]:
    """The order in which a draw of a listing shows the options of a row: position -> index of the option."""
    if not permute:
        return tuple(range(len(row["options"])))
    return permutation(row["options"], (row["row_id"], tag), draw)


def mapped_back(parse: LetterParse, order: Sequence[int]) -> LetterParse:
    """A parse of permuted options with the letters that the row itself gives them."""
    return replace(parse, letters=original_letters(parse.letters, order))
