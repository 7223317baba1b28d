"""Captions ranked for drawings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data_juicer_ext.pdf.figures.caption_matching import THRESHOLD, match_all, once_each, score
from data_juicer_ext.pdf.figures.captions import Caption
from data_juicer_ext.pdf.figures.regions import Candidate
from data_juicer_ext.pdf.page.geometry import Rect

CAPTION = Caption("1", (), Rect(100, 300, 300, 320), 0.9)
ABOVE = Candidate(Rect(100, 100, 300, 290), "above")


@pytest.mark.parametrize(
    "worse",
    [
        (CAPTION, replace(ABOVE, rect=Rect(100, 60, 300, 250))),  # farther away
        (CAPTION, replace(ABOVE, rect=Rect(250, 100, 450, 290))),  # less above it
        (replace(CAPTION, sure=0.5), ABOVE),  # less like a caption
        (CAPTION, replace(ABOVE, drawn=False)),  # only text
    ],
)
def test_overlap_distance_cue_and_drawing_count(worse: tuple[Caption, Candidate]) -> None:
    assert THRESHOLD < score(*worse, "above") < score(CAPTION, ABOVE, "above") <= 1.0


def test_the_usual_side_counts() -> None:
    assert score(CAPTION, ABOVE, "below") < score(CAPTION, ABOVE, "") < score(CAPTION, ABOVE, "above")


def test_what_is_below_the_threshold_is_not_taken() -> None:
    far = Candidate(Rect(500, 0, 560, 60), "above", False)
    assert match_all([(0, [(replace(CAPTION, sure=0.5), [far])])]) == []


def test_one_drawing_goes_to_one_caption() -> None:
    below = Caption("2", (), Rect(100, 520, 300, 540), 0.9)
    shared = Rect(100, 330, 300, 510)
    pages = [(0, [(CAPTION, [ABOVE, Candidate(shared, "below")]), (below, [Candidate(shared, "above")])])]
    matches = {match.caption.number: match.candidate.rect for match in match_all(pages)}
    assert matches == {"1": ABOVE.rect, "2": shared}


def test_of_two_captions_with_one_number_the_better_stays_and_what_goes_on() -> None:
    weak, on = replace(CAPTION, sure=0.5), replace(CAPTION, continued=True)
    matches = match_all([(0, [(weak, [ABOVE])]), (1, [(CAPTION, [ABOVE])]), (2, [(on, [ABOVE])])])
    assert [match.page for match in once_each(matches)] == [1, 2]
