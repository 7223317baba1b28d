"""One image file made fit for a vision model's interface: its format, sides, pixels and bytes.

A file that already fits goes out byte for byte. Files come from papers and are untrusted: only
raster formats whose decoders run in this process are opened (no PostScript), the size in the
header is checked before anything is decoded, and whatever goes wrong is an `ImageError`.
"""

import hashlib
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.figures.decoding import strict_decoding
from data_juicer_ext.figures.text_height import smallest_text
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import as_path, is_remote

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM")
MIME = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
}
MAX_FILE_BYTES = 256 * 1024 * 1024
JPEG_QUALITIES = (95, 90, 85, 75, 60)
SHRINK = 0.75  # each further step when even the lowest quality is too many bytes
SHRINK_STEPS = 8
_ORIENTATION = 0x0112


class ImageError(DjExtError, ValueError):
    """An image cannot be sent; the text names the file and the reason."""


class UnreachableImageError(ImageError):
    """The storage that holds an image fails, which says nothing about the image: its row is undecided, not dropped."""


@dataclass(frozen=True)
class ImageLimits:
    """What a provider takes: longest side in pixels, bytes sent, and pixels of the file as it is.

    A file above `max_pixels` is refused (a decompression bomb, or useless at `max_side`); the other
    two are met by scaling down and by JPEG. A file in one of `formats` that fits goes out as it is,
    others become PNG or JPEG, which every provider takes.

    `min_text_height` (pixels as the model is shown them; 0: do not look): where scaling down brings text
    below it, the image is flagged. Providers scale down again what they are sent: to `seen_pixels` in all,
    and to `seen_short_side` pixels on the shorter side (0: not).
    """

    max_side: int = 2048
    max_bytes: int = 5_000_000
    max_pixels: int = 80_000_000
    formats: tuple[str, ...] = ("PNG", "JPEG")
    min_text_height: int = 8
    seen_pixels: int = 0
    seen_short_side: int = 0

    def shown(self, width: int, height: int) -> float:
        """How far the provider scales an image of that size down: the factor of its sides, at most 1."""
        by_pixels = math.sqrt(self.seen_pixels / (width * height)) if self.seen_pixels else 1.0
        by_side = self.seen_short_side / min(width, height) if self.seen_short_side else 1.0
        return min(1.0, by_pixels, by_side)


@dataclass(frozen=True)
class ImagePart:
    """An encoded image ready to send; `width` and `height` in pixels, `sha256` (hex) of `data`.

    `flags` say what was changed: `turned` (by its EXIF orientation), `first_frame` (of an
    animation or a stack), `flattened` (transparency on white), `converted` (colour model or depth),
    `scaled_down`, `small_text` (scaled down so far, here or by the provider, that its smallest text,
    as far as shapes tell, is below `min_text_height`), `jpeg` (compressed with loss to meet the bytes).
    """

    mime: str
    data: bytes
    width: int
    height: int
    sha256: str
    flags: tuple[str, ...] = ()


def prepare(path: str | Path, limits: ImageLimits | None = None) -> ImagePart:
    """The image file at `path` (or address), as PNG or JPEG within `limits`. Raises ImageError."""
    limits = limits or ImageLimits()
    with _opened(path, limits.max_pixels, " (model_params.max_image_pixels)") as (raw, image):
        return _fit(raw, image, limits)


def plain_image(path: str | Path, max_pixels: int = ImageLimits.max_pixels) -> Image.Image:
    """The image file at `path` (or address) as a reader sees it: upright, on white, one frame, in mode L or RGB.

    Raises ImageError for a file that does not decode whole or has more than `max_pixels` pixels, and
    UnreachableImageError where its storage fails.
    """
    return image_and_bytes(path, max_pixels)[0]


def image_and_bytes(path: str | Path, max_pixels: int = ImageLimits.max_pixels) -> tuple[Image.Image, bytes]:
    """What `plain_image` gives, and the bytes of the file, read once."""
    with _opened(path, max_pixels) as (raw, image):
        image.load()
        return _plain(image)[0], raw


@contextmanager
def _opened(place: str | Path, max_pixels: int, hint: str = "") -> Iterator[tuple[bytes, Image.Image]]:
    """The bytes and the image of a file; whatever goes wrong with it in the block is an ImageError."""
    path = str(place) if is_remote(place) else as_path(place)
    try:
        raw = _read(path)
        with strict_decoding(), Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            if image.width * image.height > max_pixels:
                size = f"{image.width} x {image.height}"
                raise ImageError(f"{path}: {size} is more than the {max_pixels:,} pixels allowed{hint}")
            yield raw, image
    except ImageError:
        raise
    except Image.DecompressionBombError:
        raise ImageError(f"{path}: far more than the {max_pixels:,} pixels allowed{hint}") from None
    except UnidentifiedImageError:
        raise ImageError(f"{path}: not an image that can be read (allowed: {', '.join(FORMATS)})") from None
    except Exception as error:  # decoders raise whatever a broken file leads them to
        raise ImageError(f"{path}: the image does not decode ({type(error).__name__}: {error})") from error


def _read(path: str | Path) -> bytes:
    if isinstance(path, str):
        return _read_object(path)
    if not path.is_file():
        raise ImageError(f"{path}: no such file")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ImageError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes")
    return path.read_bytes()


