"""Columns, sizes and running heads, from the lines of pages."""

from __future__ import annotations

from data_juicer_ext.pdf.page.document_style import styles_of
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line
from data_juicer_ext.pdf.text.running_heads import running_heads

WORDS = "we measure how the rate of the reaction depends on it"


def line(x0: float, y0: float, x1: float, text: str = WORDS, size: float = 10.0, font: str = "Roman") -> Line:
    return Line(Rect(x0, y0, x1, y0 + size), text, size, font, font, False, 0, 0, y0 + 0.8 * size)


def page(*columns: tuple[float, float], size: float = 10.0, font: str = "Roman") -> list[Line]:
    return [line(x0, 60 + 12 * row, x1, size=size, font=font) for x0, x1 in columns for row in range(50)]


def test_one_and_two_columns() -> None:
    one = styles_of([page((70, 530))])
    two = styles_of([page((50, 290), (310, 550)), [line(50, 40, 550)] * 9])
    assert one is not None and one.of(0).columns == ((70, 530),)
    assert two is not None and two.of(0).columns == ((50, 290), (310, 550))
    assert (two.of(0).size, two.of(0).font, two.of(0).pitch) == (10.0, "Roman", 12.0)


def test_columns_that_shift_from_page_to_page() -> None:
    styles = styles_of([page((90, 500)), page((60, 470))] * 3)
    assert styles is not None
    assert (styles.of(2).columns, styles.of(3).columns) == (((90, 500),), ((60, 470),))


def test_code_is_no_running_text_unless_there_is_little_else() -> None:
    code = page((70, 530), size=8.0, font="Courier") * 3
    mixed, only = styles_of([page((70, 530)), code]), styles_of([code])
    assert mixed is not None and mixed.of(0).font == "Roman"
    assert only is not None and only.of(0).font == "Courier"


def test_no_text_no_style() -> None:
    assert styles_of([]) is None
    assert styles_of([[line(70, 60, 100, "7")]]) is None


def test_running_heads_and_page_numbers() -> None:
    pages = [
        [line(70, 30, 300, "Speeds by A. Author"), line(300, 780, 306, str(n + 7)), line(70, 200, 530)]
        for n in range(4)
    ]
    heads = running_heads(pages, [800] * 4)
    assert [[found.text for found in page] for page in heads] == [["Speeds by A. Author", str(n + 7)] for n in range(4)]


def test_labels_of_an_axis_are_no_page_numbers() -> None:
    pages = [[line(70, 60, 80, "1000"), line(90, 60, 120, "Time")] for _ in range(2)] + [[line(70, 60, 80, "1000")]]
    assert running_heads(pages, [800] * 3) == [[], [], []]
