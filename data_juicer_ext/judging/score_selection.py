"""Which scored figures to keep: by the overall score, or by dimension."""

from collections.abc import Mapping
from typing import Any

from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.models.types import Verdict
from data_juicer_ext.rows import object_in

NULLS = ("pass", "drop")


def load_quality(text: Any) -> dict[str, Any] | None:
    """The content of a `quality` column with its `scores` and `overall`, None where there is none to be read.

    A score is a number, or null where a dimension is gated; anything else makes the whole column unreadable.
    """
    quality = object_in(text)
    scores = quality.get("scores")
    if not isinstance(scores, dict) or not all(score is None or _is_number(score) for score in scores.values()):
        return None
    return quality if _is_number(quality.get("overall")) else None


def verdict_on(
    quality: Mapping[str, Any] | None, least: Mapping[str, float], nulls: str = "pass"
) -> tuple[Verdict, str]:
    """Whether to keep a figure, and a reason.

    `least` holds the least score of "overall" and of dimensions; those that it leaves out, or asks 0
    of, are not looked at. A null dimension says nothing of the quality: it passes, or with `nulls` "drop" the
    figure falls where a score is asked for. Reasons: good_enough, below:<what>, null:<dimension> (the first
    that falls short, overall before the dimensions), not_scored (undecided).
    """
    if quality is None:
        return "undecided", "not_scored"
    scores = {"overall": quality["overall"], **{name: quality["scores"].get(name) for name in DIMENSIONS}}
    for name, score in scores.items():
        wanted = least.get(name, 0)
        if wanted and not _is_number(score) and nulls == "drop":
            return "drop", f"null:{name}"
        if wanted and _is_number(score) and score < wanted:
            return "drop", f"below:{name}"
    return "keep", "good_enough"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
