"""Figures on printed pages: where they are, whose they are, and what is none."""

from __future__ import annotations

import pymupdf
import pytest

from tests.latex.printed import Printed, near
from tests.pdf.reading import blank, found, only


def test_a_figure_above_its_caption() -> None:
    paper = Printed().new_page(400).drawing((150, 80, 450, 340), "speed")
    paper.caption(150, 365, "Figure 1: The speed of the reaction over the temperature.", "The lines cross.")
    figure = only(paper)
    assert (figure["number"], figure["page"], figure["flags"]) == ("1", 3, [])
    assert near(figure["bbox"], (150, 80, 450, 340))
    assert figure["caption"] == "The speed of the reaction over the temperature. The lines cross."


def test_a_figure_below_its_caption() -> None:
    paper = Printed().new_page(400)
    paper.caption(150, 80, "Figure 1. The speed of the reaction over the temperature.")
    assert near(only(paper.drawing((150, 100, 450, 360)))["bbox"], (150, 100, 450, 360))


def test_a_figure_beside_its_caption() -> None:
    paper = Printed().new_page(400).drawing((70, 80, 300, 340))
    paper.caption(330, 200, "Figure 1: The speed of the", "reaction over the", "temperature.")
    assert near(only(paper)["bbox"], (70, 80, 300, 340))


@pytest.mark.parametrize("first_side", ["above", "below"])
def test_two_figures_one_over_the_other_keep_to_one_side(first_side: str) -> None:
    paper = Printed().new_page(600)
    shift = 0 if first_side == "above" else -150
    for number, top in ((1, 80), (2, 330)):
        box = (150, top, 450, top + 180) if first_side == "above" else (150, top + 25, 450, top + 205)
        paper.drawing(box)
        paper.caption(150, top + 200 if not shift else top + 12, f"Figure {number}: The speed of reaction {number}.")
    # One that can only be where it is tells on which side captions are in this paper.
    paper.new_page(400)
    if first_side == "above":
        paper.drawing((150, 60, 450, 340)).caption(150, 365, "Figure 3: The speed of reaction 3.")
    else:
        paper.caption(150, 80, "Figure 3: The speed of reaction 3.").drawing((150, 95, 450, 360))
    figures = found(paper)
    assert [figure["number"] for figure in figures] == ["1", "2", "3"]
    tops = (80, 330) if first_side == "above" else (105, 355)
    for figure, top in zip(figures, tops, strict=False):
        assert near(figure["bbox"], (150, top, 450, top + 180))


def test_panels_are_one_figure_with_their_letters() -> None:
    paper = Printed().new_page(420).drawing((100, 80, 280, 300)).drawing((320, 80, 500, 300))
    paper.caption(180, 318, "(a) Slow").caption(400, 318, "(b) Fast")
    paper.caption(100, 350, "Figure 1: The speed of two reactions.")
    assert near(only(paper)["bbox"], (100, 80, 500, 318))


def test_side_by_side_figures_with_captions_of_their_own() -> None:
    paper = Printed().new_page(420).drawing((80, 80, 280, 300)).drawing((330, 80, 520, 300))
    paper.caption(80, 330, "Figure 1: The speed of the slow one.")
    paper.caption(330, 330, "Figure 2: The speed of the fast one.")
    one, other = found(paper)
    assert near(one["bbox"], (80, 80, 280, 300))
    assert near(other["bbox"], (330, 80, 520, 300))


def test_a_strip_that_the_text_above_stands_on_is_no_part_of_it() -> None:
    paper = Printed().new_page(400).drawing((150, 130, 450, 340)).caption(150, 365, "Figure 1: The speed of it.")
    paper.text((70, 60, 530, 100), "The speed of the reaction, which we have seen, is drawn in the figure below. " * 9)
    bottom = max(block[3] for block in paper.page.get_text("blocks") if block[3] < 120)
    paper.page.draw_rect((70, bottom + 1, 530, bottom + 4), color=None, fill=(0.5, 0.5, 0.5))
    assert near(only(paper)["bbox"], (150, 130, 450, 340))


def test_columns_and_a_figure_across_both() -> None:
    paper = Printed(columns=2).new_page(420)
    paper.drawing((75, 90, 280, 370)).caption(75, 390, "Figure 1: The speed of the reaction in a vessel.")
    paper.text((310, 80, 530, 400))
    paper.new_page(420).drawing((90, 80, 510, 360)).caption(90, 390, "Figure 2: The speed in a wide vessel.")
    narrow, wide = found(paper)
    assert near(narrow["bbox"], (75, 90, 280, 370))
    assert near(wide["bbox"], (90, 80, 510, 360))


def test_a_picture_without_any_drawing_command() -> None:
    paper = Printed().new_page(400)
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 40))
    pixels.set_rect(pixels.irect, (120, 30, 200))
    paper.page.insert_image((150, 100, 450, 300), pixmap=pixels)
    paper.caption(150, 330, "Figure 1: The vessel.")
    assert near(only(paper)["bbox"], (150, 100, 450, 300))


