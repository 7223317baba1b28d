"""S2: figures that stand out from their paper: far too large, beyond the page, oddly numbered. Deletes nothing."""

import math
from collections.abc import Mapping, Sequence
from statistics import median

from data_juicer_ext.curation.figure_numbers import mark_indices
from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.thresholds import S2, Rules

OVERSIZED, WIDTH_OVERFLOW, HEIGHT_OVERFLOW = "oversized", "width_overflow", "height_overflow"
BROKEN_CROP = frozenset({OVERSIZED, WIDTH_OVERFLOW, HEIGHT_OVERFLOW})
_SLACK = 1.0  # points that a box may stand out of its page by rounding

Sizes = Mapping[int, tuple[float, float]]


def flag_anomalies(everything: Sequence[Item], survivors: Sequence[Item], rules: Rules, sizes: Sizes) -> None:
    """Mark what is anomalous among the survivors of S1.

    `everything` are all figures of the paper, the deleted ones included; `sizes` the width and height in points of
    the pages that are known (figures on others are not looked at for overflow).
    """
    medians = median_areas(survivors)
    for item in survivors:
        for finding in crop_findings(item, item.figure.bbox, medians, rules, sizes):
            item.mark(finding)
    mark_indices(everything, survivors)


def median_areas(items: Sequence[Item]) -> dict[str, float]:
    """The median area of the paper's whole figures: of boxes in square points, of images without one in pixels."""
    areas: dict[str, list[float]] = {}
    for item in items:
        if item.whole:
            areas.setdefault(_kind(item.figure.bbox), []).append(_area(item, item.figure.bbox))
    return {kind: median(found) for kind, found in areas.items()}


def _kind(box: Sequence[float]) -> str:
    return "points" if len(box) == 4 else "pixels"


def _area(item: Item, box: Sequence[float]) -> float:
    if len(box) == 4:
        return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
    return float(sum(look.width * look.height for look in item.looks))


def crop_findings(
    item: Item, box: Sequence[float], medians: Mapping[str, float], rules: Rules, sizes: Sizes
) -> list[Finding]:
    """What says that the crop of a figure at `box` is broken; panels are not held against whole figures."""
    if not item.whole:
        return []
    usual = medians.get(_kind(box)) or math.inf
    ratio = _area(item, box) / usual
    found = [Finding(S2, OVERSIZED, round(ratio, 3), rules.max_area_ratio)] if ratio > rules.max_area_ratio else []
    if len(box) == 4 and item.figure.page in sizes:
        width, height = sizes[item.figure.page]
        found += _overflow(WIDTH_OVERFLOW, box[0], box[2], width, rules.max_page_share)
        found += _overflow(HEIGHT_OVERFLOW, box[1], box[3], height, rules.max_page_share)
    return found


def _overflow(reason: str, start: float, end: float, length: float, most: float) -> list[Finding]:
    share = (end - start) / length
    if share > most:
        return [Finding(S2, reason, round(share, 4), most)]
    if start < -_SLACK or end > length + _SLACK:
        beyond = max(-start, end - length)
        return [Finding(S2, reason, round(beyond, 1), 0.0, message="points beyond the edge of the page")]
    return []
