"""What the pixels of a figure tell: sharpness, size, whitespace, edges, colours."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

WHITE = 245  # grey levels of 255 from which a pixel counts as white
BLURRED_BELOW = 0.04  # edge sharpness
EDGE = 32.0  # grey levels a pixel: gradients (Sobel) from here on are edges
BINS = 8  # of each colour channel
_LARGEST = 4096  # pixels; of a larger image the middle is measured, since scaling would change its sharpness
_AROUND = 9  # pixels: the window in which an edge's contrast is taken
_LEAST_CONTRAST = 16  # grey levels; what is fainter is noise of compression
_STRONG = 0.25  # of the strongest contrast (99th percentile): where the sharpness is measured

_Grey = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class PixelFeatures:
    """Measures of the images of one figure.

    `laplacian_variance`: variance of the Laplacian over the whole image, grey levels squared, 0 and up (the paper's
    measure of blur; of a sharp drawing on white it can be lower than of a blurred photograph). `edge_sharpness`:
    the same around strong edges only, with the Laplacian in units of the local contrast: 0 and up, below 0.04
    blurred, None where nothing has an edge. Both are the lowest over several images. `pixel_count`: pixels.
    `whitespace_share`: of pixels with a grey level of 245 and more. `edge_density`: share of pixels with a gradient
    of 32 levels and more. `colour_histogram`: for red, green and blue the share of pixels in each of 8 equal bins,
    dark to light. Shares are 0 to 1, over all images by their pixels.
    """

    laplacian_variance: float
    edge_sharpness: float | None
    pixel_count: int
    whitespace_share: float
    edge_density: float
    colour_histogram: dict[str, list[float]]


def pixel_features(images: Sequence[Image.Image]) -> PixelFeatures:
    """The features of a figure from its images (mode L or RGB), one at least."""
    measured = [_middle(image.convert("RGB")) for image in images]
    greys = [np.asarray(image.convert("L")) for image in measured]
    sharp = [value for value in map(edge_sharpness, greys) if value is not None]
    weights = [grey.size for grey in greys]
    white = [float((grey >= WHITE).mean()) for grey in greys]
    edges = [_edge_density(grey) for grey in greys]
    return PixelFeatures(
        laplacian_variance=round(min(_laplacian_variance(grey) for grey in greys), 2),
        edge_sharpness=round(min(sharp), 5) if sharp else None,
        pixel_count=sum(image.width * image.height for image in images),
        whitespace_share=round(float(np.average(white, weights=weights)), 4),
        edge_density=round(float(np.average(edges, weights=weights)), 4),
        colour_histogram=_histogram(measured),
    )


def _middle(image: Image.Image) -> Image.Image:
    left, top = (max(0, side - _LARGEST) // 2 for side in image.size)
    return image.crop((left, top, min(image.width, left + _LARGEST), min(image.height, top + _LARGEST)))


def _laplacian_variance(grey: _Grey) -> float:
    from scipy import ndimage  # type: ignore[import-untyped]

    return float(ndimage.laplace(grey, output=np.float32).var())


def edge_sharpness(grey: _Grey) -> float | None:
    """The variance of Laplacian / local contrast around the strong edges of a grey image; None without any.

    A step of contrast C blurred by a standard deviation s has a Laplacian of about C / (4 s^2) at most, so the
    measure falls with s whatever the contrast and however little of the image is drawn on.
    """
    from scipy import ndimage

    highest, lowest = ndimage.maximum_filter(grey, size=_AROUND), ndimage.minimum_filter(grey, size=_AROUND)
    contrast = highest - lowest
    present = contrast[contrast >= _LEAST_CONTRAST]
    if present.size == 0:
        return None
    strong = contrast >= max(_LEAST_CONTRAST, _STRONG * float(np.percentile(present, 99)))
    return float((ndimage.laplace(grey, output=np.float32)[strong] / contrast[strong]).var())


def _edge_density(grey: _Grey) -> float:
    from scipy import ndimage

    across, down = (ndimage.sobel(grey, axis=axis, output=np.float32) / 8.0 for axis in (1, 0))
    return float((np.hypot(across, down) >= EDGE).mean())


def _histogram(images: Sequence[Image.Image]) -> dict[str, list[float]]:
    counts = np.zeros((3, BINS))
    for image in images:
        counts += np.array(image.histogram(), dtype=float).reshape(3, BINS, -1).sum(axis=2)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return {
        name: [round(float(share), 4) for share in row]
        for name, row in zip(("red", "green", "blue"), shares, strict=True)
    }
