"""Everything that a report says of a run, in numbers: from its ledger and its export, each read as a stream."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.curation.stage_counts import FunnelStage
from data_juicer_ext.curation.thresholds import STAGES
from data_juicer_ext.report.composition import Composition
from data_juicer_ext.report.costs import Costs, costs
from data_juicer_ext.report.funnel import FunnelStep, ImpliedErrors, by_error_kind, funnel
from data_juicer_ext.report.ledger_decisions import Counted, count
from data_juicer_ext.report.run_selection import RunSelection
from data_juicer_ext.report.sample_choice import FigureKey, RowsToChoose, Spread, choose
from data_juicer_ext.report.samples import (
    SamplePicture,
    SampleRow,
    evidence,
    figure_of,
    from_ledger,
    from_row,
    said_of,
    undecided_rows,
)
from data_juicer_ext.report.score_distribution import Distribution, ScoreDistributions, scored
from data_juicer_ext.report.shortcut_audit import Baseline, Shortcuts, blind_baselines
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.operator_words import words_in


@dataclass
class KeptRows:
    """The rows of the export: what they are made of, how they could be guessed, their scores, and a few of them.

    `strangers` counts rows that no counted decision kept, `broken` the lines that could not be read.
    """

    composition: Composition = field(default_factory=Composition)
    shortcuts: Shortcuts = field(default_factory=Shortcuts)
    scores: ScoreDistributions = field(default_factory=ScoreDistributions)
    pictures: dict[FigureKey, SamplePicture] = field(default_factory=dict)
    samples: list[SampleRow] = field(default_factory=list)
    strangers: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows were kept."""
        return self.composition.rows


@dataclass(frozen=True)
class Cause:
    """Why rows are undecided at a listing, how many, and one of their messages."""

    tag: str
    reason: str
    count: int
    message: str = ""


@dataclass(frozen=True)
class CurationTable:
    """One listing of the curation: papers in and kept, and the totals of its stages by title."""

    tag: str
    papers: int
    kept: int
    stages: dict[str, FunnelStage]


@dataclass(frozen=True)
class SampleGroup:
    """Rows of one kind to show; `total` is how many there are of that kind."""

    title: str
    verdict: str
    total: int
    samples: list[SampleRow]


@dataclass(frozen=True)
class RunReport:
    """A report; `notes` are what has to be known to read the numbers.

    `scored` has the scores of all rows, by listing; `repeated` and `last` are those of `Counted`.
    """

    scope: RunSelection
    steps: list[FunnelStep]
    kept: KeptRows
    errors: list[ImpliedErrors]
    undecided: list[Cause]
    costs: Costs
    curation: list[CurationTable]
    blind: list[Baseline]
    scored: dict[str, list[Distribution]]
    groups: list[SampleGroup]
    notes: list[str]
    repeated: int
    last: float


def make_report(scope: RunSelection, size: int = 4) -> RunReport:
    """The report of the runs in `scope`, with up to `size` sample rows of each kind."""
    counted = count(scope)
    steps = funnel(counted.decisions(), words_in(scope.about))
    kept = _kept(scope, counted, steps, size)
    chosen = choose(counted, size, kept.pictures, kept_too=not kept.rows)
    messages, groups = _shown(scope, chosen, kept)
    return RunReport(
        scope, steps, kept, by_error_kind(steps), _causes(counted, messages), costs(counted, scope),
        _curation(counted), blind_baselines(counted), _scored(counted, kept), groups, _notes(scope, kept),
        counted.repeated, counted.last,
    )  # fmt: skip


def _kept(scope: RunSelection, counted: Counted, steps: Sequence[FunnelStep], size: int) -> KeptRows:
    found = KeptRows()
    if scope.export is None:
        return found
    rows = counted.decided.get((steps[-1].operator, steps[-1].tag), {}) if steps else {}
    shown: Spread[Mapping[str, Any]] = Spread(size)
    for row in read_rows(scope.export, broken=found.broken.append):
        found.composition.add(row)
        found.shortcuts.add(row)
        found.scores.add(row)
        row_id, figure = str(row.get("row_id") or ""), figure_of(row)
        decision = rows.get(row_id)
        found.strangers += decision is None or decision.verdict != "keep"
        if figure not in found.pictures:
            found.pictures[figure] = SamplePicture.of(row)
        shown.offer("\x1f".join(figure), row_id, row)
    found.samples = [from_row(row) for row in shown.chosen]
    for sample in found.samples:
        sample.verdict = "keep"
    return found


