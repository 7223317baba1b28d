"""The five stages in order, over the figures of one paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.curation.anomalies import flag_anomalies
from data_juicer_ext.curation.findings import Finding, Item, remaining
from data_juicer_ext.curation.hard_filter import hard_filter
from data_juicer_ext.curation.paper_filter import drop_paper, paper_finding
from data_juicer_ext.curation.recrop import PdfSource, recrop_broken
from data_juicer_ext.curation.soft_marks import ReadText, mark_quality, read_text
from data_juicer_ext.curation.stage_counts import FunnelStage, paper_funnel
from data_juicer_ext.curation.thresholds import S1, S2, S3, S4, S5, STAGES, Rules
from data_juicer_ext.rows import Figure

NO_PDF = "the figures are not from a PDF"


@dataclass(frozen=True)
class Curation:
    """What became of a paper: each of its figures, why the paper was dropped (None: it was not), the stages' counts."""

    items: list[Item]
    dropped: Finding | None
    funnel: dict[str, FunnelStage]

    @property
    def figures(self) -> list[Figure]:
        """The figures that are left, marked."""
        return [item.figure for item in remaining(self.items)]

    def counts(self) -> dict[str, Any]:
        """The funnel as JSON has it."""
        return {name: stage.as_json() for name, stage in self.funnel.items()}

    def record(self) -> dict[str, Any]:
        """The whole record: verdict on the paper, counts of the stages, every deleted and every marked figure."""
        marked = [
            {"figure_id": item.figure.figure_id, "marks": [mark.as_json() for mark in item.marks]}
            for item in self.items
            if item.marks
        ]
        return {
            "verdict": "drop" if self.dropped else "keep",
            "dropped": self.dropped.as_json() if self.dropped else {},
            "funnel": self.counts(),
            "deleted": [item.as_json() for item in self.items if item.deleted is not None],
            "marked": marked,
        }


def curate(
    figures: Sequence[Figure], rules: Rules, source: PdfSource | None = None, read: ReadText = read_text
) -> Curation:
    """Curate the figures of one paper; they are changed in place (flags, quality, images and box of a new crop).

    `source` is the PDF that they were cut out of, None for figures from LaTeX, whose S3 is left out. `read` reads
    the text of an image.
    """
    items = [Item(figure) for figure in figures]
    skipped = {name: "switched off" for name in STAGES if name not in rules.stages}
    sizes = source.sizes if source else {}
    if S1 not in skipped:
        hard_filter(items, rules)
    survivors = remaining(items)
    if S2 not in skipped:
        flag_anomalies(items, survivors, rules, sizes)
    if S3 not in skipped and source is None:
        skipped[S3] = NO_PDF
    elif S3 not in skipped and source is not None:
        recrop_broken(survivors, rules, source)
    if S4 not in skipped:
        mark_quality(survivors, sizes, read if rules.ocr else None)
    dropped = None if S5 in skipped else paper_finding(items, rules)
    if dropped:
        drop_paper(items, dropped)
    return Curation(items, dropped, paper_funnel(items, skipped))
