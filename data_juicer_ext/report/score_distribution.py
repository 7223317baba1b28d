"""How the scores of rows are spread: every numeric column of an export, and the scores that the ledger notes."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from data_juicer_ext.report.ledger_decisions import Counted, FigureScores

MOST_COLUMNS = 24
_BINS = 10
# 0 in these columns stands for a dimension that could not be scored, never for a low score.
_GATED = "quality_"
_GIVES = "scored"  # the reason of a decision that gives scores


@dataclass
class Distribution:
    """The values of one score. `gated` counts rows that have none, which no other number here includes."""

    name: str
    values: Counter[float] = field(default_factory=Counter)
    gated: int = 0

    @property
    def count(self) -> int:
        """How many rows have a score."""
        return self.values.total()

    @property
    def mean(self) -> float:
        """The mean score; 0 without any."""
        return sum(value * count for value, count in self.values.items()) / self.count if self.count else 0.0

    @property
    def median(self) -> float:
        """The score in the middle, the lower one of two; 0 without any."""
        passed = 0
        for value in sorted(self.values):
            passed += self.values[value]
            if passed * 2 >= self.count:
                return value
        return 0.0

    def bins(self) -> list[tuple[str, int]]:
        """The bars of a histogram: a bar a value where these are few whole numbers, else ten equal widths."""
        if not self.values:
            return []
        low, high = min(self.values), max(self.values)
        if all(value == int(value) for value in self.values) and high - low <= 2 * _BINS:
            return [(f"{value}", self.values[value]) for value in range(int(low), int(high) + 1)]
        if low == high:
            return [(f"{low:.4g}", self.count)]
        edges = [low + (high - low) * step / _BINS for step in range(_BINS + 1)]
        counted = [0] * _BINS
        for value, count in self.values.items():
            counted[min(_BINS - 1, int((value - low) / (high - low) * _BINS))] += count
        return [(f"{a:.4g} to {b:.4g}", n) for (a, b), n in zip(pairwise(edges), counted, strict=True)]


@dataclass
class ScoreDistributions:
    """The distributions of numeric columns over kept rows, up to `MOST_COLUMNS`."""

    columns: dict[str, Distribution] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count the numbers of one row; those that are not finite are none."""
        for name, value in row.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or name.startswith("__dj__"):
                continue
            if name not in self.columns and len(self.columns) >= MOST_COLUMNS:
                continue
            column = self.columns.setdefault(name, Distribution(name))
            if value == 0 and name.startswith(_GATED):
                column.gated += 1
            elif math.isfinite(value):
                column.values[round(float(value), 2)] += 1


def scored(counted: Counted) -> dict[str, list[Distribution]]:
    """The scores of all rows that were scored, kept later or not, by the tag of the listing that scored them."""
    found = {}
    for (_, tag), rows in counted.decided.items():
        # A filter notes the scores that it goes by as well; it gives none.
        given = [
            made.rest.scores for made in rows.values() if isinstance(made.rest, FigureScores) and made.reason == _GIVES
        ]
        if given:
            found[tag] = _distributions(given)
    return found


def _distributions(given: list[dict[str, float]]) -> list[Distribution]:
    names = dict.fromkeys(name for scores in given for name in scores)
    return [_distribution(name, given) for name in sorted(names, key="overall".__ne__)]


def _distribution(name: str, given: list[dict[str, float]]) -> Distribution:
    made = Distribution(name, gated=sum(name not in scores for scores in given))
    made.values.update(round(scores[name], 2) for scores in given if name in scores)
    return made
