"""Whether two image files are renderings of one picture: pixels compared at equal size.

Another resolution, JPEG and another margin move edges by a pixel and shift colours a little; other data move
or colour something by more. So a pixel may differ from its counterpart as far as that one's neighbours do.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError, plain_image
from data_juicer_ext.storage.addresses import as_path, is_remote


@dataclass(frozen=True)
class _Measure:
    """Pictures are compared with a longest side of `side` pixels, softened by `softness` pixels (standard deviation).

    They are not the same if more than `pixels` pixels differ by more than `level` levels of 255.
    """

    side: int
    softness: float
    level: float
    pixels: int


# Set between renderings of one chart (72 to 300 dpi, JPEG down to quality 15, scaled, padded) and charts of one
# template with other data; docs/curation.md has the numbers.
_COARSE = _Measure(256, 1.5, 36.0, 10)  # cheap, and sees faint shapes
_SHADES = _Measure(256, 0.0, 19.0, 100)
_FINE = _Measure(1024, 1.0, 112.0, 20)  # sees how a thin line runs
_ASPECTS = 1.05  # sides of one picture differ in their ratio by this factor at most
_FLAT = 24.0  # levels within which an area is of one shade
_INK = 160  # grey levels: what is darker is no margin

_Pixels = npt.NDArray[np.float32]
_Views = tuple[Image.Image, Image.Image]


def same_picture(first: str, second: str) -> bool:
    """Whether two images show the same, whatever their size, compression and white margin.

    Files that do not decode are the same as nothing. Raises UnreachableImageError where their storage fails.
    """
    try:
        return _like(first, second, _small, _coarsely) and _like(first, second, _large, _finely)
    except UnreachableImageError:
        raise
    except (ImageError, OSError):
        return False


def _like(first: str, second: str, views: Any, alike: Any) -> bool:
    pairs = zip(*(views(path, _changed(path)) for path in (first, second)), strict=True)
    return any(_proportions_fit(*pair) and alike(*pair) for pair in pairs)


def _changed(path: str) -> int:
    """When a file was changed last, in nanoseconds; 0 for an object, whose name tells its content."""
    return 0 if is_remote(path) else as_path(path).stat().st_mtime_ns


@lru_cache(maxsize=64)
def _small(path: str, _changed: int) -> _Views:
    return _views(path, _COARSE.side)


@lru_cache(maxsize=4)
def _large(path: str, _changed: int) -> _Views:
    return _views(path, _FINE.side)


def _views(path: str, side: int) -> _Views:
    image = plain_image(path).convert("RGB")
    ink = image.convert("L").point(lambda level: 255 * (level < _INK)).getbbox()
    return _reduced(image, side), _reduced(image.crop(ink) if ink else image, side)


def _reduced(image: Image.Image, side: int) -> Image.Image:
    image = image.copy()
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return image


def _proportions_fit(first: Image.Image, second: Image.Image) -> bool:
    low, high = sorted((first.width / first.height, second.width / second.height))
    return high <= _ASPECTS * low


def _coarsely(first: Image.Image, second: Image.Image) -> bool:
    mine, its = _equal_size(first, second)
    return _within(_shapes(mine, its, _COARSE.softness), _COARSE) and _within(_shades(mine, its), _SHADES)


def _finely(first: Image.Image, second: Image.Image) -> bool:
    return _within(_shapes(*_equal_size(first, second), _FINE.softness), _FINE)


def _equal_size(first: Image.Image, second: Image.Image) -> tuple[_Pixels, _Pixels]:
    size = min(first.size, second.size, key=lambda sides: sides[0] * sides[1])
    mine, its = (image.resize(size, Image.Resampling.LANCZOS) for image in (first, second))
    return np.asarray(mine, dtype=np.float32), np.asarray(its, dtype=np.float32)


def _within(differences: _Pixels, measure: _Measure) -> bool:
    return int((differences > measure.level).sum()) <= measure.pixels


def _shapes(first: _Pixels, second: _Pixels, softness: float) -> _Pixels:
    """How far each pixel lies outside of what its counterpart and that one's neighbours have, either way."""
    from scipy import ndimage  # type: ignore[import-untyped]

    soft = [ndimage.gaussian_filter(pixels, (softness, softness, 0)) for pixels in (first, second)]
    low = [ndimage.minimum_filter(pixels, size=(3, 3, 1)) for pixels in soft]
    high = [ndimage.maximum_filter(pixels, size=(3, 3, 1)) for pixels in soft]
    outside = [np.maximum(low[1 - i] - soft[i], soft[i] - high[1 - i]) for i in (0, 1)]
    farther: _Pixels = np.maximum(*outside).max(axis=2)
    return farther


def _shades(first: _Pixels, second: _Pixels) -> _Pixels:
    """How far pixels differ that lie in an area of one shade in both pictures."""
    from scipy import ndimage

    window = (5, 5, 1)
    spans = [
        ndimage.maximum_filter(pixels, size=window) - ndimage.minimum_filter(pixels, size=window)
        for pixels in (first, second)
    ]
    flat = np.maximum(*spans).max(axis=2) < _FLAT
    apart: _Pixels = np.where(flat, np.abs(first - second).max(axis=2), np.float32(0.0))
    return apart
