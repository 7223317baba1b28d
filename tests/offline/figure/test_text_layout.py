"""Which number belongs to which name, on layouts given as pieces of text (no OCR)."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.offline.figure.answering import look
from data_juicer_ext.offline.figure.colours import alike, sample, swatch, value_colour
from data_juicer_ext.offline.figure.text_layout import arrange, named_in, number

RED, TEAL = (200, 40, 40), (20, 140, 140)


def piece(text: str, x: float, y: float, height: float = 20, upright: bool = False) -> OcrLine:
    half = 6.0 * len(text)
    if upright:
        return OcrLine(text, x - height / 2, y - half, x + height / 2, y + half)
    return OcrLine(text, x - half, y - height / 2, x + half, y + height / 2)


def picture(*pieces: OcrLine, image: Image.Image | None = None) -> Picture:
    return Picture(image or Image.new("RGB", (800, 600), "white"), pieces)


def chosen(question: str, options: list[str], shown: Picture, caption: str = "") -> str:
    return look(question, list(zip("ABCD", options, strict=False)), caption, [shown]).letter


TABLE = picture(
    *(piece(text, 200 + 150 * place, 500) for place, text in enumerate(["5", "10", "15", "20"])),
    *(piece(text, 60, 100 + 120 * place) for place, text in enumerate(["Barley", "Wheat", "Maize"])),
    *(
        piece(f"{value}", 200 + 150 * column, 100 + 120 * row)
        for row, line in enumerate([[31, 47, 52, 68], [29, 33, 71, 80], [12, 44, 45, 90]])
        for column, value in enumerate(line)
    ),
    piece("Dose (mg)", 425, 550),
)


def test_parts_of_a_table_like_figure() -> None:
    layout = arrange(TABLE)
    assert [label.text for label in sorted(layout.columns, key=lambda label: label.x)] == ["5", "10", "15", "20"]
    assert {label.text for label in layout.rows} == {"Barley", "Wheat", "Maize"}
    assert layout.column_title is not None and layout.column_title.text == "Dose (mg)"
    assert len(layout.values) == 12
    assert layout.column_scale is not None and layout.column_scale.place(7.5) == pytest.approx(275)


@pytest.mark.parametrize(
    ("question", "options", "letter"),
    [
        ("What is the growth of Wheat at 10 mg?", ["47", "33", "44"], "B"),
        ("What is the growth of Maize at 20 mg?", ["90", "80", "68"], "A"),
        ("What is the growth of Maize at 20 mg?", ["91", "80", "68"], ""),
        ("What is the growth of Maize?", ["90", "45", "12"], ""),
        ("What is the growth at 20 mg?", ["90", "80", "68"], ""),
        ("What is the growth of Maize at 40 mg?", ["90", "80", "68"], ""),
        ("What is the growth of Rye at 20 mg?", ["70", "21", "22"], ""),
        ("Which of these has the highest growth at 15 mg?", ["Barley", "Wheat", "Maize"], "B"),
        ("Which of these has the lowest growth at 5 mg?", ["Barley", "Wheat", "Maize"], "C"),
        ("Which of these has the lowest growth at 5 mg?", ["Barley", "Rye", "Maize"], ""),
        ("Which of these has the best growth at 5 mg?", ["Barley", "Wheat", "Maize"], ""),
        ("How does the growth of Maize change with the dose?", ["It increases", "It decreases"], ""),
        ("What does the horizontal axis show?", ["growth", "the dose"], "B"),
        ("What does the horizontal axis show?", ["growth", "the yield"], ""),
        ("By what value does Wheat exceed Maize at 20 mg?", ["10", "80"], ""),
    ],
)
def test_table_like_figure(question: str, options: list[str], letter: str) -> None:
    assert chosen(question, options, TABLE, "Growth of three grains.") == letter


def test_extremes_need_a_figure_of_what_is_compared() -> None:
    options = ["Barley", "Wheat", "Maize"]
    assert chosen("Which of these has the lowest price at 5 mg?", options, TABLE, "Growth of three grains.") == ""


def bars(colours: bool) -> Picture:
    """Two groups of two bars, with a legend whose samples are coloured."""
    image = Image.new("RGB", (800, 600), "white")
    draw = ImageDraw.Draw(image)
    for x, colour in ((220, RED), (280, TEAL), (520, RED), (580, TEAL)):
        draw.rectangle((x - 25, 250, x + 25, 500), fill=colour if colours else (120, 120, 120))
    for y, colour in ((60, RED), (100, TEAL)):
        draw.rectangle((600, y - 6, 640, y + 6), fill=colour if colours else (120, 120, 120))
    return picture(
        piece("Maple", 250, 530), piece("Larch", 550, 530), piece("wet", 680, 60), piece("dry", 680, 100),
        piece("4.1", 220, 235), piece("2.7", 280, 235), piece("5.6", 520, 235), piece("3.3", 580, 235), image=image,
    )  # fmt: skip


def test_a_legend_entry_is_followed_by_colour() -> None:
    options = ["4.1", "2.7", "5.6", "3.3"]
    assert chosen("What is the height of wet Maple?", options, bars(True)) == "A"
    assert chosen("What is the height of Larch in the dry year?", options, bars(True)) == "D"
    assert chosen("What is the height of Larch?", options, bars(True)) == ""
    assert chosen("What is the height of wet Maple?", options, bars(False)) == ""


def test_a_question_that_names_no_series_stays_open_even_if_one_value_was_not_read() -> None:
    shown = bars(True)
    fewer = Picture(shown.image, tuple(piece for piece in shown.pieces if piece.text != "4.1"))
    assert chosen("What is the height of Maple?", ["4.1", "2.7"], fewer) == ""
    assert chosen("What is the height of dry Maple?", ["4.1", "2.7"], fewer) == "B"
    assert chosen("What is the height of wet Maple?", ["4.1", "2.7"], fewer) == ""


def test_the_sample_of_a_legend_entry_is_the_nearest_colour() -> None:
    image = Image.new("RGB", (400, 200), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((100, 0, 225, 200), fill=TEAL)
    draw.rectangle((240, 90, 280, 110), fill=RED)
    entry = piece("wet", 310, 100, height=40)
    assert alike(sample(picture(entry, image=image), entry), (200.0, 40.0, 40.0))


def test_colours() -> None:
    shown = bars(True)
    wet, dry = (next(p for p in shown.pieces if p.text == name) for name in ("wet", "dry"))
    value = next(p for p in shown.pieces if p.text == "4.1")
    assert alike(swatch(shown, wet), value_colour(shown, value))
    assert not alike(swatch(shown, dry), value_colour(shown, value))
    assert not alike(None, None)


def test_panels_are_told_apart_by_their_axis_titles() -> None:
    def panel(title: str, low: str, high: str) -> Picture:
        return picture(piece(title, 20, 300, upright=True), piece("Fox", 250, 530), piece("Owl", 550, 530),
                       piece(low, 250, 400), piece(high, 550, 200))  # fmt: skip

    panels = [panel("Weight (kg)", "6.1", "1.4"), panel("Speed (km/h)", "48", "81")]
    options = [("A", "6.1"), ("B", "1.4"), ("C", "48")]
    assert look("What is the weight of Owl?", options, "", panels).letter == "B"
    assert look("What is the age of Owl?", options, "", panels).letter == ""


def test_an_annotation_that_holds_name_and_value() -> None:
    shown = picture(piece("Threshold: 0.35 V", 400, 200), piece("0.90", 500, 100))
    assert chosen("What is the threshold?", ["0.90", "0.35 V"], shown) == "B"


@pytest.mark.parametrize(
    ("text", "value"),
    [("31.2", 31.2), ("7.4 g", 7.4), ("6 rows", 6.0), ("−3", -3.0), ("(12)", 12.0), ("Net-50", None), ("a 3", None)],
)
def test_number(text: str, value: float | None) -> None:
    found = number(piece(text, 0, 0))
    assert (found.value if found else None) == value


def test_named_in_bears_lost_blanks_but_no_parts_of_words() -> None:
    assert named_in(piece("Randomforest", 0, 0), "What does the random forest reach?")
    assert not named_in(piece("rand", 0, 0), "What does the random forest reach?")
    assert not named_in(piece("30", 0, 0), "What is it at 30?")


def test_an_empty_figure_gives_no_answer() -> None:
    assert chosen("What is the growth of Maize?", ["1", "2"], picture()) == ""
