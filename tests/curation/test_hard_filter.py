"""S1: each rule with an image on each side of its threshold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageOps

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.hard_filter import hard_filter, repeated
from data_juicer_ext.curation.thresholds import Rules
from data_juicer_ext.figures.image_appearance import dominant_share, hamming, look_at
from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.figures.same_picture import same_picture
from tests.figures.charts import as_jpeg, bars, figure, heat_map, item, lines, render, saved, texture

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


PAPER = Rules(confirm=False)
VALUES = [0.3, 0.8, 0.55, 0.9, 0.4]
CURVE = [0.2, 0.5, 0.45, 0.8, 0.75, 0.9, 0.7]
CELLS = [[0.1 * ((row * 7 + column * 3) % 10) for column in range(6)] for row in range(6)]


def test_eight_bits_apart_repeat_and_nine_do_not() -> None:
    first = item("1")
    assert repeated(item("2", phash=0b1111_1111), [first], PAPER) == Finding("S1", "near_duplicate", 8, 8, "f1")
    assert repeated(item("2", phash=0b1_1111_1111), [first], PAPER) is None


def test_the_threshold_is_a_parameter_and_minus_one_keeps_duplicates() -> None:
    assert repeated(item("2"), [item("1")], Rules(max_hamming=-1, confirm=False)) is None
    assert repeated(item("2", phash=1), [item("1")], Rules(max_hamming=0, confirm=False)) is None


def test_figures_are_compared_image_by_image_and_panels_with_panels() -> None:
    two = item("2")
    two.looks = two.looks * 2
    assert repeated(two, [item("1")], PAPER) is None
    panel = item("1a", panel="a", parent_label="fig:1")
    assert repeated(panel, [item("1")], PAPER) is None
    assert repeated(panel, [item("2a", panel="a", parent_label="fig:2")], PAPER) is not None


def test_the_first_in_the_paper_stays(tmp_path: Path) -> None:
    paths = [saved(render(bars(VALUES), dpi), tmp_path / f"{dpi}.png") for dpi in (100, 150, 200)]
    items = [Item(figure(str(number), path)) for number, path in enumerate(paths)]
    hard_filter(items, Rules())
    assert items[0].deleted is None
    assert [(i.deleted.reason, i.deleted.other) for i in items[1:] if i.deleted] == [("near_duplicate", "f0")] * 2


DRAWN = {"bars": bars(VALUES), "lines": lines(CURVE, VALUES), "heat map": heat_map(CELLS)}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize(
    "again",
    [
        lambda document: render(document, 72),
        lambda document: render(document, 300),
        lambda document: as_jpeg(render(document, 150), 30),
        lambda document: as_jpeg(render(document, 100), 60),
        lambda document: render(document, 150).resize((300, 200), Image.Resampling.BILINEAR),
        lambda document: ImageOps.expand(render(document, 150), border=(3, 12, 9, 2), fill="white"),
        lambda document: render(document, 150).convert("RGBA"),
    ],
    ids=["72 dpi", "300 dpi", "jpeg 30", "jpeg 60 of 100 dpi", "scaled", "padded", "alpha"],
)
def test_renderings_of_one_chart_are_the_same(name: str, again: object, tmp_path: Path) -> None:
    assert callable(again)
    first = saved(render(DRAWN[name], 150), tmp_path / "a.png")
    assert same_picture(first, saved(again(DRAWN[name]), tmp_path / "b.png"))


def changed(values: list[float], place: int, by: float) -> list[float]:
    return [value + by * (index == place) for index, value in enumerate(values)]


OTHERS = {
    "one bar 3 % higher": (bars(VALUES), bars(changed(VALUES, 2, 0.03))),
    "other bars": (bars(VALUES), bars(VALUES[::-1])),
    "other colour": (bars(VALUES), bars(VALUES, (0.7, 0.3, 0.2))),
    "one point of a curve": (lines(CURVE, VALUES), lines(changed(CURVE, 3, 0.06), VALUES)),
    "a curve more": (lines(CURVE), lines(CURVE, VALUES)),
    "one cell": (heat_map(CELLS), heat_map([*CELLS[:5], changed(CELLS[5], 1, 0.15)])),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("dpi", [(150, 150), (300, 300), (100, 150)], ids=str)
def test_charts_of_one_template_with_other_data_are_not(name: str, dpi: tuple[int, int], tmp_path: Path) -> None:
    paths = [
        saved(render(document, value), tmp_path / f"{place}.png")
        for place, (document, value) in enumerate(zip(OTHERS[name], dpi, strict=True))
    ]
    assert not same_picture(*paths)


def test_confirm_keeps_what_the_paper_rule_deletes(tmp_path: Path) -> None:
    paths = [
        saved(render(bars(values), 150), tmp_path / f"{number}.png")
        for number, values in enumerate((VALUES, changed(VALUES, 2, 0.05)))
    ]
    first, second = (look_at(path, PAPER.max_pixels) for path in paths)
    assert hamming(first.phash, second.phash) <= 8
    for rules, expected in ((PAPER, 1), (Rules(confirm=True), 0)):
        items = [Item(figure(str(number), path)) for number, path in enumerate(paths)]
        hard_filter(items, rules)
        assert sum(one.deleted is not None for one in items) == expected


def test_different_pictures_and_missing_files_are_not_the_same(tmp_path: Path) -> None:
    first, second = (saved(texture(seed), tmp_path / f"{seed}.png") for seed in (1, 2))
    assert same_picture(first, first) and not same_picture(first, second)
    assert not same_picture(first, str(tmp_path / "none.png"))
    assert not same_picture(first, saved(texture(1).resize((240, 200)), tmp_path / "squeezed.png"))


def test_a_file_that_was_replaced_is_looked_at_again(tmp_path: Path) -> None:
    import os

    first, second = (saved(texture(1), tmp_path / name) for name in ("a.png", "b.png"))
    assert same_picture(first, second)
    saved(texture(2), tmp_path / "b.png")
    os.utime(second, ns=(1, 1))
    assert not same_picture(first, second)
