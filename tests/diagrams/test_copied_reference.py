from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageEnhance, ImageOps

from data_juicer_ext.diagrams.copied_reference import Similarity, compare, is_copy
from data_juicer_ext.figures.image_preparation import ImageError

DIAGRAMS = Path(__file__).resolve().parents[2] / "examples" / "diagrams"
REFERENCES = sorted(path.stem.removesuffix("_reference") for path in DIAGRAMS.glob("*_reference.png"))
PIXELS = 80_000_000


def scaled(factor: float) -> Callable[[Image.Image], Image.Image]:
    return lambda image: image.resize(
        (round(image.width * factor), round(image.height * factor)), Image.Resampling.LANCZOS
    )


COPIES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "as it is": lambda image: image,
    "a third of the size": scaled(0.35),
    "twice the size": scaled(2.0),
    "with a margin": lambda image: ImageOps.expand(image, (0, 60, 120, 0), "white"),
    "stretched a little": lambda image: image.resize((round(1.06 * image.width), image.height)),
    "stronger colours": lambda image: ImageEnhance.Color(image).enhance(1.6),
    "grey": lambda image: image.convert("L").convert("RGB"),
}


def alike(first: Path, second: Path) -> Similarity:
    found, swapped = compare(str(first), str(second), PIXELS), compare(str(second), str(first), PIXELS)
    assert found.hash_distance == swapped.hash_distance and is_copy(found) == is_copy(swapped)
    return found


@pytest.mark.parametrize("name", REFERENCES)
def test_copies_of_a_reference_are_flagged(name: str, tmp_path: Path) -> None:
    reference = DIAGRAMS / f"{name}_reference.png"
    with Image.open(reference) as opened:
        image = opened.convert("RGB")
    for what, change in COPIES.items():
        copy = tmp_path / f"{what}.png"
        change(image).save(copy)
        assert is_copy(alike(reference, copy)), what
    image.save(tmp_path / "compressed.jpg", quality=20)
    assert is_copy(alike(reference, tmp_path / "compressed.jpg"))


@pytest.mark.parametrize("name", REFERENCES)
def test_other_drawings_of_the_same_content_and_of_others_are_not(name: str) -> None:
    reference = DIAGRAMS / f"{name}_reference.png"
    others = [path for path in DIAGRAMS.iterdir() if path != reference and path.stem != "gauges_copy"]
    assert len(others) == 13
    assert not [path.stem for path in others if is_copy(alike(reference, path))]


def test_the_planted_copy_is_flagged() -> None:
    assert is_copy(alike(DIAGRAMS / "gauges_reference.png", DIAGRAMS / "gauges_copy.jpg"))


def test_both_thresholds_have_to_be_met_and_can_be_set() -> None:
    assert is_copy(Similarity(12, 0.62)) and not is_copy(Similarity(13, 0.62)) and not is_copy(Similarity(12, 0.61))
    assert is_copy(Similarity(20, 0.3), max_hash_distance=20, min_pixel_similarity=0.3)


def test_empty_drawings_are_alike_and_a_broken_file_is_told(tmp_path: Path) -> None:
    Image.new("RGB", (90, 60), "white").save(tmp_path / "a.png")
    Image.new("RGB", (30, 20), "white").save(tmp_path / "b.png")
    assert compare(str(tmp_path / "a.png"), str(tmp_path / "b.png"), PIXELS).pixel_similarity == 1.0
    (tmp_path / "c.png").write_bytes((tmp_path / "a.png").read_bytes()[:60])
    with pytest.raises(ImageError, match="c"):
        compare(str(tmp_path / "a.png"), str(tmp_path / "c.png"), PIXELS)
