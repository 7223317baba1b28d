"""Where figures with known captions stand in a printed paper."""

from __future__ import annotations

import pymupdf
import pytest

from data_juicer_ext.pdf import document
from data_juicer_ext.pdf.document import page_count
from data_juicer_ext.pdf.known_figures import locate
from data_juicer_ext.pdf.options import PdfError
from tests.latex.printed import Printed, near
from tests.pdf.reading import locked


def found(printed: Printed, *wanted: tuple[str, str]) -> list[dict]:
    return locate(printed.data(), [list(one) for one in wanted], 60.0)[0]


RATES = ("1", "Rates of the reaction at all temperatures.")
WALLS = ("2", "Losses at the walls of the vessel.")


def test_a_drawing_above_its_caption() -> None:
    printed = Printed().new_page().drawing((150, 80, 420, 300), "start", "end")
    printed.caption(150, 330, "Figure 1: Rates of the reaction at", "all temperatures.")
    (place,) = found(printed, RATES)
    assert (place["page"], place["turn"]) == (3, 0)
    assert near(place["bbox"], (150, 80, 420, 300))


def test_a_short_paper_with_a_figure_on_top_of_its_page() -> None:
    printed = Printed(full_pages=0).new_page().drawing((150, 80, 420, 300))
    printed.caption(150, 330, "Figure 1: Rates of the reaction at all temperatures.")
    assert near(found(printed, RATES)[0]["bbox"], (150, 80, 420, 300))


def test_running_text_above_is_left_out() -> None:
    printed = Printed().new_page(500).text((70, 70, 530, 150)).drawing((150, 180, 420, 400))
    printed.caption(150, 430, "Fig. 1. Rates of the reaction at all temperatures.")
    assert near(found(printed, RATES)[0]["bbox"], (150, 180, 420, 400))


def test_two_figures_on_a_page_and_a_sentence_that_begins_like_a_caption() -> None:
    printed = Printed().new_page(620).drawing((150, 80, 420, 250)).drawing((200, 320, 400, 480))
    printed.caption(150, 270, "Figure 1: Rates of the reaction at all temperatures.")
    printed.caption(150, 500, "Figure 2: Losses at the walls of the vessel.")
    printed.text((70, 540, 530, 600), "Figure 1 shows the rates of the reaction, and Figure 2 what is lost. " * 4)
    first, second = found(printed, RATES, WALLS)
    assert near(first["bbox"], (150, 80, 420, 250))
    assert near(second["bbox"], (200, 320, 400, 480))


def test_columns() -> None:
    printed = Printed(columns=2).new_page(420).drawing((320, 80, 520, 220)).drawing((90, 280, 510, 370))
    printed.caption(310, 240, "Figure 1: Rates of the reaction at all", "temperatures.")
    printed.text((70, 70, 290, 250))
    printed.caption(90, 390, "Figure 2: Losses at the walls of the vessel.")
    first, second = found(printed, RATES, WALLS)
    assert near(first["bbox"], (320, 80, 520, 220))
    assert near(second["bbox"], (90, 280, 510, 370))


def test_captions_side_by_side() -> None:
    printed = Printed().new_page().drawing((80, 80, 280, 250)).drawing((330, 80, 500, 250))
    printed.caption(80, 280, "Figure 1: Rates of the reaction at", "all temperatures.")
    printed.caption(330, 280, "Figure 2: Losses at the walls of", "the vessel.")
    first, second = found(printed, RATES, WALLS)
    assert near(first["bbox"], (80, 80, 280, 250))
    assert near(second["bbox"], (330, 80, 500, 250))


def test_captions_above_where_the_paper_has_them_there() -> None:
    printed = Printed().new_page(600).drawing((150, 100, 420, 250)).drawing((150, 300, 420, 500))
    printed.caption(150, 85, "Figure 1: Rates of the reaction at all temperatures.")
    printed.caption(150, 290, "Figure 2: Losses at the walls of the vessel.")
    first, second = found(printed, RATES, WALLS)
    assert near(first["bbox"], (150, 100, 420, 250))
    assert near(second["bbox"], (150, 300, 420, 500))


def test_a_caption_beside_its_figure() -> None:
    printed = Printed().new_page().drawing((80, 100, 330, 300))
    printed.caption(350, 190, "Figure 1: Rates of the", "reaction at all", "temperatures.")
    assert near(found(printed, RATES)[0]["bbox"], (80, 100, 330, 300), 8)


def test_a_figure_in_running_text() -> None:
    printed = Printed().new_page(400).text((70, 70, 300, 390)).drawing((330, 100, 510, 260))
    printed.caption(330, 280, "Figure 1: Rates of the reaction", "at all temperatures.")
    assert near(found(printed, RATES)[0]["bbox"], (330, 100, 510, 260))


def test_a_table_above_is_no_part_of_it() -> None:
    printed = Printed().new_page(600)
    printed.caption(150, 80, "Table 3: Rates.").caption(150, 110, "300   0.5", "400   0.7", "500   0.9")
    for y in (92, 140):
        printed.page.draw_line((150, y), (400, y))
    printed.drawing((150, 200, 420, 400)).caption(150, 420, "Figure 1: Rates of the reaction at all temperatures.")
    assert near(found(printed, RATES)[0]["bbox"], (150, 200, 420, 400))


