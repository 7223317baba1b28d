"""One pass through the ledger of a run folder: the decisions that count, and every line that was paid for."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

from data_juicer_ext.curation.stage_counts import RunFunnel
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.runs.ledger import Spending, read_lines

_UNREAD = ("failed", "unparsable")
ListingKey = tuple[str, str]  # an operator and the tag of one of its listings


class Decided(NamedTuple):
    """The last decision of one listing about one row; small, as a run has millions.

    `when` orders the decisions: the run's place, then seconds since 1970. `rest` is what later counts need of what
    the decision rests on (see `_rest`), None for most.
    """

    when: tuple[int, float]
    verdict: str
    reason: str
    made: int
    paper_id: str
    figure_id: str
    rest: Any


class VoteDraws(NamedTuple):
    """A vote: draws that it could have had, and had."""

    draws: int
    drawn: int


class Blind(NamedTuple):
    """A check without the figure: draws that could be read, and those that chose the answer."""

    draws: int
    hits: int


class QuestionMade(NamedTuple):
    """A question made: its row, and how many options it has."""

    row_id: str
    options: int


class FigureScores(NamedTuple):
    """The scores of a figure by dimension, null ones left out, with "overall"."""

    scores: dict[str, float]


@dataclass
class Counted:
    """The decisions in scope by listing and row, and the spending of all runs of the folder.

    `spent` is by run, operator, tag and model, of decisions that took a call; `lines` counts all lines of a run.
    `repeated` counts lines in scope that a later decision about the same row replaced. `last` is when the last
    decision was made, in seconds since 1970.
    """

    decided: dict[ListingKey, dict[str, Decided]] = field(default_factory=dict)
    spent: dict[tuple[str, str, str, str], Spending] = field(default_factory=dict)
    lines: Counter[str] = field(default_factory=Counter)
    curated: RunFunnel = field(default_factory=RunFunnel)
    repeated: int = 0
    last: float = 0.0

    def decisions(self) -> Iterator[dict[str, Any]]:
        """The decisions in scope as the funnel counts them."""
        for (operator, tag), rows in self.decided.items():
            for made in rows.values():
                yield {"operator": operator, "tag": tag, "verdict": made.verdict, "reason": made.reason,
                       "made": made.made}  # fmt: skip


def count(scope: RunSelection) -> Counted:
    """Count the ledger of `scope`. It may be written to meanwhile: lines that are not whole yet are left out."""
    found = Counted()
    begun: dict[ListingKey, tuple[int, float]] = {}
    order = {run_id: place for place, run_id in enumerate(scope.run_ids)}
    for run_id in scope.all_ids:
        lines = read_lines(scope.run_dir / "ledger", run_id)
        in_scope = run_id in order
        for entry in found.curated.watching(lines) if in_scope else lines:
            _pay(found, run_id, entry)
            if in_scope:
                _decide(found, begun, order[run_id], entry)
    found.decided = {key: found.decided[key] for key in sorted(found.decided, key=begun.__getitem__)}
    return found


def _pay(found: Counted, run_id: str, entry: Mapping[str, Any]) -> None:
    found.lines[run_id] += 1
    spending = entry.get("spending") or {}
    if spending.get("calls"):
        by_model = entry.get("by_model") or {str(entry.get("model") or ""): spending}
        for model, part in by_model.items():
            key = run_id, entry["operator"], entry["tag"], model
            found.spent.setdefault(key, Spending()).add_up(part)


def _decide(found: Counted, begun: dict[ListingKey, tuple[int, float]], place: int, entry: Mapping[str, Any]) -> None:
    listing = intern(entry["operator"]), intern(entry["tag"])
    when = place, float(entry.get("time") or 0)
    found.last = max(found.last, when[1])
    begun[listing] = min(begun.get(listing, when), when)
    rows = found.decided.setdefault(listing, {})
    row_id = entry["row_id"]
    before = rows.get(row_id)
    found.repeated += before is not None
    if before is None or when >= before.when:
        rows[row_id] = Decided(
            when, intern(entry["verdict"]), intern(entry["reason"]), int(entry.get("made") or 0),
            intern(str(entry.get("paper_id") or "")), intern(str(entry.get("figure_id") or "")),
            _rest(entry.get("detail") or {}),
        )  # fmt: skip


def _rest(detail: Mapping[str, Any]) -> VoteDraws | Blind | QuestionMade | FigureScores | None:
    """What counts need of a decision's detail; known by what the operators write there, whatever they are called."""
    if "draws_made" in detail and "n" in detail:
        return VoteDraws(int(detail["n"]), int(detail["draws_made"]))
    if "hits" in detail and isinstance(detail.get("draws"), list):
        read = sum(draw not in _UNREAD for draw in detail["draws"])
        return Blind(read, int(detail["hits"]))
    if "made" in detail and isinstance(detail.get("options"), list):
        return QuestionMade(str(detail["made"]), len(detail["options"]))
    if isinstance(detail.get("scores"), dict) and "overall" in detail:
        given = {**detail["scores"], "overall": detail["overall"]}
        return FigureScores({name: float(score) for name, score in given.items() if isinstance(score, (int, float))})
    return None
