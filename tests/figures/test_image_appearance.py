"""What an image looks like, measured once."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data_juicer_ext.figures.image_appearance import ImageLook, dominant_share, hamming, look_at, perceptual_hash
from data_juicer_ext.figures.image_preparation import ImageError


def halves(share: float, first: tuple[int, int, int], second: tuple[int, int, int]) -> Image.Image:
    image = Image.new("RGB", (200, 100), second)
    image.paste(first, (0, 0, round(200 * share), 100))
    return image


@pytest.mark.parametrize(
    ("share", "second", "found"),
    [
        (0.75, (255, 0, 0), 0.75),
        (0.25, (255, 0, 0), 0.75),
        (0.75, (108, 100, 100), 1.0),  # noise of JPEG
        (0.75, (100, 109, 100), 0.75),
        (0.75, (100, 100, 91), 0.75),
        (1.0, (0, 0, 0), 1.0),
    ],
)
def test_shades_within_eight_levels_are_one_colour(share: float, second: tuple[int, int, int], found: float) -> None:
    assert dominant_share(halves(share, (100, 100, 100), second)) == pytest.approx(found)


def test_of_a_large_image_some_rows_and_columns_are_enough() -> None:
    large = halves(0.75, (0, 0, 0), (255, 255, 255)).resize((4000, 2000), Image.Resampling.NEAREST)
    assert dominant_share(large) == pytest.approx(0.75, abs=0.01)


def test_sides_transparency_and_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("RGBA", (30, 90), (0, 0, 0, 0)).save(path)
    look = look_at(str(path), 2700)
    assert (look.width, look.height, look.aspect, look.dominant) == (30, 90, 3.0, 1.0)
    assert look.phash == perceptual_hash(Image.new("RGB", (30, 90), "white"))
    assert ImageLook("", 90, 30, 1.0, 0).aspect == 3.0
    with pytest.raises(ImageError):
        look_at(str(path), 2699)


def test_bits_that_differ() -> None:
    assert (hamming(0b1010, 0b0110), hamming(5, 5), hamming(0, 2**64 - 1)) == (2, 0, 64)
