"""What a pilot saw: for each drawn row and step what went in and out, calls and tokens, from the pilot's ledger."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data_juicer_ext.estimate.intervals import Numbers
from data_juicer_ext.models.store.administration import stats
from data_juicer_ext.models.store.interface import GroupStats, StoreError
from data_juicer_ext.runner.one_shard import BUDGET_REASON
from data_juicer_ext.runner.shard_plan import SHARDS
from data_juicer_ext.runs.ledger import LedgerLine, decisions, read_lines
from data_juicer_ext.runs.shard_manifest import load
from data_juicer_ext.storage.json_lines import read_json_lines

_COUNTS = ("rows_in", "rows_out", "calls", "hits", "prompt", "completion")


@dataclass(frozen=True)
class PilotListing:
    """What a step is known by in the ledger, the templates that it asks by, and its model as asked for."""

    operator: str
    tag: str
    tasks: tuple[str, ...] = ()
    model: str = ""


@dataclass(frozen=True)
class PilotStep:
    """One step in a pilot, a number for each row that was decided: rows in and out, calls, tokens.

    `hits` of the calls were answered from the store. `prompt` and `completion` are the tokens of the responses to the
    other calls, `stored` the mean ones of such answers in the store, (0, 0) where there are none. `cost` is what the
    calls that were paid for took (US dollars), `unpriced` counts those of unknown price.
    """

    rows_in: Numbers
    rows_out: Numbers
    calls: Numbers
    hits: Numbers
    prompt: Numbers
    completion: Numbers
    stored: tuple[float, float] = (0.0, 0.0)
    cost: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True)
class PilotSample:
    """A pilot: the places of its decided rows in the frame, and what each step saw of them.

    `drawn` rows were asked for, `undecided` of them had a call that failed, `unreached` were left by the
    budget. `calls`, `hits` (answers out of the store) and `cost` are of the whole pilot, `untied`
    decisions could not be traced to a row.
    """

    places: tuple[int, ...]
    steps: tuple[PilotStep, ...]
    drawn: int
    undecided: int
    unreached: int
    calls: int
    hits: int
    cost: float
    unpriced: int
    untied: int = 0


def read_sample(
    folder: Path, rows: Sequence[Mapping[str, Any]], places: Sequence[int], listings: Sequence[PilotListing]
) -> PilotSample:
    """What the pilot in the run folder `folder` says about the drawn `rows`, at `places` of the frame."""
    reached, made = _whole_shards(folder)
    tied, untied = _by_root(made, rows)
    undecided = {root for root, entries in tied.items() if any(e["verdict"] == "undecided" for e in entries)}
    ids = [str(row["row_id"]) for row in rows]
    decided = [number for number, name in enumerate(ids) if name in reached and name not in undecided]
    by_row = [tied.get(ids[number], []) for number in decided]
    stored = _stored(folder)
    spent = [line.get("spending") or {} for line in read_lines(folder / "ledger")]
    return PilotSample(
        places=tuple(places[number] for number in decided),
        steps=tuple(_seen(by_row, listing, stored) for listing in listings),
        drawn=len(rows),
        undecided=len(undecided),
        unreached=sum(name not in reached for name in ids),
        calls=sum(s.get("calls", 0) for s in spent),
        hits=sum(s.get("store_hits", 0) for s in spent),
        cost=sum(s.get("cost", 0.0) for s in spent),
        unpriced=sum(s.get("unpriced", 0) for s in spent),
        untied=untied,
    )


def _whole_shards(folder: Path) -> tuple[set[str], list[LedgerLine]]:
    """The ids of the rows in shards that no budget cut short, and the decisions there.

    In a shard that the budget cut short, the rows that were decided are those with few calls: no fair sample.
    """
    found = load(folder)
    reached, made = set[str](), list[LedgerLine]()
    for entry in found.whole if found is not None else ():
        entries = decisions(folder, entry.whole_run_id)
        if not any(e["reason"] == BUDGET_REASON for e in entries):
            made += entries
            reached |= {str(row["row_id"]) for row in read_json_lines(folder / SHARDS / f"{entry.name}.jsonl")}
    return reached, made


def _by_root(made: Iterable[LedgerLine], rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, list[LedgerLine]], int]:
    """The decisions by the `row_id` of the drawn row that each goes back to, and how many go back to none."""
    entries = list(made)
    parents = {child: str(entry["row_id"]) for entry in entries for child in _children(entry)}
    figures: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        key = str(row.get("paper_id")), str(row.get("figure_id"))
        figures.setdefault(key, set()).add(str(row["row_id"]))
    roots, tied, untied = {str(row["row_id"]) for row in rows}, dict[str, list[LedgerLine]](), 0
    for entry in entries:
        name = str(entry["row_id"])
        while name not in roots and name in parents:
            name = parents[name]
        alone = figures.get((str(entry["paper_id"]), str(entry["figure_id"])), set())
        if name not in roots and len(alone) == 1:
            [name] = alone
        if name in roots:
            tied.setdefault(name, []).append(entry)
        else:
            untied += 1
    return tied, untied


def _children(entry: LedgerLine) -> list[str]:
    detail = entry.get("detail") or {}
    claims = [str(claim.get("row_id")) for claim in detail.get("claims") or () if isinstance(claim, Mapping)]
    made = detail.get("made")
    return [child for child in (*claims, made) if isinstance(child, str) and child != entry["row_id"]]


def _seen(by_row: Sequence[Sequence[LedgerLine]], listing: PilotListing, stored: Sequence[GroupStats]) -> PilotStep:
    here = [[e for e in row if (e["operator"], e["tag"]) == (listing.operator, listing.tag)] for row in by_row]
    sums = {name: np.array([_sum(row, name) for row in here], dtype=np.float64) for name in _COUNTS}
    entries = [entry for row in here for entry in row]
    return PilotStep(
        **sums,
        stored=_means(stored, listing, {str(entry["model"]) for entry in entries}),
        cost=sum(entry["spending"].get("cost", 0.0) for entry in entries),
        unpriced=sum(entry["spending"].get("unpriced", 0) for entry in entries),
    )


def _sum(entries: Sequence[LedgerLine], name: str) -> float:
    if name == "rows_in":
        return len(entries)
    if name == "rows_out":
        return sum(float(entry["made"]) for entry in entries)
    key = {"hits": "store_hits", "prompt": "prompt_tokens", "completion": "completion_tokens"}.get(name, name)
    return sum(float(entry["spending"].get(key, 0)) for entry in entries)


def _stored(folder: Path) -> list[GroupStats]:
    try:
        return [group for held in stats(folder).values() for group in held.groups]
    except StoreError:
        return []


def _means(stored: Sequence[GroupStats], listing: PilotListing, answered: set[str]) -> tuple[float, float]:
    """Prompt and completion tokens of an answer of this kind in the store; 0 where there is none."""
    alike = [g for g in stored if g.task in listing.tasks and g.model in (listing.model, *answered)]
    answers = sum(group.answers for group in alike)
    if not answers:
        return 0.0, 0.0
    return (
        sum(group.prompt_tokens for group in alike) / answers,
        sum(group.completion_tokens for group in alike) / answers,
    )
