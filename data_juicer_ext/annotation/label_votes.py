"""The label that several models give a question: the option that most of them choose, if it is clear.

Any option can win, unlike in the vote that confirms a given answer (`qa.votes`). A model that names several
options, abstains, declines or cannot be read votes for none. A call that failed may have been any vote, or none.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.models.types import Failure, Verdict
from data_juicer_ext.qa.letter_answers import LetterParse
from data_juicer_ext.qa.verdicts import Draw, failed
from data_juicer_ext.rows import seeded


@dataclass(frozen=True)
class VotedLabel:
    """The outcome of a vote: `letter` is the label where the verdict is keep, else ""."""

    verdict: Verdict
    reason: str
    letter: str = ""
    message: str = ""


def majority_of(models: int) -> int:
    """More than half."""
    return models // 2 + 1


def label(draws: Sequence[Draw], options: int, majority: int) -> VotedLabel:
    """The label by the votes of all models, of which some may have failed.

    An option is the label if at least `majority` of the models choose it and more than choose any other.
    Where that hangs on what the failed calls would have been, the verdict is undecided. Reasons: majority, tie
    (several options share the most votes), no_majority (too few votes for the first), call_failed:<kind>.
    Raises ValueError for no draws, fewer than 2 options, or a `majority` outside 1..len(draws).
    """
    if not 1 <= majority <= len(draws) or options < 2:
        raise ValueError(f"a vote of {len(draws)} models over {options} options with majority {majority}")
    votes = Counter({chr(65 + index): 0 for index in range(options)})
    votes.update(draw.letters[0] for draw in draws if isinstance(draw, LetterParse) and draw.kind == "letter")
    unknown = sum(not isinstance(draw, LetterParse) for draw in draws)
    winners = [letter for letter in votes if _can_win(votes, letter, unknown, majority)]
    if not winners:
        most = max(votes.values())
        tied = most > 0 and sum(count == most for count in votes.values()) > 1
        return VotedLabel("drop", "tie" if tied else "no_majority")
    first = winners[0]
    if len(winners) == 1 and votes[first] >= majority and votes[first] > _rival(votes, first) + unknown:
        return VotedLabel("keep", "majority", first)
    failure = failed(next((draw for draw in draws if isinstance(draw, Failure)), None))
    return VotedLabel("undecided", failure.reason, message=str(failure.detail.get("message", "")))


def _can_win(votes: Counter[str], letter: str, unknown: int, majority: int) -> bool:
    """Whether an option is the label if every unknown vote goes to it."""
    most = votes[letter] + unknown
    return most >= majority and most > _rival(votes, letter)


def _rival(votes: Counter[str], letter: str) -> int:
    return max(count for other, count in votes.items() if other != letter)


def in_audit(row_id: str, share: float, seed: int) -> bool:
    """Whether a row is in the audit sample: by its id alone, so the same on every machine and in any order.

    `share` is 0 to 1. A larger share with the same seed holds the smaller one's rows.
    """
    return int.from_bytes(seeded("audit", seed, row_id)[:8], "big") < share * 2**64
