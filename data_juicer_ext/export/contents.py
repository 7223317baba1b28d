"""What an export holds, counted while its rows are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.ingest.licences import NONE, read_licence
from data_juicer_ext.report.composition import Composition
from data_juicer_ext.report.funnel import Step
from data_juicer_ext.report.shortcuts import Baseline, Shortcuts

UNKNOWN = "not known"
Maker = tuple[str, str, str]  # tag, model, prompt with its version


@dataclass
class SplitCounts:
    """One split: its rows, papers and figures."""

    rows: int = 0
    papers: set[str] = field(default_factory=set)
    figures: set[tuple[str, ...]] = field(default_factory=set)


@dataclass
class Contents:
    """The rows of an export by split, and what they are made of.

    `left_out` counts rows of the run that are not in the export, by reason; `broken_images` says for each row why its
    images refused it. `undecided` is how many rows the run has not decided. `notes` are what a reader has to know of
    the run. `files` are the splits' files, as patterns relative to the folder.
    """

    kind: str
    splits: dict[str, SplitCounts]
    steps: list[Step] = field(default_factory=list)
    blind: list[Baseline] = field(default_factory=list)
    undecided: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    broken_images: dict[str, str] = field(default_factory=dict)
    composition: Composition = field(default_factory=Composition)
    shortcuts: Shortcuts = field(default_factory=Shortcuts)
    licences: Counter[str] = field(default_factory=Counter)
    makers: Counter[Maker] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows were exported."""
        return self.composition.rows

    def add(self, row: Mapping[str, Any], split: str, paper: str, images: tuple[str, ...]) -> None:
        """Count one row that was written; `paper` and `images` are what its split goes by."""
        self.composition.add(row)
        self.shortcuts.add(row)
        self.licences[licence_of(row)] += 1
        self.makers.update(set(_makers(row)))
        counts = self.splits[split]
        counts.rows += 1
        counts.papers.add(paper)
        counts.figures.add(images)


def licence_of(row: Mapping[str, Any]) -> str:
    """A row's licence as rows carry it, `UNKNOWN` for none."""
    licence = read_licence(row.get("licence"))
    return UNKNOWN if licence.name == NONE else licence.text


def _makers(row: Mapping[str, Any]) -> list[Maker]:
    try:
        provenance = json.loads(row.get("provenance") or "{}")
    except (ValueError, TypeError):
        return []
    steps = provenance.get("steps") if isinstance(provenance, dict) else None
    named = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return [
        (str(step.get("tag") or ""), model, str(step.get("prompt") or ""))
        for step in named
        for model in map(str, step.get("models") or [step.get("model") or ""])
    ]
