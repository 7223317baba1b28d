"""The vote of several draws on one question, stopped as soon as its verdict is certain.

Only the given answer can win. A draw that chooses another option, names several, abstains, declines
or cannot be read is against. A draw that failed may have been anything.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.models.types import Failure
from data_juicer_ext.qa.letter_answers import LetterParse
from data_juicer_ext.qa.verdicts import Decision, Draw, failed


@dataclass(frozen=True)
class Tally:
    """Counts of a vote so far; `rival` is the most that any single other option has."""

    agree: int
    against: int
    failed: int
    rival: int


def tally(draws: Sequence[Draw], answer: str) -> Tally:
    """Count the draws for `answer`, against it, and failed."""
    parses = [draw for draw in draws if isinstance(draw, LetterParse)]
    single = Counter(parse.letters[0] for parse in parses if parse.kind == "letter")
    agree = single.pop(answer, 0)
    return Tally(agree, len(parses) - agree, len(draws) - len(parses), max(single.values(), default=0))


def agrees(draw: Draw, answer: str) -> bool:
    """Whether a draw chooses `answer` and nothing else."""
    return isinstance(draw, LetterParse) and draw.kind == "letter" and draw.letters == (answer,)


def first_agreeing(draws: Sequence[Draw], answer: str) -> int | None:
    """The index of the first draw for `answer`, whose rationale is stored; None if there is none."""
    return next((index for index, draw in enumerate(draws) if agrees(draw, answer)), None)


def vote(draws: Sequence[Draw], n: int, majority: int, answer: str) -> Decision | None:
    """The verdict of an n-draw vote after the draws made so far; None: not certain yet, draw on.

    Keep if and only if at least `majority` of the n draws choose `answer` and no other option gets as many (a tie is no
    majority). A verdict given early is the one that drawing all n would give: each missing draw may be anything, a
    failure included, and a failed one may have been anything. With all n drawn there is always a verdict; it is
    undecided where the failed draws could tip it. Reasons: majority_agrees, no_majority, call_failed:<kind>. Raises
    ValueError for impossible `n`, `majority` or more than n draws.
    """
    if not 1 <= majority <= n or len(draws) > n:
        raise ValueError(f"a vote of {n} draws with majority {majority} and {len(draws)} draws made")
    count, left = tally(draws, answer), n - len(draws)
    detail = {"agree": count.agree, "against": count.against, "failed": count.failed, "n": n,
              "majority": majority, "draws_made": len(draws)}  # fmt: skip
    if _certain_keep(count, left + count.failed, majority):
        return Decision("keep", "majority_agrees", detail)
    if _certain_drop(count, left + count.failed, majority):
        return Decision("drop", "no_majority", detail)
    if _still_open(count, left, majority):
        return None
    first = next((draw for draw in draws if isinstance(draw, Failure)), None)
    return Decision("undecided", failed(first).reason, detail)


def _certain_keep(count: Tally, unknown: int, majority: int) -> bool:
    """Even if every unknown draw went to the strongest other option, `answer` has won."""
    return count.agree >= majority and count.agree > count.rival + unknown


def _certain_drop(count: Tally, unknown: int, majority: int) -> bool:
    """Even if every unknown draw went to `answer`, it falls short or at best ties."""
    best = count.agree + unknown
    return best < majority or best <= count.rival


def _still_open(count: Tally, left: int, majority: int) -> bool:
    """Whether the draws left can make the verdict certain, the failed ones staying unknown."""
    all_agree = Tally(count.agree + left, count.against, count.failed, count.rival)
    all_rival = Tally(count.agree, count.against + left, count.failed, count.rival + left)
    return left > 0 and (
        _certain_keep(all_agree, count.failed, majority) or _certain_drop(all_rival, count.failed, majority)
    )
