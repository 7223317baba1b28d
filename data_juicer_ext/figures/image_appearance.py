"""What an image file looks like: size, share of its dominant colour, perceptual hash."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from data_juicer_ext.figures.image_preparation import plain_image

_MOST_SAMPLED = 1_000_000  # pixels; of a larger image every n-th row and column is looked at
_NEAR = 8  # levels of 255 that two shades of one colour may differ by in a channel: noise of JPEG


@dataclass(frozen=True)
class ImageLook:
    """An image as measured once: sides in pixels, dominant-colour share (0 to 1), 64 bits of perceptual hash."""

    path: str
    width: int
    height: int
    dominant: float
    phash: int

    @property
    def aspect(self) -> float:
        """The longer side in shorter ones, 1 or more."""
        return max(self.width, self.height) / min(self.width, self.height)


def look_at(path: str, max_pixels: int) -> ImageLook:
    """Decode and measure an image. Raises ImageError for one that does not decode or has over `max_pixels`.

    Transparency lies on white, so that line plots without a ground are not all black.
    """
    image = plain_image(path, max_pixels).convert("RGB")
    return ImageLook(path, image.width, image.height, dominant_share(image), perceptual_hash(image))


def dominant_share(image: Image.Image) -> float:
    """The share (0 to 1) of the pixels that have the most frequent colour of an RGB image, or nearly so."""
    pixels: npt.NDArray[np.uint8] = np.asarray(image)
    step = max(1, int(np.ceil(np.sqrt(pixels.shape[0] * pixels.shape[1] / _MOST_SAMPLED))))
    pixels = pixels[::step, ::step].reshape(-1, 3)
    coarse = (pixels >> 4).astype(np.int32) @ np.array([256, 16, 1], dtype=np.int32)
    shades = pixels[coarse == np.bincount(coarse).argmax()]
    near = np.ones(len(pixels), dtype=bool)
    for channel in range(3):
        commonest = int(np.bincount(shades[:, channel]).argmax())
        near &= np.abs(pixels[:, channel].astype(np.int16) - commonest) <= _NEAR
    return float(near.mean())


def perceptual_hash(image: Image.Image) -> int:
    """The 64 bits of the image's pHash (Hamming distances between them tell how unlike two images are)."""
    import imagehash

    return int(str(imagehash.phash(image)), 16)


def hamming(first: int, second: int) -> int:
    """In how many bits two hashes differ, 0 to 64."""
    return (first ^ second).bit_count()
