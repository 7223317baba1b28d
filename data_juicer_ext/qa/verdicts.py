"""From parsed answers to a verdict: keep, drop or undecided, each with a stable reason.

The table of what each kind of answer means is that of the VeriSciQA filters: a call that failed
says nothing about a question, so it never drops one; an answer that cannot be read never keeps one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from data_juicer_ext.models.types import Failure, Verdict
from data_juicer_ext.qa.letter_answers import LetterParse

Draw: TypeAlias = LetterParse | Failure | None
"""One draw of a vote: how its answer was read, or the failure (None: a failure of unknown kind)."""


@dataclass(frozen=True)
class Decision:
    """A verdict, its reason (snake_case, stable; failures as "call_failed:<kind>") and what led to it."""

    verdict: Verdict
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)


def failed(failure: Failure | None) -> Decision:
    """Undecided, because the call failed: reason "call_failed:<kind of failure>"."""
    kind = failure.kind if failure is not None else "unknown"
    message = failure.message if failure is not None else ""
    return Decision("undecided", f"call_failed:{kind}", {"message": message})


def source_consistency(parse: LetterParse, answer: str) -> Decision:
    """Keep if and only if exactly one option is chosen and it is `answer` (paper, V_src).

    Reasons: agrees, other_option, several, abstained, declined, unparsable.
    """
    detail = {"letters": list(parse.letters), "answer": answer, "quote": parse.quote}
    if parse.kind == "letter":
        agrees = parse.letters == (answer,)
        return Decision("keep" if agrees else "drop", "agrees" if agrees else "other_option", detail)
    return Decision("drop", ("abstained" if parse.kind == "none" else parse.kind), detail)


def blind_check(parses: Sequence[Draw], answer: str, hits: int = 1) -> Decision:
    """Drop when at least `hits` of the draws made without the figure choose `answer` (V_vis_dep).

    A draw that names several options among them `answer` is a hit. Draws that failed or cannot be read may be anything:
    where they could tip the verdict it is undecided. Reasons: answered_blind, needs_figure, unparsable,
    call_failed:<kind>. Raises ValueError without draws or for `hits` outside 1..len(parses).
    """
    if not 1 <= hits <= len(parses):
        raise ValueError(f"hits is {hits}, must be 1 to {len(parses)}, the number of draws")
    unknown = [parse for parse in parses if not isinstance(parse, LetterParse) or parse.kind == "unparsable"]
    hit = sum(isinstance(parse, LetterParse) and answer in parse.letters for parse in parses)
    detail = {"hits": hit, "needed": hits, "draws": [draw_label(parse) for parse in parses]}
    if hit >= hits:
        return Decision("drop", "answered_blind", detail)
    if hit + len(unknown) < hits:
        return Decision("keep", "needs_figure", detail)
    return Decision("undecided", _why_unknown(unknown), detail)


def _why_unknown(unknown: Sequence[Draw]) -> str:
    for draw in unknown:
        if not isinstance(draw, LetterParse):
            return failed(draw).reason
    return "unparsable"


def draw_label(draw: Draw) -> str:
    """One draw in a word, for the ledger: "B", "A,C", "none", "declined", "unparsable", "failed"."""
    return "failed" if not isinstance(draw, LetterParse) else ",".join(draw.letters) or draw.kind


INCORRECTLY_GROUNDED = "E1 incorrectly visually grounded"
INTENT_MISALIGNED = "E2 figure-intent misaligned"
NON_VISUAL = "E3 non-visual"
OUTSIDE_KNOWLEDGE = "E4 outside knowledge"

# No filter looks for E2: making the questions from the authors' claims is what keeps it away.
KINDS = (INCORRECTLY_GROUNDED, INTENT_MISALIGNED, NON_VISUAL, OUTSIDE_KNOWLEDGE)
