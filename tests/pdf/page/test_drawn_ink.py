"""What is drawn on a page."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from data_juicer_ext.pdf.page.drawn_ink import Ink, read_graphics
from data_juicer_ext.pdf.page.geometry import Rect, union


def marks(*rects: tuple[int, int, int, int]) -> Ink:
    ink = np.zeros((100, 200), dtype=bool)
    for x0, y0, x1, y1 in rects:
        ink[y0:y1, x0:x1] = True
    return Ink(ink)


def test_extent_amount_and_stretches() -> None:
    ink = marks((10, 20, 30, 40), (50, 60, 60, 70))
    everything = Rect(-5, -5, 500, 500)
    assert ink.extent(everything) == Rect(10, 20, 60, 70)
    assert ink.extent(Rect(100, 0, 200, 100)) is None
    assert ink.amount(Rect(0, 0, 40, 100)) == 400
    assert ink.bands(everything) == [(20, 40), (60, 70)]
    assert ink.gaps(Rect(10, 0, 70, 100)) == [(30, 50), (60, 70)]
    assert ink.rows(Rect(0, 30, 200, 65)) == 15


def test_what_is_wiped_out_is_gone_and_the_rest_stays() -> None:
    ink = marks((10, 20, 30, 40), (50, 60, 60, 70))
    assert ink.without([Rect(50, 60, 60, 70), Rect(-9, -9, 2, 2)]).extent(Rect(0, 0, 200, 100)) == Rect(10, 20, 30, 40)
    assert ink.amount(Rect(0, 0, 200, 100)) == 500


@pytest.mark.parametrize("area", [Rect(0, 0, 0, 0), Rect(50, 50, 40, 40), Rect(300, 300, 400, 400)])
def test_areas_of_nothing(area: Rect) -> None:
    ink = marks((10, 20, 30, 40))
    assert (ink.extent(area), ink.amount(area), ink.bands(area), ink.gaps(area)) == (None, 0, [], [])


def test_a_page() -> None:
    page = pymupdf.open().new_page(width=200, height=100)
    page.draw_rect((50, 20, 90, 60), fill=(0, 0, 1), color=None)
    page.draw_rect((0, 0, 200, 100), fill=(1, 1, 1), color=None, overlay=False)
    page.draw_rect((100, 20, 105, 25), fill=(1, 0, 0), color=None)
    page.insert_text((10, 90), "words")
    strokes, grounds = read_graphics(page)
    assert (strokes, grounds) == ([], [Rect(50, 20, 90, 60)])
    assert Ink.of_page(page, pymupdf.csGRAY).extent(Rect(40, 0, 95, 70)) == Rect(50, 20, 90, 60)


def test_rectangles() -> None:
    one, other = Rect(0, 0, 10, 20), Rect(5, 10, 25, 30)
    assert one.meets(other) and not one.meets(Rect(11, 0, 12, 1))
    assert (one.shared_width(other), one.shared_height(other)) == (5, 10)
    assert one.share(other) == 0.25 and one.share(Rect(50, 50, 60, 60)) == 0.0
    assert one.holds(Rect(-1, 0, 10, 20)) and not one.holds(Rect(-2, 0, 10, 20))
    assert one.holds_middle(Rect(9, 9, 11, 11)) and not one.holds_middle(other)
    assert union([one, other]) == Rect(0, 0, 25, 30)
