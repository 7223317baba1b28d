"""What the calls of a run folder cost, by operator and model, and what did not have to be paid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from data_juicer_ext.report.ledger_decisions import Counted, VoteDraws
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.runs.ledger import Spending


@dataclass(frozen=True)
class Cost:
    """What one listing of an operator spent at one model."""

    operator: str
    tag: str
    model: str
    spending: Spending

    @property
    def paid_calls(self) -> int:
        """The calls that went out, answered or failed."""
        return self.spending.calls - self.spending.store_hits

    @property
    def retries(self) -> int:
        """Tries beyond the first of each call."""
        return max(0, self.spending.tries - self.paid_calls)

    @property
    def a_call(self) -> float | None:
        """The mean US dollars of a call that was paid for; None where a price is not known, or nothing was paid."""
        return None if self.spending.unpriced or not self.paid_calls else self.spending.cost / self.paid_calls


@dataclass(frozen=True)
class Saved:
    """Calls that a listing did not have to pay for, and about what they would have cost (None: not known).

    `early` counts draws of votes that were decided before.
    """

    tag: str
    from_store: int
    early: int
    cost: float | None


@dataclass(frozen=True)
class RunCost:
    """What one run into the folder spent; `counted`: its decisions are those of the funnel."""

    run_id: str
    counted: bool
    lines: int
    spending: Spending


@dataclass
class Costs:
    """The costs of a run folder: each line of the ledger counts, of killed runs and of retried rows as well."""

    lines: list[Cost] = field(default_factory=list)
    total: Spending = field(default_factory=Spending)
    saved: list[Saved] = field(default_factory=list)
    runs: list[RunCost] = field(default_factory=list)

    @property
    def retries(self) -> int:
        """Tries beyond the first of each call, over all."""
        return sum(line.retries for line in self.lines)


def costs(counted: Counted, scope: RunSelection) -> Costs:
    """Sort out what was spent. Listings come in the order of the funnel, those of other runs after them."""
    order = {listing: place for place, listing in enumerate(counted.decided)}
    by_model: dict[tuple[str, str, str], list[Spending]] = {}
    by_run: dict[str, list[Spending]] = {run_id: [] for run_id in sorted(counted.lines)}
    for (run_id, *key), spending in counted.spent.items():
        by_model.setdefault((key[0], key[1], key[2]), []).append(spending)
        by_run[run_id].append(spending)
    keys = sorted(by_model, key=lambda key: (order.get(key[:2], len(order)), key))
    lines = [Cost(*key, total(by_model[key])) for key in keys]
    runs = [RunCost(i, i in scope.run_ids, counted.lines[i], total(parts)) for i, parts in by_run.items()]
    return Costs(lines, total(line.spending for line in lines), list(_saved(lines, counted)), runs)


def total(parts: Iterable[Spending]) -> Spending:
    """The sum of spendings."""
    found = Spending()
    for part in parts:
        found.add_up(vars(part))
    return found


def _saved(lines: Sequence[Cost], counted: Counted) -> Iterable[Saved]:
    tags = dict.fromkeys((line.operator, line.tag) for line in lines)
    for operator, tag in tags:
        of_tag = [line for line in lines if (line.operator, line.tag) == (operator, tag)]
        votes = [made.rest for made in counted.decided.get((operator, tag), {}).values()]
        early = sum(vote.draws - vote.drawn for vote in votes if isinstance(vote, VoteDraws))
        stored = sum(line.spending.store_hits for line in of_tag)
        if early or stored:
            yield Saved(tag, stored, early, _worth(of_tag, stored + early))


def _worth(lines: Sequence[Cost], calls: int) -> float | None:
    """What so many more calls would have cost at the mean price of those that were paid."""
    paid = sum(line.paid_calls for line in lines)
    if not paid or any(line.spending.unpriced for line in lines):
        return None
    return calls * sum(line.spending.cost for line in lines) / paid


def money(dollars: float) -> str:
    """US dollars with the digits that small sums need."""
    return f"${dollars:,.2f}" if dollars >= 100 or not dollars else f"${dollars:,.4f}"


def price(spending: Spending) -> str:
    """What was spent, as far as prices are known."""
    paid = spending.calls - spending.store_hits
    if spending.unpriced and spending.unpriced >= paid:
        return "not known"
    return money(spending.cost) + (f" + {spending.unpriced:,} calls" if spending.unpriced else "")
