"""Figure files of any kind to what a vision model can read: PNG or JPEG, named by content.

Sources are untrusted: sizes are bounded before anything is decoded, pages are drawn in a process of
their own, and whatever goes wrong ends as an `DrawingError` with a plain word (a flag) for it.
"""

import hashlib
import io
import re
import shutil
import subprocess
import tempfile
import warnings
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from data_juicer_ext.figures.bounded_process import WorkError, bare_environment, work
from data_juicer_ext.figures.decoding import strict_decoding
from data_juicer_ext.figures.image_crop import DrawingError, View, as_png, viewed
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import is_remote, under

__all__ = ["DrawingError", "RasterLimits", "View", "kind_of", "readable_image"]

_MAX_PIXELS = 100_000_000
_MAX_BYTES = 200_000_000
_BOUNDING_BOX = re.compile(rb"%%BoundingBox:\s*(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)")
_DRAW = "data_juicer_ext.figures.page_drawing:draw"
_MOST_KNOWN = 20_000  # objects that this process has written or met
_VERSION = "1"  # part of the file name: raise it when the same source would give another picture


@dataclass(frozen=True)
class RasterLimits:
    """Resolution of vector figures (dots per inch), their longest side in pixels, and the time to draw one."""

    dpi: int = 200
    max_side: int = 2000
    seconds: float = 30.0


LIMITS = RasterLimits()
WHOLE = View()


def readable_image(data: bytes, folder: str | Path, limits: RasterLimits = LIMITS, view: View = WHOLE) -> str:
    """A PNG or JPEG in `folder` (a path or an address) that shows the image in `data`; written once for one content.

    PDF, SVG, EPS and PS are rasterised; other formats are checked by decoding them and, where they are
    not plain RGB or grey PNG or JPEG, written as such (first frame, transparency on white, turned as
    their EXIF says). Raises DrawingError with flag `image_unreadable`, `image_too_large` or
    `needs_ghostscript`, OSError where `folder` can't be written, which at an address is a StorageError.
    """
    if len(data) > _MAX_BYTES:
        raise DrawingError("image_too_large", f"the file has {len(data)} bytes")
    kind = kind_of(data)
    vector = kind in ("pdf", "svg", "eps")
    name = _name(data, kind, limits if vector else RasterLimits(0, 0), view)
    # Only what came as JPEG may have become one; each question to object storage takes a request.
    for suffix in (".png", ".jpg") if data.startswith(b"\xff\xd8") else (".png",):
        if _is_there(known := under(folder, f"{name}{suffix}")):
            return known
    try:
        content, suffix = _vector(data, kind, limits, view) if vector else _raster(data, view)
    except DrawingError:
        raise
    except Exception as error:
        raise DrawingError("image_unreadable", f"{type(error).__name__}: {error}") from error
    made = under(folder, f"{name}{suffix}")
    papers.write(made, content)
    _remember(made)
    return made


def kind_of(data: bytes) -> str:
    """ "pdf", "eps", "svg" or "raster", by what the file holds."""
    head = data[:1024].lstrip()
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"%!", b"\xc5\xd0\xd3\xc6", b"\x04%!")):
        return "eps"
    if b"<svg" in data[:4096].lower() or (head.startswith(b"<?xml") and b"svg" in data[:4096].lower()):
        return "svg"
    return "raster"


def _name(data: bytes, kind: str, limits: RasterLimits, view: View) -> str:
    digest = hashlib.sha256(data)
    digest.update(f"|{_VERSION}|{kind}|{limits.dpi}|{limits.max_side}|{view}".encode())
    return digest.hexdigest()[:32]


_known: OrderedDict[str, None] = OrderedDict()


def _is_there(place: str) -> bool:
    """Whether an image was written before. An object is asked for once per process, as none is ever removed."""
    if place in _known:
        return True
    if not papers.size(place):
        return False
    _remember(place)
    return True


