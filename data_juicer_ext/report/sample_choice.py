"""Which rows a report shows: few of each kind, spread over figures and reasons, the same ones each time."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from data_juicer_ext.report.ledger_decisions import Counted, Decided, ListingKey
from data_juicer_ext.rows import seeded

T = TypeVar("T")
FigureKey = tuple[str, str]  # paper_id and figure_id


class Spread(Generic[T]):
    """Up to `size` things out of a stream, of different groups as far as there are, chosen by a digest of their names.

    So what is chosen hangs on the names alone, not on the order of the stream. Groups that are not `preferred` come in
    only where there are too few others. It holds `size` things of `size` groups at most.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: dict[tuple[bool, bytes], list[tuple[bytes, T]]] = {}

    def offer(self, group: str, name: str, thing: T, preferred: bool = True) -> None:
        """Consider one thing."""
        if self._size <= 0:
            return
        key, rank = (not preferred, seeded(group)), seeded(name)
        if key not in self._held:
            if len(self._held) >= self._size:
                worst = max(self._held)
                if worst < key:
                    return
                del self._held[worst]
            self._held[key] = []
        held = self._held[key]
        held.append((rank, thing))
        held.sort(key=lambda entry: entry[0])
        del held[self._size :]

    @property
    def chosen(self) -> list[T]:
        """The things: one of each group by their ranks, then the second ones, and so on."""
        queues = [self._held[key] for key in sorted(self._held)]
        return [queue[place][1] for place in range(self._size) for queue in queues if place < len(queue)][: self._size]


@dataclass(frozen=True)
class Chosen:
    """A row to show, with the decision that it is shown for."""

    listing: ListingKey
    row_id: str
    decision: Decided

    @property
    def figure(self) -> FigureKey:
        """The figure that the row is about."""
        return self.decision.paper_id, self.decision.figure_id


@dataclass
class RowsToChoose:
    """Rows of one kind: `verdict` at one listing, `total` of them in all."""

    listing: ListingKey
    verdict: str
    total: int = 0
    rows: list[Chosen] = field(default_factory=list)


def choose(counted: Counted, size: int, known: Container[FigureKey], kept_too: bool) -> list[RowsToChoose]:
    """Rows that were refused or are undecided, by listing, up to `size` a group; figures in `known` come first.

    Each reason of a group gets its turn, the most frequent first. `kept_too`: also rows that the last listing kept,
    for a run whose export is not there yet.
    """
    last = next(reversed(counted.decided), None)
    groups = []
    for verdict in ("keep", "drop", "undecided"):
        for listing, rows in counted.decided.items():
            if verdict != "keep" or (kept_too and listing == last):
                group = _group(listing, verdict, rows.items(), size, known)
                groups += [group] if group.total else []
    return groups


def _group(
    listing: ListingKey, verdict: str, rows: Iterable[tuple[str, Decided]], size: int, known: Container[FigureKey]
) -> RowsToChoose:
    group = RowsToChoose(listing, verdict)
    by_reason: dict[str, tuple[int, Spread[Chosen]]] = {}
    for row_id, made in rows:
        if made.verdict != verdict:
            continue
        group.total += 1
        count, spread = by_reason.get(made.reason) or (0, Spread(size))
        by_reason[made.reason] = count + 1, spread
        chosen = Chosen(listing, row_id, made)
        spread.offer("\x1f".join(chosen.figure) if made.figure_id else row_id, row_id, chosen, chosen.figure in known)
    order = sorted(by_reason, key=lambda reason: (-by_reason[reason][0], reason))
    queues = [by_reason[reason][1].chosen for reason in order]
    for place in range(size):
        group.rows += [queue[place] for queue in queues if place < len(queue)]
    group.rows = group.rows[:size]
    return group
