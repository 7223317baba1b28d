"""An image as it is seen once, to be held against many others: bytes, perceptual hash, and a coarse grid of greys.

Whether two images show the same is decided by `same_picture`, pixel by pixel. That takes 20 ms and more, and charts of
one template hash alike by the hundred thousand. The grids tell nearly all of those apart in microseconds, and let
pass whatever `same_picture` could find the same.
"""

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from data_juicer_ext.figures.image_appearance import perceptual_hash
from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError, image_and_bytes

_SIDE = 32  # cells of a grid, either way
_SEEN_AS = 256  # pixels of the longer side, at which `same_picture` lets an edge lie a pixel off
_INK = 160  # grey levels: what is darker is no margin, as for `same_picture`
# An edge from black to white that lies a pixel off changes a cell by this, by the cell's width in pixels. Of 917
# pairs of renderings of one chart the farthest apart reached 0.58 of it; charts of one template with other data
# (1,754 pairs within 8 bits of pHash) began at 0.96.
_LEVELS = 255

_Grid = npt.NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Glance:
    """One image: its file and the SHA-256 of that; as it is and without margin, its 64 bits of pHash and its grid.

    `slender` is the longer side in shorter ones, 1 or more, of that of the two where it is more.
    """

    path: str
    sha256: str
    hashes: tuple[int, int]
    grids: tuple[_Grid, _Grid]
    slender: float

    def may_show_the_same(self, other: "Glance") -> bool:
        """Whether the grids allow that the two show the same picture."""
        allowed = _LEVELS * _SIDE / _SEEN_AS * max(self.slender, other.slender)
        return any(int(np.abs(mine - its).max()) <= allowed for mine, its in zip(self.grids, other.grids, strict=True))


def glance_at(path: str) -> Glance:
    """See one image file, at a path or an address. Raises ImageError for one that does not decode whole."""
    plain, data = image_and_bytes(path)
    image = plain.convert("RGB")
    ink = image.convert("L").point(lambda level: 255 * (level < _INK)).getbbox()
    views = (image, image.crop(ink) if ink else image)
    digest = hashlib.sha256(data).hexdigest()
    (whole, bare), (grid, bare_grid) = map(perceptual_hash, views), map(_grid, views)
    slender = max(max(view.size) / min(view.size) for view in views)
    return Glance(path, digest, (whole, bare), (grid, bare_grid), slender)


def glance_at_all(paths: Iterable[str], workers: int) -> dict[str, Glance | ImageError]:
    """See image files, several at once; an ImageError stands for one that does not decode.

    Raises UnreachableImageError where object storage fails: that says nothing about the images.
    """
    wanted = list(dict.fromkeys(paths))
    with ThreadPoolExecutor(workers) as pool:
        return dict(zip(wanted, pool.map(_glance_or_error, wanted), strict=True))


def _glance_or_error(path: str) -> Glance | ImageError:
    try:
        return glance_at(path)
    except UnreachableImageError:
        raise
    except ImageError as error:
        return error


def _grid(image: Image.Image) -> _Grid:
    return np.asarray(image.convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX), dtype=np.int16)