def _remember(place: str) -> None:
    if is_remote(place):
        _known[place] = None
        if len(_known) > _MOST_KNOWN:
            _known.popitem(last=False)


# ---- raster formats


def _raster(data: bytes, view: View) -> tuple[bytes, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # sizes are checked below
            image: Any = Image.open(io.BytesIO(data))
    except Image.DecompressionBombError as error:
        raise DrawingError("image_too_large", str(error)) from error
    with strict_decoding(), image:
        if image.width * image.height > _MAX_PIXELS:
            raise DrawingError("image_too_large", f"{image.width} x {image.height} pixels")
        if image.format == "EPS":
            raise DrawingError("needs_ghostscript", "EPS")
        turned = image.getexif().get(0x0112, 1) != 1
        plain = image.format in ("PNG", "JPEG") and image.mode in ("RGB", "L") and "transparency" not in image.info
        image.seek(0)
        image.load()
        if plain and not turned and view == WHOLE and not getattr(image, "is_animated", False):
            return data, ".png" if image.format == "PNG" else ".jpg"
        flat = _on_white(ImageOps.exif_transpose(image) or image)
        return as_png(viewed(flat, view, 72.0)), ".png"


def _on_white(image: Any) -> Any:
    if image.mode in ("I;16", "I;16B", "I;16L", "I", "F"):
        low, high = image.getextrema()
        scale = 255.0 / (65535.0 if high > 255 or image.mode.startswith("I;16") else max(1.0, high - min(0.0, low)))
        return image.convert("F").point(lambda value: value * scale).convert("L").convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        white.alpha_composite(layer)
        return white.convert("RGB")
    return image if image.mode == "L" else image.convert("RGB")


# ---- vector formats


def _vector(data: bytes, kind: str, limits: RasterLimits, view: View) -> tuple[bytes, str]:
    if kind == "eps":
        image, dpi = _ghostscript(data, limits)
        return as_png(viewed(image, view, dpi)), ".png"
    wanted = {"kind": kind, "dpi": limits.dpi, "max_side": limits.max_side, "view": asdict(view)}
    try:
        return work(_DRAW, data, wanted, limits.seconds)[1], ".png"
    except WorkError as problem:
        raise DrawingError(problem.flag or "image_unreadable", str(problem)) from problem


def _ghostscript(data: bytes, limits: RasterLimits) -> tuple[Any, float]:
    program = shutil.which("gs")
    if program is None:
        raise DrawingError("needs_ghostscript", "EPS and PS figures are drawn by ghostscript, which is not installed")
    dpi = _dpi_for(data, limits)
    with tempfile.TemporaryDirectory(prefix="dj-ext-eps-") as folder:
        source, target = Path(folder, "in.eps"), Path(folder, "out.png")
        source.write_bytes(data)
        command = [program, "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-dTextAlphaBits=4",
                   "-dGraphicsAlphaBits=4", "-dFirstPage=1", "-dLastPage=1", "-sDEVICE=png16m", f"-r{dpi:.2f}",
                   f"-sOutputFile={target}", str(source)]  # fmt: skip
        try:
            subprocess.run(command, timeout=limits.seconds, check=True, capture_output=True, cwd=folder,
                           env=bare_environment())  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise DrawingError("image_unreadable", f"ghostscript took over {limits.seconds:g} s") from error
        with Image.open(target) as image:
            if image.width * image.height > _MAX_PIXELS:
                raise DrawingError("image_too_large", f"{image.width} x {image.height} pixels")
            image.load()
            return image.convert("RGB"), dpi


def _dpi_for(data: bytes, limits: RasterLimits) -> float:
    found = _BOUNDING_BOX.search(data[:100_000]) or _BOUNDING_BOX.search(data[-10_000:])
    if found is None:
        return float(min(limits.dpi, 150))
    left, bottom, right, top = (int(number) for number in found.groups())
    longest = max(1, right - left, top - bottom)
    return min(float(limits.dpi), limits.max_side * 72.0 / longest)
