"""The funnel of a run: what each operator took in, kept, refused and left undecided.

The layout follows VeriSciQA, table 1: papers, figures, claims, questions, then what is left after
each filter, with its share of the claims; and which kinds of error the refusals stand for.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.runs.operator_words import EARLIER, OperatorWords
from data_juicer_ext.text_table import aligned

# The lines of table 1 in the paper's order.
_TABLE_1 = (
    "Papers", "Atomic claims extracted", "QA pairs generated", "After text-based filtering",
    "After vision-based filtering",
)  # fmt: skip


@dataclass
class FunnelStep:
    """One listing's part in the funnel. `out` counts rows that went on, `rows` decisions."""

    operator: str
    tag: str
    rows: int = 0
    out: int = 0
    kept: int = 0
    refused: int = 0
    undecided: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    words: OperatorWords = field(default_factory=OperatorWords)

    @property
    def name(self) -> str:
        """What its rows are: "claims", or "after <tag>" where its operator has no word for them."""
        return self.words.kept_rows or f"after {self.tag}"

    @property
    def kept_share(self) -> float:
        """The share of its decisions that keep, 0 to 1."""
        return self.kept / self.rows if self.rows else 0.0


def funnel(decisions: Iterable[Mapping[str, Any]], words: Mapping[str, OperatorWords] = EARLIER) -> list[FunnelStep]:
    """The steps of a run in the recipe's order, as far as `words` know it, else as their first decisions were made.

    On Ray the stages overlap in time.
    """
    steps: dict[tuple[str, str], FunnelStep] = {}
    for entry in decisions:
        key = entry["operator"], entry["tag"]
        step = steps.setdefault(key, FunnelStep(*key, words=words.get(key[0], OperatorWords())))
        step.rows += 1
        verdict = entry["verdict"]
        step.kept += verdict == "keep"
        step.refused += verdict == "drop"
        step.undecided += verdict == "undecided"
        step.out += entry["made"]
        if verdict != "keep":
            step.reasons[entry["reason"]] += 1
        if verdict == "drop":
            step.refusals[entry["reason"]] += 1
    return sorted(steps.values(), key=lambda step: step.words.place)


def whole(steps: Sequence[FunnelStep]) -> FunnelStep | None:
    """The step whose rows are the whole that shares are taken of: claims, else figures; None without either."""
    named = {step.name: step for step in reversed(steps)}
    return next((named[name] for name in ("claims", "figures") if name in named), None)


def share_of_whole(step: FunnelStep, steps: Sequence[FunnelStep]) -> float | None:
    """What of the whole is left after a step, 0 to 1; None before the whole is there, or where it is empty."""
    base = whole(steps)
    return None if base is None or not base.out or steps.index(step) < steps.index(base) else step.out / base.out


def table_1(steps: Sequence[FunnelStep]) -> list[tuple[str, int, float | None]]:
    """The lines of the paper's table 1 as far as the run has come: step, count, share of the claims.

    [] for a run that makes no claims. The text-based filters count as one, what is left after the last of them.
    """
    claims = next((step.out for step in steps if step.name == "claims"), None)
    if claims is None:
        return []
    lines: list[tuple[str, int, float | None]] = []
    for name in _TABLE_1:
        # The blind check's second listing may show its answers to a vision model; it is still blind.
        last = next((step for step in reversed(steps) if step.words.table_1_line == name), None)
        if last is not None:
            share = last.out / claims if claims and name != "Papers" else None
            lines.append((name, last.out, share))
    return lines


def table(steps: Sequence[FunnelStep], of_step: bool = False) -> str:
    """The funnel as lines of text: count, share of the whole, and why rows left.

    `of_step`: also the share of each step's own decisions that keep.
    """
    base = whole(steps)
    of_whole = f"of {base.name}" if base else ""
    heads = ["step", "rows", of_whole, "kept", "refused", "undecided", "why"]
    rows = [heads, *(_cells(step, steps) for step in steps)]
    shown = rows if of_step else [[*row[:3], *row[4:]] for row in rows]
    return "\n".join(aligned(shown, "<>>>>><" if of_step else "<>>>><", (36, 5, 9)))


def _cells(step: FunnelStep, steps: Sequence[FunnelStep]) -> list[str]:
    share = share_of_whole(step, steps)
    left = "" if share is None else f"{share:.1%}"
    why = ", ".join(f"{reason} {count}" for reason, count in step.reasons.most_common(4))
    return [step.name, str(step.out), left, f"{step.kept_share:.1%}", str(step.refused), str(step.undecided), why]


@dataclass(frozen=True)
class ImpliedErrors:
    """Refusals that stand for the same error kinds; `kinds` is () for those that imply none."""

    kinds: tuple[str, ...]
    refused: int
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """The kinds in words."""
        return " or ".join(self.kinds) or "none implied"


def by_error_kind(steps: Sequence[FunnelStep]) -> list[ImpliedErrors]:
    """The refusals of a run by what they imply, E1 first, and last those that imply nothing."""
    refused: Counter[tuple[str, ...]] = Counter()
    tags: dict[tuple[str, ...], dict[str, None]] = {}
    for step in steps:
        for reason, count in step.refusals.items():
            kinds = step.words.kinds_of(reason)
            refused[kinds] += count
            tags.setdefault(kinds, {})[step.tag] = None
    order = sorted(refused, key=lambda kinds: (not kinds, kinds))
    return [ImpliedErrors(kinds, refused[kinds], tuple(tags[kinds])) for kinds in order]
