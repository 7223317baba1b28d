"""Outlier raters. SIQA does not say how it finds them; two ways are here.

correlation: SRCC with the mean of the other raters, in the worse dimension; while the lowest is too low, that rater
goes and all are computed anew. bt500: the screening of observers of ITU-R BT.500, once.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

from data_juicer_ext.evaluation.siqa.votes import DIMENSIONS, LEAST_RATERS, ExcludedRater, ImageVote, means
from data_juicer_ext.evaluation.statistics.correlation import correlation

Method = Literal["correlation", "bt500", "off"]
LEAST_CORRELATION = 0.5
LEAST_IMAGES = 5  # a correlation over fewer is chance
BT500_RATERS = 6  # of n ratings none is further than (n-1)/sqrt(n) deviations from their mean: 2.04 for six
_BT500_FAR, _BT500_LOPSIDED = 0.05, 0.3


def outliers(
    votes: Sequence[ImageVote], method: Method = "correlation", least: float = LEAST_CORRELATION
) -> tuple[list[ExcludedRater], str]:
    """The raters left out as outliers, and a word on what the method could not do here, or "".

    `least` is the SRCC that a rater needs by the method `correlation`.
    """
    raters = {vote.rater for vote in votes}
    if method == "off" or not raters:
        return [], ""
    if len(raters) < LEAST_RATERS:
        return [], f"no outliers sought: {len(raters)} raters, and it takes {LEAST_RATERS} to tell who is one"
    return _bt500(votes) if method == "bt500" else _by_correlation(votes, least)


def _by_correlation(votes: Sequence[ImageVote], least: float) -> tuple[list[ExcludedRater], str]:
    left_out, gone = list[ExcludedRater](), set[str]()
    while True:
        left = [vote for vote in votes if vote.rater not in gone]
        raters = sorted({vote.rater for vote in left})
        lowest = min((_lowest(left, rater) for rater in raters), default=(1.0, "", ""))
        if len(raters) < LEAST_RATERS or lowest[0] >= least:
            break
        value, rater, name = lowest
        gone.add(rater)
        reason = f"{name}: SRCC {value:.3f} with the mean of the others, under {least:g}"
        left_out.append(ExcludedRater(rater, "outlier", reason))
    few = sorted(rater for rater in raters if not any(_shared(left, rater, name) for name in DIMENSIONS))
    told = f"not screened, with fewer than {LEAST_IMAGES} images that others rated: {', '.join(few)}" if few else ""
    return left_out, told


def _lowest(votes: Sequence[ImageVote], rater: str) -> tuple[float, str, str]:
    """A rater's correlation with the others in its worse dimension: value, rater, dimension."""
    found = [(_agreement(*shared), rater, name) for name in DIMENSIONS if (shared := _shared(votes, rater, name))]
    return min(found, default=(1.0, rater, ""))


def _agreement(own: list[float], others: list[float]) -> float:
    """SRCC; 0 for a rater who says the same of all images, 1 where the others do and there is nothing to rank."""
    return 1.0 if max(others) == min(others) else correlation("srcc", own, others).value or 0.0


def _shared(votes: Sequence[ImageVote], rater: str, name: str) -> tuple[list[float], list[float]] | None:
    own = means([vote for vote in votes if vote.rater == rater], name)
    others = means([vote for vote in votes if vote.rater != rater], name)
    images = sorted(own.keys() & others.keys())
    if len(images) < LEAST_IMAGES:
        return None
    return [own[image] for image in images], [others[image] for image in images]


def _bt500(votes: Sequence[ImageVote]) -> tuple[list[ExcludedRater], str]:
    """ITU-R BT.500, annex on the analysis of results: raters who are often far off, and on either side alike."""
    left_out: dict[str, ExcludedRater] = {}
    enough = False
    for name in DIMENSIONS:
        by_image: dict[str, dict[str, float]] = {}
        for vote in votes:
            if name in vote.scores:
                by_image.setdefault(vote.image, {})[vote.rater] = vote.scores[name]
        enough |= any(len(given) >= BT500_RATERS for given in by_image.values())
        for rater, (above, below, rated) in far_off(by_image).items():
            far = above + below
            if far / rated > _BT500_FAR and abs(above - below) / far < _BT500_LOPSIDED:
                reason = f"{name}: {above} of {rated} ratings far above and {below} far below the others (ITU-R BT.500)"
                left_out.setdefault(rater, ExcludedRater(rater, "outlier", reason))
    told = "" if enough else f"BT.500 finds nobody here: no image has {BT500_RATERS} ratings, which it takes"
    return sorted(left_out.values(), key=lambda entry: entry.rater), told


def far_off(by_image: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[int, int, int]]:
    """By rater how many ratings are far above and far below the image's mean, of how many.

    Far is 2 standard deviations where the kurtosis of the image's ratings is from 2 to 4, else the root of 20 of them.
    """
    found: dict[str, tuple[int, int, int]] = {}
    for ratings in by_image.values():
        spread = stdev(ratings.values()) if len(ratings) > 1 else 0.0
        mean = fmean(ratings.values())
        limit = spread * (2 if 2 <= _kurtosis(ratings.values()) <= 4 else math.sqrt(20))
        for rater, score in ratings.items():
            above, below, rated = found.get(rater, (0, 0, 0))
            is_above, is_below = spread > 0 and score >= mean + limit, spread > 0 and score <= mean - limit
            found[rater] = above + is_above, below + is_below, rated + 1
    return found


def _kurtosis(values: Collection[float]) -> float:
    """The fourth central moment by the square of the second: 3 for a normal distribution; 0 for equal values."""
    mean = fmean(values)
    second = fmean((value - mean) ** 2 for value in values)
    return fmean((value - mean) ** 4 for value in values) / second**2 if second else 0.0
