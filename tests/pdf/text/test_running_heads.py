"""Lines at the same place of many pages: heads, and page numbers."""

from __future__ import annotations

import pytest

from data_juicer_ext.pdf.page.lines import Line
from data_juicer_ext.pdf.text.running_heads import running_heads
from tests.pdf.figures.pages import line

HEAD = "Drag of ribbed plates"


def heads(pages: list[list[Line]]) -> list[list[str]]:
    return [[each.text for each in found] for found in running_heads(pages, [800.0] * len(pages))]


def repeated(*texts: str, top: float = 40.0, pages: int = 3) -> list[list[Line]]:
    return [[line(70, top, 300, texts[index % len(texts)])] for index in range(pages)]


@pytest.mark.parametrize(("pages", "found"), [(2, False), (3, True)])
def test_a_line_at_the_same_place_of_three_pages_is_a_head(pages: int, found: bool) -> None:
    assert heads(repeated(HEAD, pages=pages)) == [[HEAD] if found else []] * pages


@pytest.mark.parametrize(
    ("text", "top", "found"),
    [
        (HEAD, 110, True), (HEAD, 111, False), (HEAD, 680, True), (HEAD, 679, False),
        ("Plates", 70, True), ("Plates", 71, False), ("Plates", 720, True), ("Plates", 719, False),
        ("Plates 10.", 110, True), ("Plates 1.", 110, False),
    ],
)  # fmt: skip
def test_heads_stand_in_the_margin_short_ones_at_its_outer_part(text: str, top: float, found: bool) -> None:
    assert heads(repeated(text, top=top)) == [[text] if found else []] * 3


def test_a_head_may_hold_the_number_of_its_page() -> None:
    texts = [f"Plates, page {page}" for page in (3, 4, 5)]
    assert heads(repeated(*texts)) == [[text] for text in texts]
    assert heads(repeated("Drag of plates", "Heat of plates", "Flow of plates")) == [[], [], []]
    moved = [[line(70, top, 300, HEAD)] for top in (40, 41, 44)]
    assert heads(moved) == [[], [], []]


def test_a_page_number_grows_from_page_to_page() -> None:
    assert heads(repeated("17", "18", "19", top=770)) == [["17"], ["18"], ["19"]]
    assert heads(repeated("- 17 -", "(18)", "19", top=770)) == [["- 17 -"], ["(18)"], ["19"]]
    assert heads(repeated("17", "17", "17", top=770)) == [[], [], []], "the label of an axis"


def test_a_mark_counts_once_on_a_page() -> None:
    twice = [[line(70, 40, 300, HEAD), line(320, 40, 500, HEAD)], [line(70, 40, 300, HEAD)]]
    assert heads(twice) == [[], []]
