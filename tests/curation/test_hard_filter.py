"""S1: each rule with an image on each side of its threshold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.hard_filter import hard_filter
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.figures.image_appearance import dominant_share, hamming, look_at
from data_juicer_ext.figures.image_preparation import ImageError
from tests.figures.charts import figure, lines, render, saved, texture

RULES = Rules()


def speckled(width: int, height: int) -> Image.Image:
    """An image that only its sides can be wrong with."""
    return texture(1, 64).resize((width, height))


def with_dots(dots: int) -> Image.Image:
    """100 x 100 white pixels, `dots` of them black."""
    pixels = np.full(10_000, 255, dtype=np.uint8)
    pixels[:dots] = 0
    return Image.fromarray(pixels.reshape(100, 100))


def deleted(*images: str, rules: Rules = RULES) -> Finding | None:
    items = [Item(figure("1", *images))]
    hard_filter(items, rules)
    return items[0].deleted


@pytest.mark.parametrize(
    ("good", "bad", "reason", "measured", "threshold"),
    [
        (speckled(50, 90), speckled(49, 90), "too_small", 49, 50),
        (speckled(1000, 50), speckled(1010, 50), "extreme_aspect", 20.2, 20.0),
        (speckled(60, 1200), speckled(60, 1201), "extreme_aspect", 20.017, 20.0),
        (with_dots(300), with_dots(299), "one_colour", 0.9701, 0.97),
    ],
)
def test_each_rule_on_both_sides_of_its_threshold(
    good: Image.Image, bad: Image.Image, reason: str, measured: float, threshold: float, tmp_path: Path
) -> None:
    assert deleted(saved(good, tmp_path / "good.png")) is None
    assert deleted(saved(bad, tmp_path / "bad.png")) == Finding("S1", reason, measured, threshold)


def test_thresholds_are_parameters(tmp_path: Path) -> None:
    small = saved(speckled(30, 40), tmp_path / "a.png")
    assert deleted(small, rules=Rules(min_side=30)) is None
    found = deleted(small, rules=Rules(min_side=31))
    assert found is not None and (found.measured, found.threshold) == (30, 31)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, None])
def test_what_does_not_decode_goes(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)
    found = deleted(str(path))
    assert found is not None and found.reason == "does_not_decode" and "a.png" in found.message


def test_half_a_file_does_not_decode(tmp_path: Path) -> None:
    path = Path(saved(speckled(300, 200), tmp_path / "a.png"))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    found = deleted(str(path))
    assert found is not None and found.reason == "does_not_decode"


def test_an_image_bomb_is_not_decoded(tmp_path: Path) -> None:
    path = saved(Image.new("1", (4000, 4000)), tmp_path / "bomb.png")
    found = deleted(path, rules=Rules(max_pixels=1_000_000))
    assert found is not None and found.reason == "does_not_decode" and "1,000,000" in found.message


def test_a_figure_without_an_image_goes_with_its_flags() -> None:
    items = [Item(figure("1", flags=["image_missing"]))]
    hard_filter(items, RULES)
    assert items[0].deleted is not None and items[0].deleted.reason == "no_image"
    assert "image_missing" in items[0].deleted.message


def test_a_narrow_legend_takes_no_figure_with_it(tmp_path: Path) -> None:
    plot, strip = (saved(speckled(*size), tmp_path / f"{size}.png") for size in ((300, 200), (300, 12)))
    assert deleted(plot, strip) is None
    assert deleted(strip, strip) is not None
    (tmp_path / "broken.png").write_bytes(b"x")
    found = deleted(plot, str(tmp_path / "broken.png"))
    assert found is not None and found.reason == "does_not_decode"


def test_shades_of_jpeg_are_one_colour_and_two_colours_are_not(tmp_path: Path) -> None:
    image = Image.new("RGB", (400, 300), (120, 60, 200))
    ImageDraw.Draw(image).rectangle((10, 10, 30, 30), fill="black")
    image.save(tmp_path / "a.jpg", quality=40)
    assert look_at(str(tmp_path / "a.jpg"), RULES.max_pixels).dominant > 0.97
    half = Image.new("RGB", (400, 300), "white")
    half.paste((240, 240, 240), (0, 0, 200, 300))
    assert dominant_share(half) == pytest.approx(0.5)


def test_the_share_of_a_large_image_is_that_of_a_sample() -> None:
    large = Image.new("RGB", (3000, 2000), "white")
    large.paste((0, 0, 0), (0, 0, 3000, 500))
    assert dominant_share(large) == pytest.approx(0.75, abs=0.002)


def test_transparent_plots_lie_on_white_and_do_not_collide(tmp_path: Path) -> None:
    looks, naive = [], []
    for name, curve in (("a", [0.1, 0.9, 0.2, 0.8]), ("b", [0.9, 0.5, 0.4, 0.05])):
        ink = render(lines(curve), 100).convert("L")
        plot = Image.merge("LA", (Image.new("L", ink.size, 0), ink.point(lambda level: 255 - level)))
        looks.append(look_at(saved(plot, tmp_path / f"{name}.png"), RULES.max_pixels))
        naive.append(plot.convert("L").getextrema())
    assert naive == [(0, 0), (0, 0)]  # without a white ground all is black
    assert hamming(looks[0].phash, looks[1].phash) > RULES.max_hamming
    items = [Item(figure("1", looks[0].path)), Item(figure("2", looks[1].path))]
    hard_filter(items, Rules(confirm=False))
    assert [item.deleted for item in items] == [None, None]


def test_looking_at_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ImageError):
        look_at(str(tmp_path / "none.png"), RULES.max_pixels)
