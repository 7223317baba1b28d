"""What the curation finds, figure by figure: nothing is deleted or marked without a `Finding`."""

from dataclasses import dataclass, field
from typing import Any

from data_juicer_ext.figures.image_appearance import ImageLook
from data_juicer_ext.rows import Figure


@dataclass(frozen=True)
class Finding:
    """Why a figure or a paper was deleted or marked.

    `stage` is S1 to S5, `reason` a short stable word, `measured` the number that decided and `threshold` what it
    was held against (None where nothing was measured). `other` is the figure_id of the figure that a duplicate
    repeats; `message` says the rest in words.
    """

    stage: str
    reason: str
    measured: float | None = None
    threshold: float | None = None
    other: str = ""
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """The finding without what it does not have."""
        optional = {"measured": self.measured, "threshold": self.threshold, "other": self.other,
                    "message": self.message[:300]}  # fmt: skip
        return {"stage": self.stage, "reason": self.reason,
                **{key: value for key, value in optional.items() if value not in (None, "")}}  # fmt: skip


@dataclass
class Item:
    """A figure on its way through the stages: what its images look like, why it went, how it is marked."""

    figure: Figure
    looks: list[ImageLook] = field(default_factory=list)
    deleted: Finding | None = None
    marks: list[Finding] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether it is a figure of its own and no panel of one."""
        return not self.figure.panel and not self.figure.parent_label

    def mark(self, finding: Finding) -> None:
        """Note a finding that deletes nothing; its reason becomes a flag of the figure."""
        self.marks.append(finding)
        self.figure.flags = sorted({*self.figure.flags, finding.reason})

    def as_json(self) -> dict[str, Any]:
        """The record of a deleted figure: what it was, and why it went."""
        figure = self.figure
        about = {"figure_id": figure.figure_id, "number": figure.number, "label": figure.label,
                 "caption": figure.caption[:200], "page": figure.page, "bbox": figure.bbox,
                 "images": figure.images}  # fmt: skip
        return {**about, **(self.deleted.as_json() if self.deleted else {})}


def remaining(items: list[Item]) -> list[Item]:
    """The items that have not been deleted."""
    return [item for item in items if item.deleted is None]
