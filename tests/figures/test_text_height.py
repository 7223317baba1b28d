"""The estimate of how tall a figure's smallest text is, on drawn charts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from data_juicer_ext.figures.image_preparation import ImageLimits, prepare
from data_juicer_ext.figures.text_height import smallest_text


def chart(
    text_size: int, size: tuple[int, int] = (1600, 1000), ink: str = "black", ground: str = "white"
) -> Image.Image:
    """A bar chart with tick labels and a title of `text_size`."""
    image = Image.new("RGB", size, ground)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(text_size)
    width, height = size
    draw.line((40, height - 80, width - 20, height - 80), fill=ink, width=3)
    for number in range(8):
        left = 60 + number * (width // 9)
        draw.rectangle((left, height // 3, left + 40, height - 80), fill="blue")
        draw.text((left, height - 70), f"{number * 0.25:.2f}", font=font, fill=ink)
    draw.text((width // 3, 10), "ACCURACY BY DEPTH", font=font, fill=ink)
    return image


def digit_height(text_size: int) -> int:
    box = ImageFont.load_default(text_size).getbbox("0")
    return round(box[3] - box[1])


@pytest.mark.parametrize("text_size", [8, 12, 20, 40])
@pytest.mark.parametrize(("ink", "ground"), [("black", "white"), ("white", "black"), ("darkred", "lightgrey")])
def test_the_height_of_digits_is_found(text_size: int, ink: str, ground: str) -> None:
    found = smallest_text(chart(text_size, ink=ink, ground=ground))
    assert found == pytest.approx(digit_height(text_size), abs=1.5, rel=0.05)


def test_the_smaller_of_two_sizes_counts() -> None:
    image = chart(40)
    draw = ImageDraw.Draw(image)
    for number in range(6):
        draw.text((200 + 150 * number, 200), "0.37", font=ImageFont.load_default(12), fill="black")
    assert smallest_text(image) == pytest.approx(digit_height(12), abs=1.5)


def test_a_very_large_image_is_measured_reduced() -> None:
    found = smallest_text(chart(60, size=(9000, 4000)))
    assert found == pytest.approx(digit_height(60), rel=0.15)


def scatter() -> Image.Image:
    rng = random.Random(1)
    image = Image.new("RGB", (1600, 1000), "white")
    draw = ImageDraw.Draw(image)
    for _ in range(500):
        x, y = rng.randint(0, 1590), rng.randint(0, 990)
        draw.ellipse((x, y, x + 10, y + 10), fill="red")
    return image


def dashes() -> Image.Image:
    image = Image.new("RGB", (1600, 1000), "white")
    draw = ImageDraw.Draw(image)
    for x in range(0, 1600, 16):
        draw.line((x, 700, x + 9, 700), width=5, fill="black")
        draw.ellipse((x, 500, x + 7, 507), fill="black")
        draw.ellipse((x, 300, x + 8, 308), outline="black")
    return image


@pytest.mark.parametrize(
    "image",
    [
        scatter(),
        dashes(),
        Image.new("L", (300, 200), 255),
        Image.new("L", (1, 1)),
        Image.effect_noise((400, 300), 120),
    ],
    ids=["scatter", "dashes", "blank", "a pixel", "noise"],
)
def test_what_is_no_text(image: Image.Image) -> None:
    assert smallest_text(image) is None


@pytest.mark.parametrize(
    ("text_size", "limits", "flags"),
    [
        (40, ImageLimits(max_side=800), ("scaled_down",)),
        (14, ImageLimits(max_side=800), ("scaled_down", "small_text")),
        (14, ImageLimits(max_side=800, min_text_height=4), ("scaled_down",)),
        (14, ImageLimits(max_side=800, min_text_height=0), ("scaled_down",)),
        (8, ImageLimits(), ()),  # small, and not by our doing
        (14, ImageLimits(max_bytes=9_000), ("jpeg", "scaled_down", "small_text")),
    ],
)
def test_small_text_is_flagged(tmp_path: Path, text_size: int, limits: ImageLimits, flags: tuple[str, ...]) -> None:
    path = tmp_path / "chart.png"
    chart(text_size).save(path)
    assert prepare(path, limits).flags == flags


@pytest.mark.parametrize(
    ("text_size", "limits", "small"),
    [
        (14, ImageLimits(seen_pixels=800 * 500), True),  # a quarter of its 1600 x 1000
        (14, ImageLimits(seen_pixels=1600 * 1000), False),
        (14, ImageLimits(seen_pixels=800 * 500, min_text_height=4), False),
        (14, ImageLimits(seen_pixels=800 * 500, min_text_height=0), False),
        (14, ImageLimits(seen_short_side=500), True),
        (14, ImageLimits(seen_short_side=1000), False),
        (40, ImageLimits(seen_short_side=500), False),
        (30, ImageLimits(max_side=800, seen_short_side=500), False),
        (30, ImageLimits(max_side=800, seen_short_side=250), True),  # scaled down here, and there again
    ],
)
def test_text_that_the_provider_makes_small_is_flagged(
    tmp_path: Path, text_size: int, limits: ImageLimits, small: bool
) -> None:
    path = tmp_path / "chart.png"
    chart(text_size).save(path)
    part = prepare(path, limits)
    assert ("small_text" in part.flags) == small
    if limits.max_side >= 1600:
        assert part.data == path.read_bytes()
