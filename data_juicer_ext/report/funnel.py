"""The funnel of a run: what each operator took in, kept, refused and left undecided.

The layout follows VeriSciQA, table 1: papers, figures, claims, questions, then what is left after
each filter, with its share of the claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# What an operator's kept rows are called, and how many one decision stands for.
_UNITS = {
    "latex_figure_context_mapper": "papers read",
    "figure_curation_mapper": "figures curated",
    "figure_rows_mapper": "figures",
    "claim_extractor_mapper": "claims",
    "mcq_generator_mapper": "questions",
}


@dataclass
class Step:
    """One operator's part in the funnel. `out` counts rows that went on, `rows` decisions."""

    operator: str
    tag: str
    rows: int = 0
    out: int = 0
    kept: int = 0
    refused: int = 0
    undecided: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """What its rows are: "claims", or "after <tag>" for a filter."""
        return _UNITS.get(self.operator, f"after {self.tag}")


def funnel(decisions: Iterable[Mapping[str, Any]]) -> list[Step]:
    """The steps of a run in the order in which their first decisions were made."""
    steps: dict[tuple[str, str], Step] = {}
    for entry in decisions:
        key = entry["operator"], entry["tag"]
        step = steps.setdefault(key, Step(*key))
        step.rows += 1
        verdict = entry["verdict"]
        step.kept += verdict == "keep"
        step.refused += verdict == "drop"
        step.undecided += verdict == "undecided"
        step.out += entry["made"]
        if verdict != "keep":
            step.reasons[entry["reason"]] += 1
    return sorted(steps.values(), key=_position)


def _position(step: Step) -> int:
    # On Ray the stages overlap in time; the generating steps have a fixed order, filters follow.
    names = list(_UNITS)
    return names.index(step.operator) if step.operator in names else len(names)


def table(steps: list[Step]) -> str:
    """The funnel as lines of text: count, share of the claims, and why rows left."""
    claims = next((step.out for step in steps if step.name == "claims"), 0)
    lines = [f"{'step':<36}{'rows':>7}{'of claims':>11}{'refused':>9}{'undecided':>11}  why"]
    past_claims = False
    for step in steps:
        past_claims |= step.name == "claims"
        share = f"{step.out / claims:.1%}" if past_claims and claims else ""
        why = ", ".join(f"{reason} {count}" for reason, count in step.reasons.most_common(4))
        lines.append(f"{step.name:<36}{step.out:>7}{share:>11}{step.refused:>9}{step.undecided:>11}  {why}".rstrip())
    return "\n".join(lines)
