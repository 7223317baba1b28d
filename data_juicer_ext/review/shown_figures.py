"""Figures for the page: only what the picture shows, encoded anew, so that nothing else of a file goes out."""

import io
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from data_juicer_ext.figures.image_preparation import ImageError, plain_image
from data_juicer_ext.storage.papers import found_image

SIDE, FULL_SIDE = 1600, 6000  # longest sides in pixels: on the page, and to zoom into
_MOST_BYTES = {SIDE: 1_500_000, FULL_SIDE: 12_000_000}
_QUALITIES = (92, 80, 60)
_CACHE_BYTES = 64_000_000
_AT_ONCE = 2  # large figures take hundreds of megabytes while they are decoded


@dataclass(frozen=True)
class EncodedImage:
    """An encoded picture."""

    mime: str
    data: bytes


class ImageEncoder:
    """Encodes image files, and keeps the last ones. May be used by several threads.

    Where a file is not at its place (the folder was moved) it is looked for in `images`; of an object on object
    storage the copy there is taken, if there is one.
    """

    def __init__(self, images: str | Path) -> None:
        self._images = images
        self._kept: OrderedDict[tuple[str, int], EncodedImage] = OrderedDict()
        self._lock, self._decoding = threading.Lock(), threading.BoundedSemaphore(_AT_ONCE)

    def of(self, path: str, full: bool = False) -> EncodedImage:
        """A file as a picture without metadata, name or colour profile. Raises ImageError."""
        key = path, FULL_SIDE if full else SIDE
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with self._decoding:
            made = self._encoded(path, key[1])
        with self._lock:
            self._kept[key] = made
            while sum(len(kept.data) for kept in self._kept.values()) > _CACHE_BYTES and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return made

    def _encoded(self, path: str, side: int) -> EncodedImage:
        try:
            image = plain_image(found_image(path, self._images))
            image.info.clear()  # comments and profiles, which Pillow would write again
            image.thumbnail((side, side), Image.Resampling.LANCZOS)
            return _encode(image, _MOST_BYTES[side])
        except (OSError, ValueError, MemoryError) as error:
            raise error if isinstance(error, ImageError) else ImageError(str(error)) from error


def _encode(image: Image.Image, most: int) -> EncodedImage:
    data = _saved(image, "PNG")
    if len(data) <= most:
        return EncodedImage("image/png", data)
    for quality in _QUALITIES:
        data = _saved(image, "JPEG", quality=quality, subsampling=0)
        if len(data) <= most:
            return EncodedImage("image/jpeg", data)
    raise ImageError(f"the image cannot be brought under {most:,} bytes")


def _saved(image: Image.Image, form: str, **how: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **how)
    return buffer.getvalue()
