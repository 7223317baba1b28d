"""How many figures went into each stage of the curation and came out of it, by paper and over a run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_juicer_ext.curation.thresholds import STAGES
from data_juicer_ext.text_table import aligned

if TYPE_CHECKING:  # reports count stages without what measures images
    from data_juicer_ext.curation.findings import Finding, Item

OPERATOR = "figure_curation_mapper"
_SHOWN = 5  # reasons a line


@dataclass
class FunnelStage:
    """One stage: figures in and out, why figures were deleted, how others were marked, and why it was left out."""

    came: int = 0
    left: int = 0
    deleted: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """The stage as the record of a paper has it."""
        return {"in": self.came, "out": self.left, "deleted": dict(self.deleted), "marked": dict(self.marked),
                "skipped": dict(self.skipped)}  # fmt: skip

    def add(self, counted: Mapping[str, Any]) -> None:
        """Add the same stage of another paper, as JSON has it."""
        self.came += int(counted["in"])
        self.left += int(counted["out"])
        for mine, name in ((self.deleted, "deleted"), (self.marked, "marked"), (self.skipped, "skipped")):
            mine.update({str(reason): int(count) for reason, count in counted[name].items()})


def paper_funnel(items: Sequence[Item], skipped: Mapping[str, str]) -> dict[str, FunnelStage]:
    """The stages of one paper, from what became of its figures; `skipped` says why a stage did not run."""
    stages: dict[str, FunnelStage] = {}
    there = len(items)
    for name in STAGES:
        gone = [item.deleted for item in items if item.deleted is not None and item.deleted.stage == name]
        marks = [mark for item in items for mark in item.marks if mark.stage == name]
        why = Counter([skipped[name]] if name in skipped else [])
        stages[name] = FunnelStage(there, there - len(gone), _reasons(gone), _reasons(marks), why)
        there -= len(gone)
    return stages


def _reasons(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.reason for finding in findings)


@dataclass
class RunFunnel:
    """The funnels of all papers of a run, by the tag of the listing; a paper that was curated twice counts once."""

    papers: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = field(default_factory=dict)

    def watching(self, entries: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """The lines of a ledger as they are; those of curated papers are counted on the way."""
        for entry in entries:
            if entry.get("operator") == OPERATOR and "funnel" in (entry.get("detail") or {}):
                self.papers[entry["tag"], entry["row_id"]] = entry["verdict"], entry["detail"]["funnel"]
            yield entry

    def count(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Count the curated papers among the lines of a ledger."""
        deque(self.watching(entries), maxlen=0)

    def words(self) -> str:
        """A table a listing: figures in, out, deleted and marked, stage by stage, and why; "" if there is none."""
        tags = dict.fromkeys(tag for tag, _ in self.papers)
        return "\n".join(line for tag in tags for line in self._table(tag))

    def _table(self, wanted: str) -> Iterator[str]:
        papers = [paper for (tag, _), paper in self.papers.items() if tag == wanted]
        kept = sum(verdict == "keep" for verdict, _ in papers)
        yield f"data_juicer_ext: {wanted}: {len(papers)} papers, {kept} kept"
        table = [["stage", "in", "out", "deleted", "marked", "why"]]
        for name, title in STAGES.items():
            total = FunnelStage()
            for _, funnel in papers:
                total.add(funnel[name])
            table.append(_cells(f"{name} {title}", total))
        yield from (f"  {line}" for line in aligned(table, "<>>>><", (18, 6, 6)))


def _cells(title: str, stage: FunnelStage) -> list[str]:
    reasons = [f"{reason} {count}" for reason, count in (stage.deleted + stage.marked).most_common(_SHOWN)]
    reasons += [f"not done for {count} papers: {why}" for why, count in stage.skipped.most_common(_SHOWN)]
    numbers = stage.came, stage.left, stage.deleted.total(), stage.marked.total()
    return [title, *map(str, numbers), ", ".join(reasons)]
