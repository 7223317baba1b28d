"""Which of VeriSciQA's four error kinds a filter's refusals stand for (sections 2 and 3.3, appendices D and F)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.report.funnel import FunnelStep

KINDS = {
    "E1": "incorrectly visually grounded",
    "E2": "figure-intent misaligned",
    "E3": "non-visual",
    "E4": "outside knowledge",
}
# The vote can't tell a wrong answer from one that the figure does not show. No filter looks for E2: making the
# questions from the authors' claims is what keeps it away.
_IMPLIED = {
    "source_consistency_filter": ("E1",),
    "visual_dependence_filter": ("E3",),
    "vision_vote_filter": ("E1", "E4"),
}


@dataclass(frozen=True)
class ImpliedErrors:
    """Refusals that stand for the same error kinds; `kinds` is () for those that imply none."""

    kinds: tuple[str, ...]
    refused: int
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """The kinds in words."""
        return " or ".join(f"{kind} {KINDS[kind]}" for kind in self.kinds) or "none implied"


def implied_by(operator: str) -> tuple[str, ...]:
    """The error kinds that a refusal by this operator stands for, one of them each time; () if none."""
    return _IMPLIED.get(operator, ())


def by_error_kind(steps: Sequence[FunnelStep]) -> list[ImpliedErrors]:
    """The refusals of a run by what they imply, E1 first, and last those that imply nothing."""
    groups: dict[tuple[str, ...], list[FunnelStep]] = {}
    for step in steps:
        if step.refused:
            groups.setdefault(implied_by(step.operator), []).append(step)
    order = sorted(groups, key=lambda kinds: kinds or ("none",))
    return [ImpliedErrors(k, sum(s.refused for s in groups[k]), tuple(s.tag for s in groups[k])) for k in order]
