"""Rows that are not in an export, by reason, each with its name."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from data_juicer_ext.rows import scrub

REASONS = {
    "no_row_id": "without a row_id",
    "other_kind": "of another kind",
    "same_row_id": "with the row_id of another row",
    "not_whole": "not whole",
    "undecided": "undecided",
    "not_accepted": "not accepted by most reviewers",
    "licence": "of another licence",
    "no_image": "without an image",
    "image_missing": "with an image that is missing",
    "image_unreadable": "with an image that can't be read",
    "image_too_large": "with an image that is too large for the format",
    "too_many_images": "with more images than the format takes",
    "near_duplicate_question": "asking what another question about the figure asks",
    "over_the_limit": "over the limit per figure",
}
"""The reasons, in the order in which they are looked at, in words that follow a number of rows."""


@dataclass
class LeftOut:
    """The rows left out: `rows` are (reason, row_id, what is wrong), in the order in which they were met.

    `undecided` counts the undecided rows of the run, which need not be among them.
    """

    undecided: int = 0
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, reason: str, row_id: str, message: str = "") -> None:
        """Note one row; `message` holds no path of this machine."""
        self.rows.append((reason, scrub(row_id), scrub(message)))

    def counts(self) -> dict[str, int]:
        """How many rows by reason, in the order of `REASONS`."""
        found = Counter(reason for reason, _, _ in self.rows)
        return {reason: found[reason] for reason in REASONS if found[reason]}

    def in_words(self) -> str:
        """The reasons with their counts on one line."""
        counts = self.counts()
        told = [f"{count:,} {REASONS[reason]}" for reason, count in counts.items()]
        if self.undecided and "undecided" not in counts:
            told.append(f"{self.undecided:,} rows of the run are undecided; run it again to decide them")
        return "; ".join(told)

    def sorted(self) -> Iterator[dict[str, str]]:
        """The rows in an order of their own, as plain objects."""
        order = list(REASONS)
        for reason, row_id, message in sorted(self.rows, key=lambda row: (order.index(row[0]), *row[1:])):
            yield {"row_id": row_id, "reason": reason, **({"message": message} if message else {})}