def test_sideways_figures_and_turned_pages() -> None:
    printed = Printed()
    sideways = printed.document.new_page(width=600, height=800)
    printed.page = sideways
    printed.drawing((100, 150, 350, 650)).caption(380, 700, "Figure 1: Rates of the reaction at",
                                                 "all temperatures.", rotate=90)  # fmt: skip
    (place,) = found(printed, RATES)
    assert (place["page"], place["turn"]) == (3, 90)
    assert near(place["bbox"], (100, 150, 350, 650))
    sideways.set_rotation(90)  # as pdflscape has it: the reader shows it upright
    (place,) = found(printed, RATES)
    assert (place["page"], place["turn"]) == (3, 0)
    assert near(place["bbox"], (150, 100, 650, 350), 12) or near(place["bbox"], (150, 250, 650, 500), 12)


def test_panels_and_their_captions_are_part_of_it() -> None:
    printed = Printed().new_page().drawing((80, 80, 280, 220)).drawing((330, 80, 500, 220))
    printed.caption(120, 240, "(a) The first of the two, which", "is explained at length here.")
    printed.caption(350, 240, "(b) The other one.")
    printed.caption(150, 290, "Figure 1: Rates of the reaction at all temperatures.")
    box = found(printed, RATES)[0]["bbox"]
    assert near((box[0], box[1], box[2], 0), (80, 80, 500, 0))
    assert 250 < box[3] < 282


def test_a_printed_caption_is_that_of_one_figure() -> None:
    printed = Printed().new_page(620).drawing((150, 80, 420, 250)).drawing((200, 320, 400, 480))
    printed.caption(150, 270, "Figure 1: Rates of the reaction at all temperatures, part one.")
    printed.caption(150, 500, "Figure 3: Rates of the reaction at all temperatures, part two.")
    # The PDF is of an earlier draft, in which a figure stood between them.
    places = found(
        printed,
        ("1", "Rates of the reaction at all temperatures, part one."),
        ("2", "Rates of the reaction at all temperatures, part two."),
        ("3", "Something new about the vessel."),
    )
    assert near(places[0]["bbox"], (150, 80, 420, 250))
    assert near(places[1]["bbox"], (200, 320, 400, 480))
    assert "no caption" in places[2]["reason"]


def test_what_is_not_there_says_why() -> None:
    printed = Printed().new_page().drawing((150, 80, 420, 250))
    printed.caption(150, 270, "Figure 1: Rates of the reaction at all temperatures.")
    printed.new_page(60)
    printed.page.insert_textbox((70, 60, 500, 75), "", fontsize=9)
    missing = found(printed, ("2", WALLS[1]), ("1", ""), ("7", "x"))
    assert all("no caption" in place["reason"] for place in missing)


def test_text_alone_is_no_drawing() -> None:
    printed = Printed().new_page().caption(150, 100, "let x = 1", "let y = 2", "in x + y")
    printed.caption(150, 160, "Figure 1: Rates of the reaction at all temperatures.")
    assert "nothing is drawn" in found(printed, RATES)[0]["reason"]


def test_the_drawing_of_another_figure_is_not_taken() -> None:
    printed = Printed().new_page(600).caption(150, 100, "let x = 1", "let y = 2")
    printed.caption(150, 150, "Figure 1: Rates of the reaction at all temperatures.")
    printed.drawing((150, 200, 420, 400)).caption(150, 420, "Figure 2: Losses at the walls of the vessel.")
    first, second = found(printed, RATES, WALLS)
    assert "nothing is drawn" in first["reason"]
    assert near(second["bbox"], (150, 200, 420, 400))


def test_a_caption_that_only_its_words_tell_from_running_text() -> None:
    printed = Printed().new_page(420).drawing((150, 80, 420, 250))
    words = "Figure 1 Rates of the reaction at all temperatures."  # no colon, and set as the text below it
    printed.page.insert_text((70, 280), words, fontsize=10)
    printed.text((70, 284, 530, 400))
    assert near(found(printed, RATES)[0]["bbox"], (150, 80, 420, 250))


def test_the_layout_model_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "layout", lambda *asked: pytest.fail("asked the layout model"))
    printed = Printed().new_page().drawing((150, 80, 420, 300))
    printed.caption(150, 330, "Figure 1: Rates of the reaction at all temperatures.")
    assert found(printed, RATES)[0]["page"] == 3


def test_pages_that_come_too_late_and_posters_are_told() -> None:
    printed = Printed(full_pages=0)
    printed.page = printed.document.new_page(width=4000, height=4000)
    printed.text((70, 400, 530, 740)).drawing((150, 80, 420, 300))
    printed.caption(150, 330, "Figure 1: Rates of the reaction at all temperatures.")
    assert "page 1 is too large" in found(printed, RATES)[0]["reason"]


def test_documents_that_hold_nothing() -> None:
    empty = pymupdf.open()
    empty.new_page()
    with pytest.raises(PdfError, match="has no text"):
        locate(bytes(empty.tobytes()), [["1", "x"]], 60.0)
    for read in (lambda data: locate(data, [["1", "x"]], 60.0), page_count):
        with pytest.raises(PdfError, match="password"):
            read(locked())


def test_pages_are_counted() -> None:
    assert page_count(Printed(full_pages=2).data()) == (2, b"")
