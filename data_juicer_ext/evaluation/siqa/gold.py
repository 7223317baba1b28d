"""What people said of the images: a MOS file, rows of raters, or the review page's ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from data_juicer_ext.errors import UsageError
from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.evaluation.siqa.mos import Mos, Screening, make_mos
from data_juicer_ext.evaluation.siqa.votes import (
    ImageScores,
    image_of,
    path_of,
    rater_of,
    read_row,
    votes_of_ratings,
    votes_of_rows,
)
from data_juicer_ext.rows import Row, content_id

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating

KEYS = ("row_id", "figure_id", "image")
"""What images may be known by; "image" is the name of the file."""


def key_of(predicted: Sequence[Row], gold: Sequence[Row], asked: str = "") -> str:
    """What images are known by in both tables: `asked`, or the first of `KEYS` by which some image is in both.

    Raises UsageError where none is, unless a table is empty, and where two files of a table have one name.
    """
    choices = (asked,) if asked else KEYS
    for key in choices:
        if {image_of(row, key) for row in predicted} & {image_of(row, key) for row in gold} - {""}:
            for rows in (predicted, gold) if key == "image" else ():
                _check_names(rows)
            return key
    if predicted and gold:
        raise UsageError(f"no image is in both files by the same name; looked at: {', '.join(choices)}")
    return choices[0]


def _check_names(rows: Sequence[Row]) -> None:
    paths: dict[str, str] = {}
    for row in rows:
        path, name = path_of(row), image_of(row, "image")
        if paths.setdefault(name, path) != path:
            raise UsageError(f"{paths[name]} and {path} are both called {name}; name a column by --key")


def mos_of_ratings(
    ratings: Sequence[Rating], order: Screening, consensus: Mapping[str, ImageScores] | None
) -> tuple[Mos, list[str]]:
    """The MOS of the review page's ratings, by row id, and what was refused."""
    votes, refused = votes_of_ratings(ratings)
    return make_mos(votes, order, consensus), refused


def mos_of_rows(
    rows: Sequence[Row], key: str, order: Screening, consensus: Mapping[str, ImageScores] | None
) -> tuple[Mos, list[str]]:
    """The MOS that plain rows give, or that is made of them where they name raters; and what was refused."""
    if any(rater_of(row) for row in rows):
        votes, refused = votes_of_rows(rows, key)
        return make_mos(votes, order, consensus), refused
    scores, refused = scores_of(rows, key)
    return Mos(scores), refused


def consensus_of(rows: Sequence[Row], key: str) -> tuple[dict[str, ImageScores], list[str]]:
    """The reference images' scores; a row without `key` is known as the review page knows its `image` or `images`."""
    named = [row if image_of(row, key) else {**row, key: _as_reviewed(row)} for row in rows]
    return scores_of(named, key)


def _as_reviewed(row: Row) -> str:
    images = [row["image"]] if row.get("image") else row.get("images")
    return content_id("calibration", *map(str, images)) if isinstance(images, list) and images else ""


def scores_of(rows: Sequence[Row], key: str) -> tuple[dict[str, ImageScores], list[str]]:
    """Scores that are made already, by image, and what was refused."""
    scores, refused = dict[str, ImageScores](), list[str]()
    for row in rows:
        try:
            image, own = read_row(row, key)
            scores[image] = own
        except RowError as error:
            refused.append(f"gold: {error}")
    return scores, refused
