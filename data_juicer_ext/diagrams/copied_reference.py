"""Whether a generated diagram copies its reference: perceptual hash, and ink that both have in the same place.

A model may have seen the reference in training; a candidate that reproduces it says nothing about how well it
draws. Such pairs are flagged, as a precaution and no proof. Source: SciDiagBench, appendix A.2.

How the thresholds were chosen, on the seven sample references: copies (JPEG of quality 20, 35 to 200 % of the size,
other margins, stronger or no colour) lie at 0 to 10 bits and 0.64 to 1 of ink in common; other drawings of the same
content (mirrored, upright, boxes left out) at 24 to 34 bits and 0.15 to 0.57. One layout in another style lies among
the copies (2 to 8 bits, 0.75 to 0.98), also with other words in its boxes: it is flagged. A copy that is turned or
inverted is not. Both thresholds must be met, since simple drawings may share a hash and dense ones ink by chance.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops

from data_juicer_ext.figures.image_appearance import hamming, perceptual_hash
from data_juicer_ext.figures.image_preparation import plain_image

MAX_HASH_DISTANCE = 12  # bits of 64
MIN_PIXEL_SIMILARITY = 0.62
_SIDE = 256  # pixels: the longest side at which drawings are compared
_SOFTNESS = 1.5  # pixels (standard deviation): by which strokes may lie apart
_GROUND = 24  # levels of 255 from which a pixel belongs to the drawing
_NOISE = 10  # levels that compression shifts the ground by

_Ink = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Similarity:
    """How alike two drawings are: bits of 64 that their perceptual hashes differ in, and ink in common (0 to 1)."""

    hash_distance: int
    pixel_similarity: float


def compare(first: str, second: str, max_pixels: int) -> Similarity:
    """How alike the drawings of two image files are, whatever their size and margin. Raises ImageError."""
    mine, its = (_trimmed(plain_image(path, max_pixels).convert("RGB")) for path in (first, second))
    return Similarity(hamming(perceptual_hash(mine), perceptual_hash(its)), round(_shared_ink(mine, its), 4))


def is_copy(
    found: Similarity, max_hash_distance: int = MAX_HASH_DISTANCE, min_pixel_similarity: float = MIN_PIXEL_SIMILARITY
) -> bool:
    """Whether two drawings are so alike that one is taken for a copy of the other."""
    return found.hash_distance <= max_hash_distance and found.pixel_similarity >= min_pixel_similarity


def _trimmed(image: Image.Image) -> Image.Image:
    small = image.copy()
    small.thumbnail((1024, 1024), Image.Resampling.LANCZOS)
    away = ImageChops.difference(small, Image.new("RGB", small.size, _ground(small))).convert("L")
    box = away.point(lambda level: 255 * (level > _GROUND)).getbbox()
    return small.crop(box) if box else small


def _ground(image: Image.Image) -> tuple[int, int, int]:
    pixels = np.asarray(image, dtype=np.uint32)
    colours, counts = np.unique(pixels @ np.array([65536, 256, 1], dtype=np.uint32), return_counts=True)
    most = int(colours[counts.argmax()])
    return most >> 16, most >> 8 & 255, most & 255


def _shared_ink(first: Image.Image, second: Image.Image) -> float:
    """Ink that both have, of the ink that either has; 1 for two empty drawings."""
    scale = _SIDE / max(*first.size, *second.size)
    size = tuple(max(1, round(scale * max(sides))) for sides in zip(first.size, second.size, strict=True))
    mine, its = (_ink(image, (size[0], size[1])) for image in (first, second))
    either = float(np.maximum(mine, its).sum())
    return float(np.minimum(mine, its).sum()) / either if either else 1.0


def _ink(image: Image.Image, size: tuple[int, int]) -> _Ink:
    from scipy import ndimage  # type: ignore[import-untyped]

    ground = np.array(_ground(image), dtype=np.float32)
    pixels = np.asarray(image.resize(size, Image.Resampling.LANCZOS), dtype=np.float32)
    away: _Ink = np.abs(pixels - ground).max(axis=2)
    soft: _Ink = ndimage.gaussian_filter(np.maximum(away - np.float32(_NOISE), np.float32(0)), _SOFTNESS)
    return soft
