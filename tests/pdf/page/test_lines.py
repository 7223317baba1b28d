"""Lines of a page, upright and on its side."""

from __future__ import annotations

import pymupdf
import pytest

from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line, _usual_turn, as_shown, upright_lines


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("offset", [0, 30])
def test_coordinates_are_those_of_the_page_as_it_is_shown(rotation: int, offset: int) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((100, 200), "some words that are read", fontsize=12)
    page.set_cropbox(pymupdf.Rect(offset, offset, 400, 600))
    page.set_rotation(rotation)
    shown = page.get_pixmap(colorspace=pymupdf.csGRAY)
    inked = [(x, y) for y in range(shown.height) for x in range(shown.width) if shown.pixel(x, y)[0] < 128]
    (line,), turn = upright_lines(page)
    rect = as_shown(line.rect, turn, page.rect.width, page.rect.height)
    assert line.turn == 0
    assert all(rect.grown(2).holds(Rect(x, y, x + 1, y + 1)) for x, y in inked)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_there_and_back(turn: int) -> None:
    x0, y0, x1, y1 = as_shown(Rect(10, 20, 40, 80), turn, 300, 500)
    assert (x1 - x0, y1 - y0) == ((30, 60) if turn % 180 == 0 else (60, 30))
    assert as_shown(as_shown(Rect(10, 20, 40, 80), 90, 300, 500), 270, 500, 300) == Rect(10, 20, 40, 80)


def test_fonts_of_a_line() -> None:
    page = pymupdf.open().new_page()
    writer = pymupdf.TextWriter(page.rect)
    writer.append((72, 72), "Figure 1. ", font=pymupdf.Font("hebo"))
    writer.append(writer.last_point, "The speed of the reaction in it.", font=pymupdf.Font("helv"))
    writer.append((72, 100), "x = 1", font=pymupdf.Font("cour"))
    writer.write_text(page)
    (caption, code), _ = upright_lines(page)
    assert caption.bold_lead and caption.lead != caption.font and not caption.is_code
    assert code.is_code
    assert 60 < caption.rect.y0 < caption.base == 72


def test_captions_side_by_side_are_two_lines() -> None:
    page = pymupdf.open().new_page()
    writer = pymupdf.TextWriter(page.rect)
    writer.append((72, 72), "Figure 1: The slow one.", fontsize=10)
    writer.append((72 + 118, 72), "Figure 2: The fast one.", fontsize=10)
    writer.write_text(page)
    assert [line.text for line in upright_lines(page)[0]] == ["Figure 1: The slow one.", "Figure 2: The fast one."]


def test_sentences_say_how_a_page_lies_and_labels_only_where_there_are_none() -> None:
    def line(letters: int, turn: int) -> Line:
        return Line(Rect(0, 0, 1, 1), "x" * letters, 10.0, "Roman", "Roman", False, 0, turn, 1.0)

    labels = [line(24, 90)] * 3
    assert _usual_turn([*labels, line(25, 270)]) == 270
    assert _usual_turn([*labels, line(24, 270)]) == 90
    assert _usual_turn([]) == 0
