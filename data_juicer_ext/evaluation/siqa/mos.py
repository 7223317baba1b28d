"""Mean opinion scores: the mean of the raters who count, by image and dimension."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import stdev
from typing import Any

from data_juicer_ext.evaluation.siqa.calibration import GATE, calibrated
from data_juicer_ext.evaluation.siqa.outliers import LEAST_CORRELATION, Method, outliers
from data_juicer_ext.evaluation.siqa.votes import DIMENSIONS, ExcludedRater, ImageScores, ImageVote, means
from data_juicer_ext.siqa.rating_levels import level_of


@dataclass(frozen=True)
class Screening:
    """What raters must do: an SRCC above `gate` in the calibration (None: no gate), and be no outlier by `method`.

    `scale` holds the ends of the scale that they rate on.
    """

    gate: float | None = GATE
    method: Method = "correlation"
    least: float = LEAST_CORRELATION
    scale: tuple[float, float] = (1.0, 5.0)


@dataclass(frozen=True)
class Mos:
    """Scores by image and dimension. `images` are rows for CSV, `raters` tell of each rater what it did and came to.

    Of scores that were made elsewhere there is nothing but `scores`.
    """

    scores: dict[str, ImageScores]
    images: list[dict[str, Any]] = field(default_factory=list)
    raters: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[ExcludedRater] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def make_mos(votes: Sequence[ImageVote], order: Screening, consensus: Mapping[str, ImageScores] | None = None) -> Mos:
    """The MOS of all images that are no reference images, of the raters that pass the gate and are no outliers.

    `images` get the level of each MOS too, where all are on the scale of `order`.
    """
    refused, tested = calibrated(votes, consensus, order.gate) if order.gate is not None else ([], {})
    notes = [] if order.gate is None else _of_gate(votes, bool(tested), consensus is None)
    gone = {entry.rater for entry in refused}
    passed = [vote for vote in votes if not vote.calibration and vote.rater not in gone]
    found, told = outliers(passed, order.method, order.least)
    gone |= {entry.rater for entry in found}
    counted = [vote for vote in passed if vote.rater not in gone]
    by_name = {name: means(counted, name) for name in DIMENSIONS}
    names = sorted({image for scores in by_name.values() for image in scores})
    scores = {image: {name: by_name[name][image] for name in DIMENSIONS if image in by_name[name]} for image in names}
    left_out = [*refused, *found]
    raters = [_rater(rater, votes, tested.get(rater, {}), left_out) for rater in sorted({v.rater for v in votes})]
    images = _images(counted, scores)
    notes += [told] if told else []
    return Mos(scores, images, raters, left_out, [*notes, *_add_levels(images, order.scale)])


def _of_gate(votes: Sequence[ImageVote], tested: bool, without: bool) -> list[str]:
    if not any(vote.calibration for vote in votes):
        return ["no calibration was rated: no rater was tested"]
    if not tested:
        return ["no rater was tested: there is no --consensus, and too few raters to make one of"]
    made = "the consensus of the calibration is the mean of the other raters: no --consensus was given"
    return [made] if without else []


def _rater(
    rater: str, votes: Sequence[ImageVote], tested: Mapping[str, Any], left_out: Sequence[ExcludedRater]
) -> dict[str, Any]:
    own = [vote for vote in votes if vote.rater == rater]
    out = next((entry for entry in left_out if entry.rater == rater), None)
    return {
        "rater": rater, "images": sum(not vote.calibration for vote in own),
        "calibration_images": sum(vote.calibration for vote in own),
        **{f"calibration_{name}": measure for name, measure in tested.items()},
        "left_out": out.stage if out else "", "reason": out.reason if out else "",
    }  # fmt: skip


def _images(votes: Sequence[ImageVote], scores: Mapping[str, ImageScores]) -> list[dict[str, Any]]:
    given: dict[tuple[str, str], list[float]] = {}
    for vote in votes:
        for name, score in vote.scores.items():
            given.setdefault((vote.image, name), []).append(score)
    rows = []
    for image, own in scores.items():
        row: dict[str, Any] = {"image": image}
        for name in DIMENSIONS:
            ratings = given.get((image, name), [])
            spread = stdev(ratings) if len(ratings) > 1 else None
            row |= {f"mos_{name}": own.get(name), f"sd_{name}": spread, f"n_{name}": len(ratings)}
        rows.append(row)
    return rows


def _add_levels(images: Sequence[dict[str, Any]], scale: tuple[float, float]) -> list[str]:
    """Set the level of each MOS, 1 (Bad) to 5 (Excellent); why there is none, if a score is off the scale."""
    low, high = scale
    given = [score for row in images for name in DIMENSIONS if (score := row[f"mos_{name}"]) is not None]
    if any(not low <= score <= high for score in given):
        return [f"no levels: a MOS is off the scale from {low:g} to {high:g}; give --scale"]
    for row in images:
        for name in DIMENSIONS:
            score = row[f"mos_{name}"]
            row[f"level_{name}"] = None if score is None else level_of(score, low, high)
    return []
