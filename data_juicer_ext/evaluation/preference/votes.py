"""People's preferences between a generated diagram and its reference, and what several of them together say.

A strength runs from -2 (the reference is better) to +2 (the generated diagram is). Source: SciDiagBench, appendix E.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.rows import Row

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating

FORM = "scidiag"
STRONGEST = 2
CONFLICT, TOO_FEW = "raters in conflict", "fewer than two raters with the same direction"
_RATER = ("annotator", "rater", "rater_id")
_STRENGTH = ("overall", "strength", "preference")


@dataclass(frozen=True)
class PairVote:
    """What one rater said of one pair; `rater` is "" where several raters' preference is made already."""

    rater: str
    pair: str
    strength: float


@dataclass(frozen=True)
class Human:
    """What people say of a pair: `direction` 1 (generated) or -1 (reference) and the median `strength`.

    Of a pair that is left out, `direction` is 0 and `left_out` says why.
    """

    pair: str
    direction: int
    strength: float
    left_out: str = ""


def votes_of_ratings(ratings: Iterable[Rating]) -> tuple[list[PairVote], list[str]]:
    """The votes in form `scidiag`, and what was refused, with the reason."""
    found, refused = list[PairVote](), list[str]()
    for rating in ratings:
        if rating.form == FORM:
            try:
                found.append(PairVote(rating.annotator, rating.row_id, _strength(rating.ratings, rating.row_id)))
            except RowError as error:
                refused.append(f"{rating.annotator}: {error}")
    return found, refused


def votes_of_rows(rows: Iterable[Row]) -> tuple[list[PairVote], list[str]]:
    """Votes of plain rows: `row_id`, `annotator` and `overall`; the last vote of a rater on a pair counts.

    Rows without a rater hold preferences that are made already.
    """
    found, refused = dict[tuple[str, str], PairVote](), list[str]()
    for row in rows:
        try:
            pair = str(row.get("row_id") or "")
            if not pair:
                raise RowError(f"a row without row_id: {str(dict(row))[:80]}")
            rater = next((str(row[name]) for name in _RATER if row.get(name) not in (None, "")), "")
            found[rater, pair] = PairVote(rater, pair, _strength(row, pair))
        except RowError as error:
            refused.append(str(error))
    return list(found.values()), refused


def _strength(given: Row, pair: str) -> float:
    value = next((given[name] for name in _STRENGTH if given.get(name) not in (None, "")), None)
    try:
        number = float(value) if value is not None and not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not -STRONGEST <= number <= STRONGEST:
        raise RowError(f"{pair}: the preference is {value!r}, not a number from -2 to 2")
    return number


def by_pair(votes: Iterable[PairVote]) -> dict[str, dict[str, float]]:
    """The strengths by pair and rater, pairs and raters sorted."""
    grouped: dict[str, dict[str, float]] = {}
    for vote in sorted(votes, key=lambda vote: (vote.pair, vote.rater)):
        grouped.setdefault(vote.pair, {})[vote.rater] = vote.strength
    return grouped


def aggregate(pair: str, strengths: Mapping[str, float]) -> Human:
    """What the raters of a pair together say.

    At least two have to point in one direction and none in the other ("unable to judge" points in none); the strength
    is the median of all. A preference that is made already (rater "") counts as it is, unless it is 0.
    """
    signs = [sign(strength) for strength in strengths.values()]
    if set(strengths) == {""}:
        return Human(pair, signs[0], strengths[""], "" if signs[0] else TOO_FEW)
    if 1 in signs and -1 in signs:
        return Human(pair, 0, _median(strengths), CONFLICT)
    pointing = [way for way in signs if way]
    if len(pointing) < 2:
        return Human(pair, 0, _median(strengths), TOO_FEW)
    return Human(pair, pointing[0], _median(strengths))


def sign(strength: float) -> int:
    """1 for the generated diagram, -1 for the reference, 0 for neither."""
    return (strength > 0) - (strength < 0)


def _median(strengths: Mapping[str, float]) -> float:
    values: Sequence[float] = list(strengths.values())
    return float(median(values))
