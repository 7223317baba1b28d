"""Captions whose drawing is on another page."""

from __future__ import annotations

from data_juicer_ext.pdf.figures.offpage_captions import match_adrift
from data_juicer_ext.pdf.figures.regions import Candidate
from data_juicer_ext.pdf.page.geometry import Rect
from tests.pdf.figures.pages import caption

FIRST, SECOND = caption(70, 100, 300, 110), caption(70, 200, 300, 210, "2")
DRAWN = Candidate(Rect(70, 60, 530, 700), "below")


def test_a_single_caption_goes_with_the_page_before_it_or_else_behind_it() -> None:
    for pages, found in (({2, 4}, [2]), ({4}, [4]), ({1, 5}, []), (set[int](), [])):
        matches = match_adrift([(3, FIRST)], dict.fromkeys(pages, DRAWN))
        assert [match.page for match in matches] == found
        assert all(match.caption is FIRST and match.candidate is DRAWN and match.score == 0.5 for match in matches)
    assert match_adrift([], {1: DRAWN}) == []


def test_a_list_of_legends_goes_with_as_many_drawings_behind_it() -> None:
    matches = match_adrift([(3, FIRST), (3, SECOND)], {9: DRAWN, 7: DRAWN, 1: DRAWN})
    assert [(match.caption.number, match.page) for match in matches] == [("1", 7), ("2", 9)]


def test_where_the_numbers_differ_each_page_goes_to_one_caption_next_to_it() -> None:
    matches = match_adrift([(3, FIRST), (3, SECOND)], {4: DRAWN})
    assert [(match.caption.number, match.page) for match in matches] == [("1", 4)]
    matches = match_adrift([(3, FIRST), (3, SECOND)], {2: DRAWN, 4: DRAWN})
    assert [(match.caption.number, match.page) for match in matches] == [("1", 2), ("2", 4)]
