from __future__ import annotations

import hashlib
import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from data_juicer_ext.diagrams.anonymous_pair import (
    _JPEG_QUALITIES,
    SIDE,
    _bytes,
    _encoded,
    anonymous,
    generated_first,
    run_row_id,
)
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, prepare
from tests.diagrams.judges import drawing

LIMITS = ImageLimits()


def marked(path: Path, seed: int, size: tuple[int, int]) -> str:
    """A drawing whose file tells where it comes from: text chunks, resolution, a colour profile."""
    drawing(path, seed, size)
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Software", "DrawBot 3, generated image")
    with Image.open(path) as image:
        image.save(path, pnginfo=notes, dpi=(300, 300), icc_profile=b"made by DrawBot", compress_level=1)
    return str(path)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """A marked large palette-like PNG and a small grey JPEG."""
    with Image.open(drawing(tmp_path / "b.png", 2, (400, 300))) as image:
        image.convert("L").save(tmp_path / "reference figure.jpg", quality=40, comment=b"from the paper")
    return marked(tmp_path / "generated.png", 1, (2400, 1600)), str(tmp_path / "reference figure.jpg")


def test_both_get_one_form_one_longest_side_and_no_metadata(pair: tuple[str, str], tmp_path: Path) -> None:
    shown = anonymous(pair, tmp_path / "out", LIMITS)
    for image, size in zip(shown, ((1536, 1024), (1536, 1152)), strict=True):
        data = Path(image.path).read_bytes()
        assert b"DrawBot" not in data and b"paper" not in data
        with Image.open(io.BytesIO(data)) as opened:
            assert (opened.format, opened.mode, opened.size, opened.info) == ("PNG", "RGB", size, {})
        assert not any(word in image.path for word in ("generated", "reference"))
    assert [image.flags for image in shown] == [("scaled_down",), ("scaled_up",)]
    assert [(image.width, image.height) for image in shown] == [(2400, 1600), (400, 300)]


def test_the_model_layer_sends_them_as_they_are(pair: tuple[str, str], tmp_path: Path) -> None:
    for image in anonymous(pair, tmp_path / "out", LIMITS):
        assert prepare(image.path, LIMITS).data == Path(image.path).read_bytes()


def test_swapping_the_pair_gives_the_same_files(pair: tuple[str, str], tmp_path: Path) -> None:
    there, back = anonymous(pair, tmp_path / "a", LIMITS), anonymous((pair[1], pair[0]), tmp_path / "b", LIMITS)
    assert [Path(image.path).name for image in there] == [Path(image.path).name for image in reversed(back)]


