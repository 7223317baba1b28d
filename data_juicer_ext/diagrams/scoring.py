"""From criterion scores to S(.) and S_final. Source: SciDiagBench, section 3.3.

S(.) = sum over dimensions of W_d * sum over its criteria of w_c * s_c, from 0 to 10; and
S_final = S(generated) / (S(generated) + S(reference)), where 0.5 is parity with the reference.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from data_juicer_ext.diagrams.criteria import Criterion, TypeCriteria
from data_juicer_ext.diagrams.dimensions import DIMENSIONS, PARTS

HIGHEST = 10.0
PARITY = 0.5
DIGITS = 6

Direction = Literal["generated", "tie", "reference"]


@dataclass(frozen=True)
class Sides:
    """One number for each of the two diagrams."""

    generated: float
    reference: float


@dataclass(frozen=True)
class OrderScores:
    """What one order of the two diagrams gave: by criterion the scores of both, 0 to 10, and the reason."""

    generated_first: bool
    scores: Mapping[str, Sides]
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PairScore:
    """S(.) of both, 0 to 10, and S_final; `final` is None where both are 0, which says nothing."""

    total: Sides
    final: float | None


@dataclass(frozen=True)
class PairJudgement:
    """One pair judged in one order or both.

    `orders` runs parallel to the orders given; `scores`, `dimensions` (with their parts) and `overall` are of
    the criterion scores' means over the orders. `flipped`: whether the orders differ in direction, None for one.
    """

    scores: Mapping[str, Sides]
    dimensions: Mapping[str, PairScore]
    overall: PairScore
    orders: tuple[PairScore, ...]
    flipped: bool | None


def relative(sides: Sides) -> float | None:
    """S_final of two sums, to 6 digits; None where both are 0.

    Swapping the sides gives exactly 1 minus it, also in its last digit.
    """
    total = sides.generated + sides.reference
    if total <= 0:
        return None
    if sides.generated == sides.reference:
        return PARITY
    lesser = round(min(sides.generated, sides.reference) / total, DIGITS)
    return lesser if sides.generated < sides.reference else round(1 - lesser, DIGITS)


def direction(final: float) -> Direction:
    """Which diagram an S_final prefers."""
    return "tie" if final == PARITY else "generated" if final > PARITY else "reference"


def judged(criteria: TypeCriteria, orders: Sequence[OrderScores]) -> PairJudgement:
    """The judgement of a pair from the scores of its orders, one or two. Raises ValueError for a missing score."""
    if not orders:
        raise ValueError("a pair needs the scores of one order at least")
    scores = {name: _mean([_score(order, name) for order in orders]) for name in criteria.ids}
    alone = tuple(_overall(criteria, {name: _score(order, name) for name in criteria.ids}) for order in orders)
    finals = [scored.final for scored in alone]
    flipped = len({direction(final) if final is not None else "none" for final in finals}) > 1
    return PairJudgement(
        scores, _by_dimension(criteria, scores), _overall(criteria, scores), alone, flipped if len(orders) > 1 else None
    )


def _score(order: OrderScores, name: str) -> Sides:
    if name not in order.scores:
        raise ValueError(f"there is no score for {name}")
    return order.scores[name]


def _mean(sides: Sequence[Sides]) -> Sides:
    """The means of both sides; as with every sum here, swapping the sides or the orders changes no digit."""
    return Sides(
        math.fsum(side.generated for side in sides) / len(sides),
        math.fsum(side.reference for side in sides) / len(sides),
    )


def _overall(criteria: TypeCriteria, scores: Mapping[str, Sides]) -> PairScore:
    return _scored([(criteria.weights[c.dimension] * c.weight, scores[c.id]) for c in criteria.criteria])


def _by_dimension(criteria: TypeCriteria, scores: Mapping[str, Sides]) -> dict[str, PairScore]:
    found = {}
    for name in dict.fromkeys((*DIMENSIONS, *PARTS)):
        members = [c for c in criteria.criteria if name in (c.dimension, c.part)]
        found[name] = _scored([(share, scores[c.id]) for share, c in zip(_shares(members), members, strict=True)])
    return found


def _shares(members: Sequence[Criterion]) -> list[float]:
    total = math.fsum(criterion.weight for criterion in members)
    return [criterion.weight / total for criterion in members]


def _scored(weighted: Sequence[tuple[float, Sides]]) -> PairScore:
    total = Sides(
        math.fsum(weight * side.generated for weight, side in weighted),
        math.fsum(weight * side.reference for weight, side in weighted),
    )
    return PairScore(total, relative(total))
