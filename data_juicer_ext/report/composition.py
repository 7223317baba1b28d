"""What the kept rows are made of: domains, figure and question types, licences, and how they spread over figures."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.qa.arxiv_domains import archive

NOT_GIVEN = "not given"
_COLUMNS = {
    "Domain (arXiv archive)": "domain",
    "Figure type": "figure_type",
    "Diagram type": "diagram_type",
    "Question type": "question_type",
    "Licence": "licence",
    "Venue": "venue",
}
_OPTIONS = "Options a question"
_FLAGS = "Done to images for the model"


@dataclass
class Composition:
    """Counts over kept rows. `parts` maps a heading to counts; one whose rows all lack the value is left out."""

    rows: int = 0
    papers: set[str] = field(default_factory=set)
    figures: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row."""
        self.rows += 1
        paper = str(row.get("paper_id") or "")
        self.papers.add(paper)
        self.figures[paper, str(row.get("figure_id") or "")] += 1
        for heading, column in _COLUMNS.items():
            if column in row:
                value = str(row[column] or "").strip()
                self._count(heading, archive(value) if column == "domain" else value)
        if isinstance(row.get("options"), list):
            self._count(_OPTIONS, str(len(row["options"])))
        for flag in image_flags(row):
            self._count(_FLAGS, flag)

    @property
    def parts(self) -> dict[str, list[tuple[str, int]]]:
        """Each heading with its values, the most frequent first."""
        found = {}
        for heading, counted in self.counts.items():
            if set(counted) != {NOT_GIVEN}:
                found[heading] = sorted(counted.items(), key=lambda item: (item[0] == NOT_GIVEN, -item[1], item[0]))
        return found

    @property
    def most_of_a_figure(self) -> int:
        """The most rows that one figure has."""
        return max(self.figures.values(), default=0)

    def _count(self, heading: str, value: str) -> None:
        self.counts.setdefault(heading, Counter())[value or NOT_GIVEN] += 1


def image_flags(row: Mapping[str, Any]) -> list[str]:
    """The flags of an `image_flags` column, which holds a JSON list; [] where it holds anything else."""
    try:
        flags = json.loads(row.get("image_flags") or "[]")
    except (ValueError, TypeError):
        return []
    return [str(flag) for flag in flags] if isinstance(flags, list) else []
