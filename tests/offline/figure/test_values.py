"""Which values fit what a question names, on layouts given as pieces of text (no OCR)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.figures.ocr import OcrLine
from data_juicer_ext.offline.figure.text_layout import FigureLayout, arrange
from data_juicer_ext.offline.figure.values import legend, values_for
from tests.offline.figure.test_text_layout import RED, TABLE, TEAL, picture, piece


def found(question: str, layout: FigureLayout, option: str = "") -> tuple[list[str], str]:
    values, why = values_for(question, layout, option)
    return [value.text for value in values], why


def blocks(*pieces: OcrLine) -> FigureLayout:
    return arrange(picture(*pieces))


def test_a_value_lies_over_its_column_beside_its_row_and_at_its_number() -> None:
    layout = arrange(TABLE)
    values, why = found("What is the growth of Wheat at 10 mg?", layout)
    assert values == ["33"] and why == 'beside "Wheat", at 10 mg'
    assert found("What is the growth of Wheat at 40 mg?", layout) == ([], "40 mg is on neither axis")
    assert found("What is the growth?", layout) == ([], "Nothing that the question names is read in the figure")
    assert found("What grows at 10 mg?", layout, "Maize") == (["44"], 'beside "Maize", at 10 mg')
    assert found("What grows at 10 mg?", layout, "Rye") == ([], '"Rye" is not read in the figure')


def bars(width: float = 100.0, off: float = 0.0) -> FigureLayout:
    """Three named columns, a value over each, the second one `off` its middle."""
    names = [piece(name, 200 + width * place, 500) for place, name in enumerate(["Barley", "Wheat", "Maize"])]
    values = [
        piece(str(value), 200 + width * place + (off if place == 1 else 0), 300 - 40 * place)
        for place, value in enumerate([31, 47, 52])
    ]
    return blocks(*names, *values)


@pytest.mark.parametrize(("off", "values"), [(0, ["47"]), (39, ["47"]), (-39, ["47"]), (40, []), (-40, []), (41, [])])
def test_a_value_stands_within_two_fifths_of_the_pitch_of_its_name(off: float, values: list[str]) -> None:
    assert found("What is the yield of Wheat?", bars(off=off)) == (values, 'over "Wheat"')


def scatter(off: float) -> FigureLayout:
    """A numeric horizontal axis and one value `off` the place of 10, in letters 24 wide."""
    axis = [piece(str(value), 200 + 30 * value, 500) for value in (0, 5, 10, 15)]
    return blocks(*axis, piece("77", 500 + off, 300), piece("Dose (mg)", 425, 560))


@pytest.mark.parametrize(("off", "values"), [(0, ["77"]), (18, ["77"]), (-18, ["77"]), (20, []), (-20, [])])
def test_on_a_numeric_axis_a_value_stands_within_its_own_width(off: float, values: list[str]) -> None:
    assert found("What is measured at 10 mg?", scatter(off)) == (values, "at 10 mg")


def test_a_number_between_two_ticks_has_its_place() -> None:
    assert found("What is measured at 7.5 mg?", scatter(-75)) == (["77"], "at 7.5 mg")


def series(second: tuple[int, int, int] = TEAL, left: float = 0.0, apart: float = 30.0) -> FigureLayout:
    """Two values over one column, in the colours of two entries of a legend."""
    image = Image.new("RGB", (800, 600), "white")
    draw = ImageDraw.Draw(image)
    names = [piece("Barley", 250, 500), piece("Wheat", 450, 500)]
    values = [piece("31", 230, 300), piece("47", 270, 250), piece("52", 430, 200), piece("66", 470, 150)]
    for place, value in enumerate(values):
        box = (value.left, value.bottom, value.right, value.bottom + 16)
        draw.rectangle(box, fill=(RED, second)[place % 2])
    entries = [piece("dry", 600, 100), piece("wet", 600 + left, 100 + apart)]
    for entry, colour in zip(entries, (RED, second), strict=True):
        draw.rectangle((entry.left - 40, entry.y - 5, entry.left - 10, entry.y + 5), fill=colour)
    return arrange(picture(*names, *values, *entries, image=image))


def test_a_series_is_told_by_the_colour_of_its_entry() -> None:
    assert found("What is the wet yield of Wheat?", series()) == (["66"], 'over "Wheat", in the colour of "wet"')
    assert found("What is the dry yield of Barley?", series())[0] == ["31"]
    values, why = found("What is the yield of Barley?", series())
    assert values == [] and why == "Several series are drawn and the question names none of them"


def test_entries_of_a_legend_have_colours_of_their_own_and_stand_in_a_stack_or_a_row() -> None:
    assert {entry.text for entry in legend(series())} == {"dry", "wet"}
    assert legend(series(RED)) == []
    for left, apart, together in [
        (19, 30, True), (21, 30, False), (-19, 30, True), (-21, 30, False), (120, 7, True), (120, 9, False),
    ]:  # fmt: skip
        assert bool(legend(series(left=left, apart=apart))) == together, (left, apart)


def test_an_annotation_with_its_number_answers_by_its_words() -> None:
    layout = blocks(piece("Barley", 250, 500), piece("Wheat", 450, 500), piece("mean yield 7.4 g", 300, 100))
    assert found("What is the mean yield?", layout) == (["7.4 g"], "annotated so")
    assert found("What is the mean?", layout)[0] == []
    twice = blocks(piece("Barley", 250, 500), piece("Wheat", 450, 500), piece("mean yield 7.4 g", 300, 100),
                   piece("mean yield 8.1 g", 300, 200))  # fmt: skip
    assert found("What is the mean yield?", twice)[0] == []


def block(top: float = 125.0, x: float = 200.0, text: str = "6 layers") -> FigureLayout:
    """A name with a number and its noun below, which is `top` and `x`; the name ends at 110."""
    name, value = piece("Encoder", 200, 100), OcrLine(text, x - 40, top, x + 40, top + 20)
    shown = picture(name, value)
    return FigureLayout(shown, (), (), None, None, None, None, (value,), (name, piece("Input", 600, 400)))


@pytest.mark.parametrize(("top", "near"), [(110, True), (119, True), (121, False), (101, True), (99, False)])
def test_a_number_close_under_a_name_is_its_block_s(top: float, near: bool) -> None:
    expected = (["6 layers"], 'in the block "Encoder"')
    assert (found("How many layers has the Encoder?", block(top)) == expected) == near


@pytest.mark.parametrize(("x", "level"), [(200, True), (241, True), (243, False), (159, True), (157, False)])
def test_a_number_of_a_block_stands_under_its_middle(x: float, level: bool) -> None:
    assert (found("How many layers has the Encoder?", block(112, x))[0] == ["6 layers"]) == level


def test_a_bare_number_under_a_name_or_one_of_something_else_is_not_its_block_s() -> None:
    assert "block" not in found("How many layers has the Encoder?", block(112, text="6"))[1]
    assert "block" not in found("How many heads has the Encoder?", block(112))[1]


def test_a_text_that_ties_to_nothing_answers_nothing_unless_it_is_the_heading() -> None:
    def shown(y: float) -> FigureLayout:
        names = [piece("Barley", 250, 500), piece("Wheat", 450, 500)]
        return blocks(piece("Trial", 350, y), *names, piece("31", 250, 300), piece("47", 450, 200))

    asked = "What is the yield of Barley in the Trial?"
    assert found(asked, shown(50)) == (["31"], 'over "Barley"')
    assert found(asked, shown(186)) == (["31"], 'over "Barley"'), "3 of 20 pixels of it are level with a value"
    assert found(asked, shown(188)) == ([], '"Trial" cannot be tied to a value')
    assert found(asked, shown(300)) == ([], '"Trial" cannot be tied to a value')


def test_pieces_that_are_upright_name_nothing() -> None:
    upright = OcrLine("Growth", 20, 200, 40, 320)
    layout = arrange(picture(piece("Barley", 250, 500), piece("Wheat", 450, 500), piece("31", 250, 300), upright))
    assert found("What is the Growth of Barley?", layout) == (["31"], 'over "Barley"')


@pytest.mark.parametrize(("off", "values"), [(0, ["47"]), (39, ["47"]), (-39, ["47"]), (40, []), (-40, [])])
def test_a_value_stands_beside_its_row_within_two_fifths_of_their_pitch(off: float, values: list[str]) -> None:
    rows = tuple(piece(name, 60, 100 + 100 * place) for place, name in enumerate(["Barley", "Wheat", "Maize"]))
    shown = tuple(piece(str(value), 400, 100 + 100 * place) for place, value in enumerate([31, 47, 52]))
    moved = tuple(replace(value, top=value.top + off, bottom=value.bottom + off) if value.text == "47" else value
                  for value in shown)  # fmt: skip
    layout = FigureLayout(picture(*rows, *moved), (), rows, None, None, None, None, moved, ())
    assert found("What is the yield of Wheat?", layout) == (values, 'beside "Wheat"')
