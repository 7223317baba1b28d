"""Known captions in print, told by number and likeness."""

from __future__ import annotations

from data_juicer_ext.pdf.figures.known_captions import find_captions, letters
from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line


def line(text: str, y: float = 100, x: float = 50, size: float = 9, turn: int = 0) -> Line:
    rect = Rect(x, y, x + 5 * len(text), y + size)
    return Line(rect, text, size, "font", "font", False, 0, turn)


def test_the_number_and_the_words_decide() -> None:
    pages = [
        [line("Figure 1 shows the rates."), line("Figure 1: Rates of the reaction.", 300)],
        [line("Figure 2: Losses at the walls."), line("Figure 3: Rates of the reaction.", 300)],
    ]
    places = find_captions(
        pages, [("1", "Rates of the reaction."), ("2", "Losses at the walls"), ("4", "Other words.")]
    )
    assert [(place.page, place.rect.y0) if place else None for place in places] == [(0, 300), (1, 100), None]


def test_ligatures_hyphens_and_mathematics_do_not_matter() -> None:
    assert letters("ﬁ-\nnal  ﬂow, x²") == letters("final flow x2")
    pages = [[line("Figure 1: The eﬃciency η of the reac-", 100), line("tion at T = 300 K.", 111)]]
    (place,) = find_captions(pages, [("1", "The efficiency $\\eta$ of the reaction at T=300 K.")])
    assert place is not None
    assert place.rect.y1 == 120


def test_a_caption_ends_where_its_words_end() -> None:
    pages = [[line("Figure 1: Rates of the", 100), line("reaction.", 111), line("We now turn to the walls.", 122)]]
    (place,) = find_captions(pages, [("1", "Rates of the reaction.")])
    assert place is not None
    assert place.rect.y1 == 120


def test_another_number_needs_nearly_the_same_words() -> None:
    pages = [[line("Figure 7: The rates of the reaction at all temperatures.")]]
    caption = "The rates of the reaction at all temperatures."
    assert find_captions(pages, [("6", caption)])[0] is not None
    assert find_captions(pages, [("6", caption.replace("all temperatures", "two pressures"))])[0] is None
    assert find_captions(pages, [("6", caption.replace("all", "both")), ("7", caption)])[0] is None


def test_text_on_its_side_and_empty_captions_are_passed_over() -> None:
    assert find_captions([[line("Figure 1: Rates.", turn=90)]], [("1", "Rates.")]) == [None]
    assert find_captions([[line("Figure 1:")]], [("1", "")]) == [None]
    assert find_captions([], [("1", "Rates.")]) == [None]


def test_the_number_of_a_supplement_is_as_the_latex_has_it_or_with_its_letter() -> None:
    pages = [[line("Supplementary Figure 2: Rates of it.")], [line("Figure 2: Rates of the vessel.")]]
    for number in ("2", "S2"):
        (place,) = find_captions(pages, [(number, "Rates of it.")])
        assert place is not None and place.page == 0
    assert find_captions(pages, [("12", "Rates of it.")]) == [None]


def test_a_list_of_figures_holds_no_caption() -> None:
    entry = line("Figure 1: Rates of the reaction . . . . . . . . . . 7")
    (place,) = find_captions([[entry], [line("Figure 1: Rates of this reaction")]], [("1", "Rates of the reaction")])
    assert place is not None and place.page == 1
