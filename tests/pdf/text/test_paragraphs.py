"""Citing paragraphs of printed pages."""

from __future__ import annotations

import pymupdf
import pytest

from tests.latex.printed import WORDS, Printed
from tests.pdf.reading import blank, found, only

CITING = "In Figure 1 the speed of the reaction is drawn over the temperature of the vessel. "


def with_figure() -> Printed:
    """A paper with a figure on its third page, and room below it."""
    paper = blank(Printed()).drawing((150, 80, 450, 300))
    return paper.caption(150, 325, "Figure 1: The speed. It is that of Figure 1 of the vessel.")


def test_the_paragraph_with_its_page_and_heading() -> None:
    paper = with_figure()
    paper.page.insert_text((70, 380), "2 Results", fontsize=14, fontname="hebo")
    paper.text((70, 400, 530, 450), CITING + WORDS)
    paper.text((70, 470, 530, 520), WORDS)
    ((text, place, section),) = only(paper)["context"]
    assert text.startswith(CITING.strip())
    assert (place, section) == ("page 3", "2 Results")
    assert "of the vessel." in text and "Figure 1 of the vessel" not in text


def test_a_paragraph_over_two_columns_is_one() -> None:
    paper = blank(Printed(columns=2)).drawing((80, 80, 280, 300)).caption(80, 325, "Figure 1: The speed.")
    words = (CITING + WORDS)[:1500].rsplit(" ", 1)[0]
    paper.page.insert_text((70, 385), "2 Results", fontsize=14, fontname="hebo")
    paper.text((70, 400, 290, 740), words[:1000])
    left = str(paper.page.get_text(clip=(60, 395, 295, 745))).replace("\n", " ").strip()
    paper.text((310, 80, 530, 300), "goes on in the next column without a break. " + WORDS)
    ((text, _, _),) = only(paper)["context"]
    assert text.startswith(left[:60]) and "goes on in the next column" in text


def test_a_paragraph_around_a_figure_is_one() -> None:
    paper = blank(Printed())
    paper.text((70, 60, 530, 90), (CITING + WORDS)[:200])
    paper.drawing((150, 110, 450, 300)).caption(150, 320, "Figure 1: The speed.")
    paper.text((70, 350, 530, 400), "and then it goes on below the figure. " + WORDS)
    ((text, _, _),) = only(paper)["context"]
    assert "In Figure 1" in text and "goes on below the figure" in text


def test_no_captions_heads_or_bibliography() -> None:
    paper = Printed(full_pages=1)
    for _ in range(4):
        paper.new_page(420)
        paper.page.insert_text((70, 40), "On Figure 1 and its vessel by A. Author", fontsize=8)
    paper.drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed, as in Figure 1.")
    blank(paper).page.insert_text((70, 70), "References", fontsize=14, fontname="hebo")
    paper.text((70, 90, 530, 130), "[1] A. Author. What Figure 1 of the vessel tells. Journal of Vessels, 2001. " * 3)
    assert only(paper)["context"] == []


def test_short_blocks_are_left_out_and_copies_are_told_once() -> None:
    paper = with_figure()
    paper.page.insert_text((70, 400), "See Figure 1.", fontsize=10)
    for top in (450, 520, 590):
        paper.text((70, top, 530, top + 40), CITING)
    assert [text for text, _, _ in only(paper)["context"]] == [CITING.strip()]


def test_words_divided_at_the_end_of_a_line_are_whole() -> None:
    paper = with_figure()
    lines = (
        "In Figure 1 the speed of the reaction is drawn over the tempera-",
        "ture of the vessel, which is made of glass.",
    )
    for number, line in enumerate(lines):
        paper.page.insert_text((70, 400 + 12 * number), line, fontsize=10)
    ((text, _, _),) = only(paper)["context"]
    assert "over the temperature of the vessel" in text


@pytest.mark.parametrize(("word", "numbers"), [("Figs. 1 and 2", "12"), ("Figures 1-2", "12"), ("Fig. 2b", "2")])
def test_the_figures_that_a_paragraph_names(word: str, numbers: str) -> None:
    paper = with_figure().drawing((150, 420, 450, 640)).caption(150, 665, "Figure 2: The heat.")
    blank(paper).text((70, 60, 530, 120), f"In {word} the speed and the heat of the reaction are drawn for the vessel.")
    assert "".join(figure["number"] for figure in found(paper) if figure["context"]) == numbers


def test_a_formula_does_not_end_a_paragraph() -> None:
    paper = with_figure()
    paper.text((70, 380, 530, 420), CITING + "It follows the law of the vessel and is given by")
    paper.page.insert_text((260, 440), "v = a T + b", fontname="tiit", fontsize=11)
    paper.text(
        (70, 460, 530, 500), "where a and b are the constants of the vessel that we have measured before. " + WORDS
    )
    texts = [text for text, _, _ in only(paper)["context"]]
    assert len(texts) == 1
    assert "is given by" in texts[0] and "where a and b" in texts[0]


def test_ligatures_come_apart() -> None:
    paper = with_figure()
    paper.page.insert_font("F0", fontbuffer=pymupdf.Font("tiro").buffer)
    writer = pymupdf.TextWriter(paper.page.rect)
    writer.append(
        (70, 400), "In Figure 1 the e\ufb03cient \ufb02ow of the \ufb01rst vessel is drawn in blue.", fontsize=10
    )
    writer.write_text(paper.page)
    ((text, _, _),) = only(paper)["context"]
    assert "efficient flow of the first vessel" in text