def _read_object(address: str) -> bytes:
    try:
        return papers.read(address, MAX_FILE_BYTES)
    except FileNotFoundError:
        raise ImageError(f"{address}: no such file") from None
    except papers.StorageError as error:
        raise UnreachableImageError(str(error)) from error
    except OSError as error:
        raise ImageError(f"{address}: {error.strerror}") from error


def _fit(raw: bytes, image: Image.Image, limits: ImageLimits) -> ImagePart:
    lossy = image.format in ("JPEG", "MPO")  # MPO: a JPEG with several pictures, as phones make them
    # Pillow decodes RGB of 16 bits a channel to 8 without a word; its tiles tell what is in the file.
    deep = any("16" in str(tile[3]) for tile in getattr(image, "tile", ()))
    image.load()
    picture, flags = _plain(image)
    if deep and "converted" not in flags:
        flags.append("converted")
    small, scaled = _scale(picture, limits.max_side)
    if scaled:
        flags.append("scaled_down")
    if not flags and image.format in limits.formats and image.format in MIME and len(raw) <= limits.max_bytes:
        part = _part(MIME[image.format], raw, image.size, flags)
    else:
        part = _encode(small, limits, flags, lossy)
    return _with_text_checked(part, picture, limits)


def _with_text_checked(part: ImagePart, picture: Image.Image, limits: ImageLimits) -> ImagePart:
    """`part` with its flag if scaling `picture` down to what a model is shown of it makes text small."""
    least = limits.min_text_height
    scale = max(part.width, part.height) / max(picture.size) * limits.shown(part.width, part.height)
    if scale >= 1.0 or not least:
        return part
    height = smallest_text(picture)
    lost = height is not None and height * scale < least
    return replace(part, flags=(*part.flags, "small_text")) if lost else part


def _plain(image: Image.Image) -> tuple[Image.Image, list[str]]:
    """The image upright, opaque, one frame, in mode L or RGB; and what had to be done for it."""
    flags = []
    if getattr(image, "n_frames", 1) > 1:
        flags.append("first_frame")
    if image.getexif().get(_ORIENTATION, 1) not in (0, 1):
        turned = ImageOps.exif_transpose(image)
        image, flags = turned, [*flags, "turned"]
    if image.has_transparency_data:
        image, opaque = _on_white(image)
        return image, flags if opaque else [*flags, "flattened"]
    if image.mode in ("I", "F") or image.mode.startswith("I;"):
        return _eight_bits(image), [*flags, "converted"]
    if image.mode in ("1", "L"):
        return image.convert("L"), flags
    return image.convert("RGB"), flags if image.mode in ("RGB", "P") else [*flags, "converted"]


def _on_white(image: Image.Image) -> tuple[Image.Image, bool]:
    image = image.convert("RGBA")
    if image.getchannel("A").getextrema() == (255, 255):
        return image.convert("RGB"), True
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB"), False


def _eight_bits(image: Image.Image) -> Image.Image:
    """A deep grey image in mode L: its full integer range where it has one, else its own extremes."""
    sixteen = image.mode.startswith("I;16")
    image = image.convert("F")
    low, high = (0.0, 65535.0) if sixteen else _range(image)
    scale = 255.0 / ((high - low) or 1.0)
    return image.point(lambda value: value * scale - low * scale).convert("L")


def _range(image: Image.Image) -> tuple[float, float]:
    extremes = image.getextrema()
    low, high = float(extremes[0]), float(extremes[1])  # type: ignore[arg-type]
    for top in (1.0, 255.0, 65535.0):
        if low >= 0.0 and high <= top:
            return 0.0, top
    return low, high


def _scale(image: Image.Image, max_side: int) -> tuple[Image.Image, bool]:
    longest = max(image.size)
    if longest <= max_side:
        return image, False
    width, height = (max(1, round(side * max_side / longest)) for side in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS), True


def _encode(image: Image.Image, limits: ImageLimits, flags: list[str], lossy: bool) -> ImagePart:
    if not lossy:
        data = _save(image, "PNG")
        if len(data) <= limits.max_bytes:
            return _part(MIME["PNG"], data, image.size, flags)
        flags = [*flags, "jpeg"]
    for _ in range(SHRINK_STEPS):
        for quality in JPEG_QUALITIES:
            data = _save(image, "JPEG", quality)
            if len(data) <= limits.max_bytes:
                return _part(MIME["JPEG"], data, image.size, flags)
        image, _scaled = _scale(image, max(1, int(max(image.size) * SHRINK)))
        flags = [*flags, *(["scaled_down"] if "scaled_down" not in flags else [])]
    raise ImageError(f"the image cannot be brought under {limits.max_bytes:,} bytes (model_params.max_image_bytes)")


def _save(image: Image.Image, form: str, quality: int = 0) -> bytes:
    buffer = io.BytesIO()
    if form == "JPEG":
        image.save(buffer, form, quality=quality, subsampling=0)  # coloured thin lines survive 4:4:4 only
    else:
        image.save(buffer, form)
    return buffer.getvalue()


def _part(mime: str, data: bytes, size: tuple[int, int], flags: list[str]) -> ImagePart:
    return ImagePart(mime, data, *size, hashlib.sha256(data).hexdigest(), tuple(flags))
