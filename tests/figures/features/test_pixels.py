"""Measures of pixels: known values, and sharp against blurred whatever is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from data_juicer_ext.figures.features.pixels import BLURRED_BELOW, edge_sharpness, pixel_features
from tests.figures.charts import as_jpeg, bars, heat_map, lines, render, texture

CURVE = [0.1, 0.3, 0.25, 0.6, 0.55, 0.9]
PALE = (0.75, 0.75, 0.75)
SHARP = {
    "line chart 72 dpi": lambda: render(lines(CURVE), 72),
    "line chart 150 dpi": lambda: render(lines(CURVE), 150),
    "line chart 300 dpi": lambda: render(lines(CURVE), 300),
    "one pale line 300 dpi": lambda: render(lines(CURVE, colour=PALE, labelled=False), 300),
    "bars": lambda: render(bars([0.2, 0.9, 0.5]), 150),
    "heat map": lambda: render(heat_map([[0.1, 0.8], [0.6, 0.3]]), 150),
    "texture": lambda: texture(1),
    "another texture": lambda: texture(2),
    "faint texture": lambda: Image.fromarray((np.asarray(texture(3)) // 3 + 90).astype(np.uint8)),
}


def sharpness(image: Image.Image) -> float:
    found = edge_sharpness(np.asarray(image.convert("L")))
    assert found is not None
    return found


@pytest.mark.parametrize("name", SHARP)
def test_one_threshold_tells_sharp_from_blurred(name: str) -> None:
    image = SHARP[name]()
    assert sharpness(image) > 1.8 * BLURRED_BELOW
    for radius in (2, 3, 4):
        blurred = image.filter(ImageFilter.GaussianBlur(radius))
        found = edge_sharpness(np.asarray(blurred.convert("L")))
        assert found is None or found < 0.8 * BLURRED_BELOW, radius


@pytest.mark.parametrize("name", ["line chart 150 dpi", "bars", "texture"])
def test_compression_does_not_sharpen_and_scaling_up_is_blur(name: str) -> None:
    image = SHARP[name]()
    assert sharpness(as_jpeg(image, 75)) > 1.8 * BLURRED_BELOW
    assert sharpness(as_jpeg(image.filter(ImageFilter.GaussianBlur(2)), 60)) < BLURRED_BELOW
    small = image.resize((image.width // 4, image.height // 4))
    assert sharpness(small.resize(image.size, Image.Resampling.BICUBIC)) < BLURRED_BELOW


def test_the_variance_over_the_whole_image_takes_a_sharp_drawing_for_a_blurred_photograph() -> None:
    drawing = pixel_features([SHARP["one pale line 300 dpi"]()])
    photograph = pixel_features([texture(1).filter(ImageFilter.GaussianBlur(1))])
    assert drawing.laplacian_variance < photograph.laplacian_variance
    assert drawing.edge_sharpness and photograph.edge_sharpness
    assert drawing.edge_sharpness > 2 * BLURRED_BELOW > photograph.edge_sharpness


def test_contrast_does_not_matter() -> None:
    image = np.asarray(SHARP["bars"]().convert("L"))
    half = (image // 2 + 64).astype(np.uint8)
    assert edge_sharpness(half) == pytest.approx(edge_sharpness(image), rel=0.15)


def test_a_plain_image_has_no_sharpness() -> None:
    features = pixel_features([Image.new("RGB", (50, 40), (200, 10, 10))])
    assert features.edge_sharpness is None and features.laplacian_variance == 0.0 and features.edge_density == 0.0


def test_whitespace_pixels_and_histogram() -> None:
    image = Image.new("RGB", (100, 50), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 24, 49), fill=(255, 0, 100))
    features = pixel_features([image])
    assert (features.pixel_count, features.whitespace_share) == (5000, 0.75)
    assert features.colour_histogram["red"] == [0, 0, 0, 0, 0, 0, 0, 1.0]
    assert features.colour_histogram["green"] == [0.25, 0, 0, 0, 0, 0, 0, 0.75]
    assert features.colour_histogram["blue"] == [0, 0, 0, 0.25, 0, 0, 0, 0.75]


@pytest.mark.parametrize(("level", "share"), [(245, 1.0), (244, 0.0)])
def test_where_white_begins(level: int, share: float) -> None:
    assert pixel_features([Image.new("L", (20, 20), level)]).whitespace_share == share


def test_edges_are_counted_where_they_are() -> None:
    image = Image.new("L", (100, 100), 255)
    image.paste(0, (50, 0, 100, 100))
    assert pixel_features([image]).edge_density == pytest.approx(0.02)
    faint = Image.new("L", (100, 100), 255)
    faint.paste(240, (50, 0, 100, 100))
    assert pixel_features([faint]).edge_density == 0.0


def test_several_images_count_by_their_pixels_and_the_least_sharp_one_tells() -> None:
    white, black = Image.new("RGB", (30, 10), "white"), Image.new("RGB", (10, 10))
    features = pixel_features([white, black])
    assert (features.pixel_count, features.whitespace_share) == (400, 0.75)
    assert features.colour_histogram["red"][0] == 0.25
    sharp, blurred = texture(1), texture(1).filter(ImageFilter.GaussianBlur(3))
    both, alone = pixel_features([sharp, blurred]), pixel_features([blurred])
    assert (both.edge_sharpness, both.laplacian_variance) == (alone.edge_sharpness, alone.laplacian_variance)


def test_of_a_very_large_image_the_middle_is_measured() -> None:
    image = Image.new("L", (5000, 40), 255)
    image.paste(0, (0, 0, 400, 40))
    features = pixel_features([image])
    assert features.whitespace_share == 1.0 and features.pixel_count == 200_000
