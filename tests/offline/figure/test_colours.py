"""Colours of pieces of a figure."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.offline.figure.colours import Colour, alike, ink, sample, swatch, text_colour, value_colour

RED, BLUE = (220, 20, 20), (20, 20, 220)
Box = tuple[float, float, float, float]


def drawn(*parts: tuple[Box, tuple[int, int, int] | str]) -> Picture:
    image = Image.new("RGB", (200, 100), "white")
    for box, fill in parts:
        ImageDraw.Draw(image).rectangle(box, fill=fill)
    return Picture(image, [])


def near(found: Colour | None, wanted: tuple[int, int, int] | None) -> bool:
    return alike(found, wanted and tuple(map(float, wanted))) if wanted else found is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parts", "colour"),
    [
        ((), None),
        ((((10, 10, 60, 60), "black"),), None),
        ((((10, 10, 60, 60), (120, 120, 160)),), None),  # hardly more than grey
        ((((10, 10, 60, 60), RED),), RED),
        ((((10, 10, 11, 12), RED),), RED),
        ((((10, 10, 11, 11), RED),), None),  # four pixels are a speck
        ((((10, 10, 60, 60), RED), ((70, 10, 90, 60), BLUE)), RED),
        ((((10, 10, 60, 60), RED), ((70, 10, 115, 60), BLUE)), None),  # several
    ],
)
def test_a_box_has_one_colour_or_none(
    parts: tuple[tuple[Box, tuple[int, int, int]], ...], colour: tuple[int, int, int]
) -> None:
    small = len(parts) == 1 and parts[0][0][2] < 20
    assert near(ink(drawn(*parts), 0, 0, 15 if small else 120, 15 if small else 80), colour)


def test_a_box_outside_of_the_image_or_too_narrow_has_none() -> None:
    picture = drawn(((0, 0, 199, 99), RED))
    assert ink(picture, 50, 50, 51, 90) is None and ink(picture, 300, 0, 400, 50) is None
    assert near(ink(picture, -50, -50, 50, 50), RED)


def test_an_entry_has_the_colour_of_the_sample_on_its_left_else_its_own() -> None:
    entry = OcrLine("loss", 100, 40, 140, 52, 1.0)
    assert near(sample(drawn(((70, 43, 90, 49), RED), ((56, 43, 62, 49), BLUE)), entry), RED)
    assert near(swatch(drawn(((100, 40, 140, 52), BLUE)), entry), BLUE)
    assert sample(drawn(((10, 43, 40, 49), RED)), entry) is None, "too far away"
    assert sample(drawn(((0, 43, 40, 49), RED)), OcrLine("loss", 2, 40, 40, 52, 1.0)) is None


def test_a_value_has_the_colour_of_its_letters_else_of_the_bar_below() -> None:
    value = OcrLine("31", 50, 30, 70, 42, 1.0)
    bar = ((45.0, 44.0, 75.0, 90.0), RED)
    assert near(value_colour(drawn(bar), value), RED) and near(
        value_colour(drawn(bar, ((50, 30, 70, 42), BLUE)), value), BLUE
    )
    assert near(text_colour(drawn(bar), value), None)


def test_an_unknown_colour_is_like_none() -> None:
    assert not alike(None, None) and not alike((0.0, 0.0, 0.0), None)
    assert alike((0.0, 0.0, 0.0), (0.0, 0.0, 59.9)) and not alike((0.0, 0.0, 0.0), (0.0, 0.0, 60.0))
