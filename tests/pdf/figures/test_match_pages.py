"""Matches of captions and drawings on one page and over the pages of a document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data_juicer_ext.pdf.figures.caption_matching import match_all, once_each, score
from data_juicer_ext.pdf.figures.regions import Candidate
from data_juicer_ext.pdf.page.geometry import Rect
from tests.pdf.figures.pages import caption

CAPTION = replace(caption(100, 300, 300, 320), sure=1.0)


@pytest.mark.parametrize(
    ("candidate", "usual", "expected"),
    [
        (Candidate(Rect(100, 100, 300, 300), "above"), "above", 1.0),
        (Candidate(Rect(100, 100, 300, 300), "above"), "", 0.925),
        (Candidate(Rect(100, 100, 300, 300), "above"), "below", 0.85),
        (Candidate(Rect(100, 100, 300, 300), "above", False), "above", 0.85),
        (Candidate(Rect(100, 100, 300, 260), "above"), "above", 0.875),  # 40 of 80 points away
        (Candidate(Rect(100, 100, 300, 220), "above"), "above", 0.75),
        (Candidate(Rect(100, 100, 300, 120), "above"), "above", 0.75),
        (Candidate(Rect(200, 100, 400, 300), "above"), "above", 0.875),  # half of it over the caption
        (Candidate(Rect(200, 320, 400, 400), "below"), "below", 0.875),
        (Candidate(Rect(400, 100, 600, 300), "above"), "above", 0.75),
        (Candidate(Rect(300, 300, 500, 320), "right"), "above", 0.85),
        (Candidate(Rect(340, 200, 500, 400), "right"), "", 0.8),
        (Candidate(Rect(0, 310, 100, 400), "left"), "", 0.8),
    ],
)
def test_overlap_distance_side_and_drawing_have_their_weights(
    candidate: Candidate, usual: str, expected: float
) -> None:
    assert score(CAPTION, candidate, usual) == pytest.approx(expected)


def test_how_sure_a_caption_is_weighs_a_fifth() -> None:
    candidate = Candidate(Rect(100, 100, 300, 300), "above")
    assert score(replace(CAPTION, sure=0.5), candidate, "above") == pytest.approx(0.9)


def test_a_drawing_that_shares_little_with_a_taken_one_may_still_be_anothers() -> None:
    other = replace(caption(100, 600, 300, 620, "2"), sure=1.0)
    first = Candidate(Rect(100, 100, 300, 300), "above")
    for top, numbers in ((300, ["1", "2"]), (275, ["1", "2"]), (265, ["1"]), (200, ["1"])):
        shared = Candidate(Rect(100, top, 300, 600), "above")
        found = match_all([(0, [(CAPTION, [first]), (other, [shared])])])
        assert sorted(match.caption.number for match in found) == numbers


def test_most_captions_with_one_drawing_tell_the_usual_side() -> None:
    above, below = Candidate(Rect(100, 100, 300, 300), "above"), Candidate(Rect(100, 320, 300, 520), "below")
    [match] = match_all([(0, [(CAPTION, [above, below])])])
    assert match.candidate is above  # as in most papers
    matches = match_all([(0, [(CAPTION, [above, below])]), (1, [(caption(100, 300, 300, 320, "2"), [below])])])
    assert [(match.page, match.candidate) for match in matches] == [(0, below), (1, below)]
    tie = [(1, [(caption(100, 300, 300, 320, "2"), [below])]), (2, [(caption(100, 300, 300, 320, "3"), [above])])]
    assert match_all([(0, [(CAPTION, [above, below])]), *tie])[0].candidate is above
    text = [(1, [(caption(100, 300, 300, 320, "2"), [replace(below, drawn=False)])])]
    assert match_all([(0, [(CAPTION, [above, below])]), *text])[0].candidate is above


def test_of_equal_matches_of_one_number_the_first_stays() -> None:
    above = Candidate(Rect(100, 100, 300, 300), "above")
    matches = match_all([(page, [(replace(CAPTION), [above])]) for page in (0, 1)])
    assert [match.page for match in once_each(matches)] == [0]
