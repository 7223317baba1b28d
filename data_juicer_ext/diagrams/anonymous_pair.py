"""A pair's images made alike in all but what they show, so that nothing tells a judge which is which.

Both are drawn anew: same longest side, RGB, same file format, no metadata, named by content. The shape of a
drawing is part of it and stays.
"""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageLimits, plain_image
from data_juicer_ext.figures.text_height import smallest_text
from data_juicer_ext.rows import content_id, seeded
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import under

SIDE = 1536  # pixels: what most providers show of an image
_JPEG_QUALITIES = (95, 85, 70, 50)


@dataclass(frozen=True)
class ShownImage:
    """An image as it is shown to a judge: its file, the size of the original, and what was done to it.

    `flags`: `scaled_down`, `scaled_up`, `jpeg` (compressed with loss, both of a pair), `small_text` (scaling down
    brought its smallest text below what a model reads).
    """

    path: str
    width: int
    height: int
    flags: tuple[str, ...]


def anonymous(paths: tuple[str, str], folder: str | Path, limits: ImageLimits) -> tuple[ShownImage, ShownImage]:
    """The two images of a pair made alike, as files in `folder`, a path or an address.

    Raises ImageError, and OSError for the folder (StorageError where object storage fails).
    """
    originals = [plain_image(path, limits.max_pixels).convert("RGB") for path in paths]
    side = min(SIDE, limits.max_side)
    scaled = [_scaled(image, side) for image in originals]
    encoded, lossy = _encoded(scaled, limits.max_bytes)
    first, second = (
        ShownImage(_kept(data, folder, "jpg" if lossy else "png"), *image.size, _flags(image, side, lossy, limits))
        for image, data in zip(originals, encoded, strict=True)
    )
    return first, second


def _scaled(image: Image.Image, side: int) -> Image.Image:
    factor = side / max(image.size)
    width, height = (max(1, round(length * factor)) for length in image.size)
    scaled = image.resize((width, height), Image.Resampling.LANCZOS)
    scaled.info = {}  # colour profiles and comments, which Pillow would write out again
    return scaled


def _encoded(images: list[Image.Image], max_bytes: int) -> tuple[list[bytes], bool]:
    """Both as PNG, or both as JPEG where a PNG would be too large for the endpoint; and whether it is JPEG."""
    encoded = [_bytes(image, "PNG") for image in images]
    if all(len(data) <= max_bytes for data in encoded):
        return encoded, False
    for quality in _JPEG_QUALITIES:
        encoded = [_bytes(image, "JPEG", quality) for image in images]
        if all(len(data) <= max_bytes for data in encoded):
            break
    return encoded, True


def _bytes(image: Image.Image, form: str, quality: int = 0) -> bytes:
    buffer = io.BytesIO()
    if form == "JPEG":
        image.save(buffer, form, quality=quality, subsampling=0)
    else:
        image.save(buffer, form)
    return buffer.getvalue()


def _kept(data: bytes, folder: str | Path, suffix: str) -> str:
    place = under(folder, f"{hashlib.sha256(data).hexdigest()[:32]}.{suffix}")
    if papers.size(place) is None:
        papers.write(place, data)
    return place


def _flags(image: Image.Image, side: int, lossy: bool, limits: ImageLimits) -> tuple[str, ...]:
    factor = side / max(image.size)
    found = ["scaled_down"] if factor < 1 else ["scaled_up"] if factor > 1 else []
    shown = factor * limits.shown(*(round(length * factor) for length in image.size))
    if shown < 1 and limits.min_text_height:
        height = smallest_text(image)
        found += ["small_text"] if height is not None and height * shown < limits.min_text_height else []
    return tuple([*found, "jpeg"] if lossy else found)


def generated_first(row_id: str, run_index: int = 0) -> bool:
    """Whether a pair's generated diagram is shown first in a run: true for about half of all pairs.

    It hangs on nothing but the arguments, so neither the content of the diagrams nor their place in a file
    leads to an order.
    """
    return seeded("diagram order", row_id, run_index)[0] < 128


def run_row_id(row_id: str, run_index: int) -> str:
    """The `row_id` of a pair's row of a run: the pair's own for run 0, one made of it for the others."""
    return content_id("run", row_id, str(run_index)) if run_index else row_id
