"""Agreement of two lists of scores: error, bias and rank correlation, each with a stated result for odd data."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from data_juicer_ext.evaluation.statistics.correlation import correlation

WITHIN = 1.0
NOISE = 1e-9  # 8.3 - 7.3 is a hair over 1 in binary


def errors(predicted: Sequence[float], gold: Sequence[float]) -> dict[str, Any]:
    """`n`, `mae` (mean absolute error), `within_1` (share with an error of at most 1) and `bias`.

    `bias` is the mean of predicted minus gold: positive is lenient. All but n are None for empty lists.
    Raises ValueError for lists of different length.
    """
    differences = [p - g for p, g in zip(predicted, gold, strict=True)]
    if not differences:
        return {"n": 0, "mae": None, "within_1": None, "bias": None}
    sizes = [abs(difference) for difference in differences]
    return {"n": len(sizes), "mae": fmean(sizes), "within_1": fmean(size <= WITHIN + NOISE for size in sizes),
            "bias": fmean(differences)}  # fmt: skip


def spearman(predicted: Sequence[float], gold: Sequence[float]) -> tuple[float | None, str]:
    """Spearman's rank correlation, ties at their mean rank; None and why where there is none."""
    found = correlation("srcc", predicted, gold, what="figures")
    return found.value, found.note.removeprefix("not defined: ")


def agreement(predicted: Sequence[float], gold: Sequence[float]) -> dict[str, Any]:
    """`errors` with `srcc`, and `srcc_note` ("" or why there is none)."""
    srcc, note = spearman(predicted, gold)
    return {**errors(predicted, gold), "srcc": srcc, "srcc_note": note}