def test_code_can_be_a_figure() -> None:
    paper = Printed().new_page(400)
    code = ["def react(heat):", "    speed = 2 * heat", "    if speed > 7:", "        stop(speed)", "    return speed"]
    for number, line in enumerate(code * 3):
        paper.page.insert_text((90, 100 + 11 * number), line, fontname="cour", fontsize=9)
    paper.caption(90, 300, "Figure 1: The code.")
    figure = only(paper)
    assert figure["flags"] == ["text_only"]
    assert near(figure["bbox"], (90, 92, 200, 256), 12)


@pytest.mark.parametrize(("rotation", "wanted"), [(90, (460, 150, 720, 450)), (270, (80, 150, 340, 450))])
def test_a_page_that_is_shown_turned(rotation: int, wanted: tuple[float, float, float, float]) -> None:
    # Drawn on its side and shown upright: a box is where a reader sees it.
    paper = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed of it.")
    paper.page.set_rotation(rotation)
    figure = only(paper)
    assert figure["turn"] in (90, 270)
    assert near(figure["bbox"], wanted)


def test_a_figure_set_sideways() -> None:
    paper = blank(Printed())
    paper.drawing((150, 100, 400, 600))
    for number in range(40):  # labels that stand upright on the page, and so on their side in the figure
        paper.page.insert_text((160, 120 + 12 * number), f"label {number}", fontsize=8)
    for number in range(9):
        words = (
            "Figure 1: The speed of the reaction over time." if number == 0 else "It is that of the vessel in room 7."
        )
        paper.page.insert_text((420 + 11 * number, 600), words, fontsize=9, rotate=90)
    figure = only(paper)
    assert figure["turn"] == 90
    assert near(figure["bbox"], (150, 100, 400, 600))


def test_a_caption_on_the_page_after_its_figure() -> None:
    paper = blank(blank(Printed()).drawing((80, 60, 520, 700)))
    paper.caption(80, 80, "Figure 1: The speed of the reaction over the temperature.")
    paper.new_page(60)
    figure = only(paper)
    assert (figure["page"], figure["flags"]) == (3, ["caption_on_other_page"])
    assert near(figure["bbox"], (80, 60, 520, 700))


def test_a_list_of_legends_goes_with_the_drawings_behind_it() -> None:
    paper = blank(Printed())
    for number in (1, 2, 3):
        paper.caption(80, 100 * number, f"Figure {number}. The speed of reaction {number} over its temperature.")
    for _ in range(3):
        blank(paper).drawing((80, 60, 520, 700))
    assert [(figure["number"], figure["page"]) for figure in found(paper)] == [("1", 4), ("2", 5), ("3", 6)]


def test_a_figure_that_goes_on_over_a_page() -> None:
    paper = Printed()
    for words in ("The speed of it.", "(continued)"):
        paper.new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, f"Figure 1: {words}")
    first, second = found(paper)
    assert (first["number"], first["page"], first["flags"]) == ("1", 3, [])
    assert (second["number"], second["page"], second["flags"]) == ("1", 4, ["continued"])


@pytest.mark.parametrize(
    ("printed", "number"),
    [("Figure A.1:", "A.1"), ("Fig. S3.", "S3"), ("Supplementary Figure 2:", "S2"), ("Extended Data Fig. 1 |", "ED1"),
     ("FIG. 4.", "4"), ("Figure 2.3:", "2.3")],
)  # fmt: skip
def test_numbers_of_appendices_and_supplements(printed: str, number: str) -> None:
    paper = Printed().new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, f"{printed} The speed of it.")
    assert only(paper)["number"] == number


def test_what_is_no_figure() -> None:
    paper = Printed().new_page(60)
    paper.new_page(420).drawing((150, 120, 450, 340)).caption(150, 100, "Table 1: The speeds that we have measured.")
    paper.new_page(420).drawing((150, 120, 450, 340)).caption(150, 100, "Algorithm 1: The way of the reaction")
    paper.new_page(420).drawing((70, 60, 130, 100), "LOGO")
    paper.new_page(420).text((70, 60, 530, 400), "Figure 3 shows how the speed depends on the temperature. " * 20)
    assert found(paper) == []


def test_a_list_of_figures_is_none() -> None:
    paper = blank(Printed())
    for number in (1, 2, 3):
        paper.caption(
            80, 40 + 30 * number, f"Figure {number}: The speed of reaction {number} . . . . . . . . . . . . 7"
        )
    paper.new_page(400).drawing((150, 80, 450, 340)).caption(150, 365, "Figure 1: The speed of reaction 1.")
    assert [(figure["number"], figure["page"]) for figure in found(paper)] == [("1", 4)]
