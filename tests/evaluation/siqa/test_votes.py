from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.evaluation.quality.rows import RowError
from data_juicer_ext.evaluation.siqa.votes import ImageVote, image_of, means, read_row, votes_of_ratings, votes_of_rows
from data_juicer_ext.ratings.rating_file import Rating


def test_ratings_of_the_review_page() -> None:
    ratings = [
        Rating("anna", "siqa", "f1", {"perception": 4, "knowledge": 2}),
        Rating("anna", "siqa", "c1", {"perception": 5, "knowledge": 5}, calibration=True),
        Rating("anna", "verisciqa", "f1", {"overall_quality": 4}),
        Rating("ben", "siqa", "f1", {"perception": None, "knowledge": 3}),
        Rating("ben", "siqa", "f2", {}),
    ]
    votes, refused = votes_of_ratings(ratings)
    assert votes == [
        ImageVote("anna", "f1", {"perception": 4.0, "knowledge": 2.0}),
        ImageVote("anna", "c1", {"perception": 5.0, "knowledge": 5.0}, True),
        ImageVote("ben", "f1", {"knowledge": 3.0}),
    ]
    assert refused == ["ben: f2: has neither perception nor knowledge"]


def test_plain_rows_of_raters_the_last_of_a_rater_counting() -> None:
    rows = [
        {"row_id": "f1", "rater": "a", "perception": 1, "knowledge": 1},
        {"row_id": "f1", "annotator": "a", "mos_perception": "2", "knowledge": 2, "calibration": True},
        {"row_id": "f1", "perception": 1, "knowledge": 1},
        {"rater": "a", "perception": 1},
    ]
    votes, refused = votes_of_rows(rows, "row_id")
    assert votes == [ImageVote("a", "f1", {"perception": 2.0, "knowledge": 2.0}, True)]
    assert refused[0] == "f1: names no rater" and refused[1].startswith("a row without row_id")


@pytest.mark.parametrize("value", ["high", float("nan"), float("inf"), True, [3]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(RowError, match=r"f1: knowledge is .* not a number"):
        read_row({"row_id": "f1", "perception": 3, "knowledge": value}, "row_id")


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"image": "set/a.png"}, "a.png"),
        ({"images": ["run/b.jpg", "c.jpg"]}, "b.jpg"),
        ({"images": []}, ""),
        ({}, ""),
    ],
)
def test_an_image_may_be_known_by_its_files_name(row: dict[str, Any], name: str) -> None:
    assert image_of(row, "image") == name


def test_means_pass_over_what_was_not_given() -> None:
    votes = [
        ImageVote("a", "f1", {"perception": 2}),
        ImageVote("b", "f1", {"perception": 5, "knowledge": 1}),
        ImageVote("c", "f2", {}),
    ]
    assert means(votes, "perception") == {"f1": 3.5} and means(votes, "knowledge") == {"f1": 1}
