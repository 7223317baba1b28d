"""A paper-aware test split: venue quotas, the corpus's mix of figure types, enough ratings (SciFigQual, appendix B.1).

The figures of a paper stay together. The same rows and seed give the same split, whatever the order of the rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import Row, seeded

_LOOKED_AT = 64  # papers that are compared for each place; the mix settles with far fewer
NO_TYPE, NO_VENUE = "(not said)", "(not said)"


@dataclass(frozen=True)
class SplitOrder:
    """What is wanted: `size` figures in all, `quotas` by venue (equal shares of `size` where empty)."""

    size: int
    quotas: Mapping[str, int] = field(default_factory=dict)
    least_ratings: int = 3
    seed: int = 0


@dataclass
class Split:
    """`test` figures, `rest` of the other papers, and `held_out`: figures of test papers with too few ratings.

    `quotas` are by venue (wanted, taken); `types` by figure type (share in the rated corpus, share in the test).
    """

    test: list[Row]
    rest: list[Row]
    held_out: list[Row]
    quotas: dict[str, tuple[int, int]]
    types: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class _Paper:
    name: str
    rows: tuple[Row, ...]
    types: Counter[str]

    @property
    def size(self) -> int:
        return len(self.rows)


def split(rows: Sequence[Row], ratings: Mapping[int, int], order: SplitOrder) -> Split:
    """Choose the test papers. `ratings` are the number of raters by index in `rows`.

    A paper is taken whole: all its figures with enough ratings count against its venue's quota, which is
    never exceeded. Raises UsageError for rows without `paper_id`, for a paper of two venues, for a quota
    of a venue that is not there, and for a size or quotas of nothing.
    """
    rated = [row for index, row in enumerate(rows) if ratings.get(index, 0) >= order.least_ratings]
    venues = _by_venue(rows, rated)
    quotas = _quotas(order, venues)
    corpus = Counter(_type(row) for row in rated)
    chosen, taken = set[str](), Counter[str]()
    for venue in sorted(quotas):
        papers = sorted(venues[venue], key=lambda paper: (seeded(order.seed, paper.name), paper.name))
        for paper in _fill(papers, quotas[venue], corpus, taken):
            chosen.add(paper.name)
            taken += paper.types
    in_test = [str(row["paper_id"]) in chosen for row in rows]
    enough = [ratings.get(index, 0) >= order.least_ratings for index in range(len(rows))]
    parts = list(zip(rows, in_test, enough, strict=True))
    test = [row for row, inside, rated_enough in parts if inside and rated_enough]
    counts = Counter(_venue(row) for row in test)
    return Split(
        test=test, rest=[row for row, inside, _ in parts if not inside],
        held_out=[row for row, inside, rated_enough in parts if inside and not rated_enough],
        quotas={venue: (quota, counts[venue]) for venue, quota in quotas.items()}, types=_shares(corpus, taken),
    )  # fmt: skip


def _by_venue(rows: Iterable[Row], rated: Iterable[Row]) -> dict[str, list[_Paper]]:
    venue_of: dict[str, str] = {}
    for row in rows:
        if row.get("paper_id") in (None, ""):
            raise UsageError("a row has no paper_id: figures of a paper could not be kept together")
        paper = str(row["paper_id"])
        if venue_of.setdefault(paper, _venue(row)) != _venue(row):
            raise UsageError(f"paper {paper} stands under two venues: {venue_of[paper]} and {_venue(row)}")
    grouped: dict[str, list[Row]] = {}
    for row in rated:
        grouped.setdefault(str(row["paper_id"]), []).append(row)
    venues: dict[str, list[_Paper]] = {venue: [] for venue in sorted(set(venue_of.values()))}
    for paper, figures in grouped.items():
        venues[venue_of[paper]].append(_Paper(paper, tuple(figures), Counter(map(_type, figures))))
    return venues


def _quotas(order: SplitOrder, venues: Mapping[str, Sequence[_Paper]]) -> dict[str, int]:
    if order.quotas:
        if unknown := sorted(set(order.quotas) - set(venues)):
            raise UsageError(f"quota: no figure is of the venue {', '.join(unknown)}; there are: {', '.join(venues)}")
        return dict(order.quotas)
    if order.size < 1 or not venues:
        raise UsageError("a split needs rows and a size, or quotas, from 1 on")
    share, more = divmod(order.size, len(venues))
    return {venue: share + (place < more) for place, venue in enumerate(sorted(venues))}


def _fill(papers: Sequence[_Paper], quota: int, corpus: Counter[str], taken: Counter[str]) -> list[_Paper]:
    """Papers that together stay within `quota`, each the one that brings the mix of types nearest to the corpus's."""
    left, chosen, mix = list(papers), list[_Paper](), Counter(taken)
    while looked_at := [paper for paper in left if paper.size <= quota][:_LOOKED_AT]:
        best = min(looked_at, key=lambda paper: _distance(mix + paper.types, corpus))
        chosen.append(best)
        left.remove(best)
        mix += best.types
        quota -= best.size
    return _exact(chosen, left, quota)


def _exact(chosen: list[_Paper], left: Sequence[_Paper], short: int) -> list[_Paper]:
    """`chosen`, one paper exchanged for one of `left` that is larger by what is short, if there is such a pair."""
    sizes = {paper.size: paper for paper in reversed(left)}
    for place, paper in enumerate(chosen):
        if short and (other := sizes.get(paper.size + short)):
            return [*chosen[:place], other, *chosen[place + 1 :]]
    return chosen


def _distance(mix: Counter[str], corpus: Counter[str]) -> float:
    return sum(abs(there - here) for there, here in _shares(corpus, mix).values())


def _shares(corpus: Counter[str], mix: Counter[str]) -> dict[str, tuple[float, float]]:
    whole, part = max(1, corpus.total()), max(1, mix.total())
    return {name: (corpus[name] / whole, mix[name] / part) for name in sorted(corpus)}


def _type(row: Row) -> str:
    return str(row.get("figure_type") or NO_TYPE)


def _venue(row: Row) -> str:
    return str(row.get("venue") or NO_VENUE)