def _shown(
    scope: RunSelection, chosen: Sequence[RowsToChoose], kept: KeptRows
) -> tuple[dict[tuple[str, str], str], list[SampleGroup]]:
    """The messages of undecided rows by listing and reason, and the groups of samples."""
    rows = [row for group in chosen for row in group.rows]
    found = evidence(scope, {row.figure for row in rows} | {(row.paper_id, row.figure_id) for row in kept.samples})
    whole = {(str(r["row_id"])): r for r in undecided_rows(scope, {row.row_id for row in rows})}
    for sample in kept.samples:
        sample.said = said_of(sample.row_id, found) or sample.said
    messages: dict[tuple[str, str], str] = {}
    groups = [SampleGroup("Kept", "keep", kept.rows, kept.samples)] if kept.rows else []
    for group in chosen:
        samples = []
        for row in group.rows:
            undecided = row.decision.verdict == "undecided"
            sample = from_ledger(row, found, whole.get(row.row_id) if undecided else None)
            if not sample.picture.images:
                sample.picture = found.pictures.get(row.figure) or kept.pictures.get(row.figure) or sample.picture
            samples.append(sample)
            if undecided and sample.message:
                messages.setdefault((sample.tag, sample.reason), sample.message)
        groups.append(SampleGroup(_title(group), group.verdict, group.total, samples))
    return messages, groups


def _title(group: RowsToChoose) -> str:
    tag = group.listing[1]
    return {"keep": f"Kept by {tag}, the last step so far", "drop": f"Refused by {tag}"}.get(
        group.verdict, f"Undecided at {tag}"
    )


def _causes(counted: Counted, messages: Mapping[tuple[str, str], str]) -> list[Cause]:
    causes: Counter[tuple[str, str]] = Counter()
    for (_, tag), rows in counted.decided.items():
        causes.update((tag, made.reason) for made in rows.values() if made.verdict == "undecided")
    return [Cause(*key, number, messages.get(key, "")) for key, number in causes.most_common()]


def _curation(counted: Counted) -> list[CurationTable]:
    tables: dict[str, CurationTable] = {}
    for (tag, _), (verdict, funnel_of_paper) in counted.curated.papers.items():
        table = tables.get(tag) or CurationTable(tag, 0, 0, {title: FunnelStage() for title in _titles()})
        for name, title in zip(STAGES, _titles(), strict=True):
            table.stages[title].add(funnel_of_paper[name])
        tables[tag] = CurationTable(tag, table.papers + 1, table.kept + (verdict == "keep"), table.stages)
    return list(tables.values())


def _scored(counted: Counted, kept: KeptRows) -> dict[str, list[Distribution]]:
    """The scores of all scored rows, where these are not just the kept ones, whose columns say the same."""
    rows = kept.rows
    return {tag: made for tag, made in scored(counted).items() if not rows or any(d.count > rows for d in made)}


def _titles() -> Iterable[str]:
    return [f"{name} {title}" for name, title in STAGES.items()]


def _notes(scope: RunSelection, kept: KeptRows) -> list[str]:
    notes = list(scope.notes)
    if kept.strangers and not scope.shards.get("running"):
        notes.append(
            f"{kept.strangers:,} exported rows are not among those that the last step kept: the export may be of "
            "another run, or operators of others may come after it."
        )
    if kept.broken:
        notes.append(f"{len(kept.broken)} lines of the export could not be read, the first: {kept.broken[0]}")
    if scope.shards.get("pending") or scope.shards.get("running"):
        counted = ", ".join(f"{number} {state}" for state, number in sorted(scope.shards.items()))
        notes.append(f"Shards: {counted}.")
    return notes
