"""A stratified subset of questions: each stratum has its share of it, by the largest remainder."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import seeded

Stratum = tuple[str, ...]


@dataclass(frozen=True)
class Subset:
    """The chosen row ids, sorted, and by stratum how many of how many were taken."""

    row_ids: tuple[str, ...]
    strata: dict[Stratum, tuple[int, int]]


def stratified(strata: Mapping[str, Stratum], size: int, seed: int = 0) -> Subset:
    """`size` of the row ids, or all where there are no more; `strata` is the stratum of each.

    A stratum gets the whole part of its proportional share; the places left go to the largest remainders, of equal
    ones to the larger stratum, then by name. Within a stratum, ids are taken in the order of a hash of seed and id, so
    the same set gives the same subset whatever the order of its rows. Raises UsageError for a size below 1.
    """
    if size < 1:
        raise UsageError(f"--subset {size}: write a number of questions from 1 on")
    members: dict[Stratum, list[str]] = {}
    for row_id, stratum in strata.items():
        members.setdefault(stratum, []).append(row_id)
    quotas = allocation({stratum: len(ids) for stratum, ids in members.items()}, size)
    chosen = [row_id for stratum, ids in members.items() for row_id in _first(ids, quotas[stratum], seed)]
    return Subset(tuple(sorted(chosen)), {name: (quotas[name], len(members[name])) for name in sorted(members)})


def allocation(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, int]:
    """How many of `size` each stratum gets, by the largest remainder; never more than it has."""
    whole = sum(sizes.values())
    if size >= whole:
        return dict(sizes)
    shares = {name: Fraction(size * own, whole) for name, own in sizes.items()}
    quotas = {name: int(share) for name, share in shares.items()}
    left = size - sum(quotas.values())
    first = sorted(sizes, key=lambda name: (quotas[name] - shares[name], -sizes[name], name))
    return {name: quotas[name] + (name in first[:left]) for name in sizes}


def _first(row_ids: list[str], number: int, seed: int) -> list[str]:
    return sorted(row_ids, key=lambda row_id: (seeded(seed, row_id), row_id))[:number]
