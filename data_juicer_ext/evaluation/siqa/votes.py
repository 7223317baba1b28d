"""People's scores of images, and scores that are made already: from the review page's ratings, or from plain rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.rows import Row

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating

DIMENSIONS = ("perception", "knowledge")
FORM = "siqa"
LEAST_RATERS = 3  # of two who differ neither can be told to be wrong
_RATER = ("annotator", "rater", "rater_id")
_SPELLINGS = {name: (f"rating_{name}", f"mos_{name}", name) for name in DIMENSIONS}

ImageScores = dict[str, float]  # by dimension; one that is not there was not given


@dataclass(frozen=True)
class ImageVote:
    """What one rater gave one image; `calibration` marks reference images, on which raters are tested."""

    rater: str
    image: str
    scores: ImageScores
    calibration: bool = False


@dataclass(frozen=True)
class ExcludedRater:
    """A rater whose scores do not count: at which stage ("calibration" or "outlier"), and why."""

    rater: str
    stage: str
    reason: str


def votes_of_ratings(ratings: Iterable[Rating]) -> tuple[list[ImageVote], list[str]]:
    """The votes in form `siqa`, and what was refused, with the reason."""
    found, refused = list[ImageVote](), list[str]()
    for rating in ratings:
        if rating.form == FORM:
            try:
                scores = _scores(rating.ratings, rating.row_id)
                found.append(ImageVote(rating.annotator, rating.row_id, scores, rating.calibration))
            except RowError as error:
                refused.append(f"{rating.annotator}: {error}")
    return found, refused


def votes_of_rows(rows: Iterable[Row], key: str) -> tuple[list[ImageVote], list[str]]:
    """Votes of plain rows with a rater each; the last vote of a rater on an image counts."""
    found, refused = dict[tuple[str, str], ImageVote](), list[str]()
    for row in rows:
        try:
            image, scores = read_row(row, key)
            rater = rater_of(row)
            if not rater:
                raise RowError(f"{image}: names no rater")
            found[rater, image] = ImageVote(rater, image, scores, row.get("calibration") is True)
        except RowError as error:
            refused.append(str(error))
    return list(found.values()), refused


def means(votes: Sequence[ImageVote], name: str) -> dict[str, float]:
    """The mean score by image."""
    given: dict[str, list[float]] = {}
    for vote in votes:
        if name in vote.scores:
            given.setdefault(vote.image, []).append(vote.scores[name])
    return {image: fmean(scores) for image, scores in given.items()}


def rater_of(row: Row) -> str:
    """Who gave a row's scores; "" for scores that are made already."""
    return next((str(row[name]) for name in _RATER if row.get(name) not in (None, "")), "")


def read_row(row: Row, key: str) -> tuple[str, ImageScores]:
    """The image that a row is about, and its scores by dimension: `rating_perception`, `mos_perception`, `perception`.

    Raises RowError for a row that names no image or holds no score.
    """
    image = image_of(row, key)
    if not image:
        raise RowError(f"a row without {key}: {str(dict(row))[:80]}")
    given = {
        name: next((row[spelling] for spelling in spellings if row.get(spelling) not in (None, "")), None)
        for name, spellings in _SPELLINGS.items()
    }
    return image, _scores(given, image)


def image_of(row: Row, key: str) -> str:
    """What `key` says of a row; of key "image" the file's name alone, of the columns `image` or `images`."""
    if key == "image":
        return Path(path_of(row)).name
    return str(row[key]) if row.get(key) not in (None, "") else ""


def path_of(row: Row) -> str:
    """The path of a row's image, "" where it has none."""
    images = row.get("images")
    return str(row.get("image") or (images[0] if isinstance(images, list) and images else ""))


def _scores(given: Row, image: str) -> ImageScores:
    scores = {name: _number(given[name], name, image) for name in DIMENSIONS if given.get(name) is not None}
    if not scores:
        raise RowError(f"{image}: has neither perception nor knowledge")
    return scores


def _number(value: Any, name: str, image: str) -> float:
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise RowError(f"{image}: {name} is {value!r}, not a number")
    return number
