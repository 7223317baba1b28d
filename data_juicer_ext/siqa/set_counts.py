"""How a set of questions is made up: the share of Yes, the letters of What and How, dimensions, categories."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.siqa.answer_balance import can_turn, image_of
from data_juicer_ext.siqa.refine import is_yes

NONE = "(not said)"
_LABELS = {"yes_no": "Yes/No", "what": "What", "how": "How"}


@dataclass
class SetCounts:
    """Counts of a set of question rows.

    `yes` and `yes_no` are by wording: "plain", "negated", and "one wording only" for rows that have no other.
    `letters` are by question type, `types` by (dimension, question type). `categories` hold (rows, images).
    """

    rows: int = 0
    yes: Counter[str] = field(default_factory=Counter)
    yes_no: Counter[str] = field(default_factory=Counter)
    letters: dict[str, Counter[str]] = field(default_factory=dict)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    categories: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def yes_share(self) -> float:
        """The share of Yes among the Yes/No rows, 0 to 1; 0 where there are none."""
        return self.yes.total() / max(1, self.yes_no.total())


def count_rows(rows: Iterable[Mapping[str, Any]], category_column: str = "image_category") -> SetCounts:
    """Count rows that keep the rules of their types."""
    counts, images, members = SetCounts(), dict[str, set[str]](), Counter[str]()
    for row in rows:
        kind = str(row.get("question_type") or NONE)
        counts.rows += 1
        counts.types[str(row.get("dimension") or NONE), kind] += 1
        counts.letters.setdefault(kind, Counter())[str(row.get("answer") or NONE)] += 1
        category = str(row.get(category_column) or NONE)
        members[category] += 1
        images.setdefault(category, set()).add(image_of(row))
        if kind == "yes_no":
            wording = "one wording only" if not can_turn(row) else "negated" if row["negated"] == "yes" else "plain"
            counts.yes_no[wording] += 1
            counts.yes[wording] += is_yes(row)
    counts.categories = {name: (members[name], len(images[name])) for name in sorted(members)}
    return counts


def comparison(before: SetCounts, after: SetCounts) -> list[str]:
    """Both as lines of a report."""
    lines = [f"rows: {before.rows} before, {after.rows} after"]
    for when, counts in (("before", before), ("after", after)):
        if counts.yes_no:
            lines.append(f"Yes share {when}: {counts.yes_share:.1%} of {counts.yes_no.total()} ({_wordings(counts)})")
    for kind in ("what", "how"):
        for when, counts in (("before", before), ("after", after)):
            if kind in counts.letters:
                lines.append(f"{_LABELS[kind]} letters {when}: {_shares(counts.letters[kind])}")
    lines.append("dimension, question type: before -> after")
    for name in sorted(before.types | after.types):
        lines.append(f"  {name[0]}, {_LABELS.get(name[1], name[1])}: {before.types[name]} -> {after.types[name]}")
    if set(before.categories) - {NONE}:
        lines.append("category: rows (images) before -> after")
        lines += [f"  {name}: {_both(before, name)} -> {_both(after, name)}" for name in sorted(before.categories)]
    return lines


def _wordings(counts: SetCounts) -> str:
    return ", ".join(f"{name}: {counts.yes[name]} of {number}" for name, number in sorted(counts.yes_no.items()))


def _shares(letters: Counter[str]) -> str:
    names: Sequence[str] = sorted(letters)
    return ", ".join(f"{name} {letters[name] / letters.total():.1%} ({letters[name]})" for name in names)


def _both(counts: SetCounts, category: str) -> str:
    rows, images = counts.categories.get(category, (0, 0))
    return f"{rows} ({images})"