def test_a_pair_too_large_as_png_becomes_jpeg_on_both_sides(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (300, 400, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    plain = drawing(tmp_path / "plain.png", 1)
    shown = anonymous((plain, str(tmp_path / "noise.png")), tmp_path / "out", ImageLimits(max_bytes=900_000))
    assert all(Path(image.path).suffix == ".jpg" and "jpeg" in image.flags for image in shown)
    assert all(Path(image.path).stat().st_size <= 900_000 for image in shown)


def test_the_side_keeps_to_the_endpoints_limit(tmp_path: Path) -> None:
    pair = (drawing(tmp_path / "a.png", 1), drawing(tmp_path / "b.png", 2))
    for image in anonymous(pair, tmp_path / "out", ImageLimits(max_side=640)):
        with Image.open(image.path) as opened:
            assert max(opened.size) == 640 < SIDE


def test_an_image_that_can_not_be_used_is_told(tmp_path: Path) -> None:
    good = drawing(tmp_path / "a.png", 1)
    (tmp_path / "cut.png").write_bytes(Path(good).read_bytes()[:200])
    for bad in ("cut.png", "missing.png"):
        with pytest.raises(ImageError, match=bad):
            anonymous((good, str(tmp_path / bad)), tmp_path / "out", LIMITS)
    with pytest.raises(ImageError, match="pixels allowed"):
        anonymous((good, good), tmp_path / "out", ImageLimits(max_pixels=1000))


def test_an_image_of_the_right_size_and_one_that_just_fits_have_no_flags(tmp_path: Path) -> None:
    pair = (drawing(tmp_path / "a.png", 1, (640, 400)), drawing(tmp_path / "b.png", 2, (300, 640)))
    shown = anonymous(pair, tmp_path / "out", ImageLimits(max_side=640))
    assert [image.flags for image in shown] == [(), ()]
    largest = max(Path(image.path).stat().st_size for image in shown)
    again = anonymous(pair, tmp_path / "out", ImageLimits(max_side=640, max_bytes=largest))
    assert [image.path for image in again] == [image.path for image in shown]
    smaller = anonymous(pair, tmp_path / "out", ImageLimits(max_side=640, max_bytes=largest - 1))
    assert [image.flags for image in smaller] == [("jpeg",), ("jpeg",)]


def test_letters_that_get_too_small_by_scaling_down_are_flagged(tmp_path: Path) -> None:
    image = Image.new("RGB", (1600, 400), "white")
    canvas = ImageDraw.Draw(image)
    for line in range(8):
        canvas.text((20, 20 + 40 * line), "the rate of the reaction over the heat of it", fill="black", font_size=14)
    image.save(tmp_path / "text.png")
    pair = (str(tmp_path / "text.png"), drawing(tmp_path / "b.png", 2))
    flags = [image.flags for image in anonymous(pair, tmp_path / "out", ImageLimits(max_side=400))]
    assert flags == [("scaled_down", "small_text"), ("scaled_up",)]
    large = [image.flags for image in anonymous(pair, tmp_path / "out", ImageLimits(max_side=1600))]
    assert large == [("scaled_down",), ("scaled_up",)]  # to 1536, where the letters can be read
    anyhow = anonymous(pair, tmp_path / "out", ImageLimits(max_side=400, min_text_height=0))
    assert anyhow[0].flags == ("scaled_down",)


def test_a_jpeg_is_only_as_coarse_as_it_has_to_be() -> None:
    image = Image.effect_noise((300, 300), 80).convert("RGB")
    for quality in _JPEG_QUALITIES:
        size = len(_bytes(image, "JPEG", quality))
        assert size < len(_bytes(image, "PNG"))
        encoded, is_jpeg = _encoded([image, image], size)
        assert is_jpeg and [len(data) for data in encoded] == [size, size]
    coarsest, _ = _encoded([image, image], 1)
    assert len(coarsest[0]) == len(_bytes(image, "JPEG", _JPEG_QUALITIES[-1]))


def test_each_order_about_half_the_time_over_rows_and_over_runs() -> None:
    over_rows = sum(generated_first(f"row-{n}") for n in range(2000))
    over_runs = sum(generated_first("one row", n) for n in range(2000))
    assert 920 <= over_rows <= 1080 and 920 <= over_runs <= 1080


def test_ids_with_a_pattern_get_no_pattern_of_orders() -> None:
    hashed = [f"figure-{hashlib.sha256(str(n).encode()).hexdigest()[:20]}" for n in range(400)]
    numbered = [f"{n:08d}" for n in range(400)]
    for names in (hashed, numbered):
        drawn = [generated_first(name) for name in names]
        changes = sum(one != other for one, other in pairwise(drawn))
        assert 160 <= sum(drawn) <= 240 and 160 <= changes <= 240


def test_the_order_is_the_same_each_time() -> None:
    assert [generated_first("a", run) for run in range(30)] == [generated_first("a", run) for run in range(30)]
    assert len({generated_first("a", run) for run in range(30)}) == 2


def test_the_first_run_keeps_the_rows_id_and_all_differ() -> None:
    ids = [run_row_id("pair", run) for run in range(5)]
    assert ids[0] == "pair" and len(set(ids)) == 5 and ids == [run_row_id("pair", run) for run in range(5)]
