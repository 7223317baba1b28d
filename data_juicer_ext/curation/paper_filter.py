"""S5: papers that gave too little: too many of their figures are unusable, or have no number to bind text by."""

from collections.abc import Sequence

from data_juicer_ext.curation.figure_numbers import place_in_series
from data_juicer_ext.curation.findings import Finding, Item, remaining
from data_juicer_ext.curation.thresholds import S5, Rules


def paper_finding(items: Sequence[Item], rules: Rules) -> Finding | None:
    """Why a paper is dropped, None if it is not; panels do not count beside their figures.

    `too_many_deleted`: hard-deleted figures / all figures is over `rules.max_deleted`. `indices_missing`: figures
    without a number / figures left is over `rules.max_unnumbered`. A paper without figures has neither.
    """
    figures = [item for item in items if item.whole]
    left = remaining(figures)
    deleted = len(figures) - len(left)
    if figures and (gone := deleted / len(figures)) > rules.max_deleted:
        message = f"{deleted} of {len(figures)} figures were deleted"
        return Finding(S5, "too_many_deleted", round(gone, 4), rules.max_deleted, message=message)
    unnumbered = [item for item in left if place_in_series(item.figure.number) is None]
    if left and (share := len(unnumbered) / len(left)) > rules.max_unnumbered:
        message = f"{len(unnumbered)} of {len(left)} figures have no number"
        return Finding(S5, "indices_missing", round(share, 4), rules.max_unnumbered, message=message)
    return None


def drop_paper(items: Sequence[Item], finding: Finding) -> None:
    """Delete what is left of a paper, for that reason."""
    for item in remaining(list(items)):
        item.deleted = finding
