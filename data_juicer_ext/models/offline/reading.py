"""The text of a figure by OCR: each piece with its box.

One engine a process, made on first use, run by one thread at a time; results are cached by the
file's content.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.figures.decoding import strict_decoding

FILE_LIMIT = 64 * 1024 * 1024  # bytes of an image file
PIXEL_LIMIT = 60_000_000  # decoded pixels
LONGEST_SIDE = 2_000  # pixels that the engine sees; larger images are scaled down
_UPSCALE_BELOW = 900  # small figures are read better when doubled
_CACHE_SIZE = 256
_LEAST_SCORE = 0.6


class UnreadableImageError(ValueError):
    """The image file is missing, too large, or does not decode."""


class OcrMissingError(RuntimeError):
    """OCR is not installed."""


@dataclass(frozen=True)
class Piece:
    """A line of text in a figure; the box is in pixels of the image, from the top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        """Centre, from the left."""
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        """Centre, from the top."""
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        """Height of the letters: the shorter side, since text may stand upright."""
        return min(self.bottom - self.top, self.right - self.left)

    @property
    def upright(self) -> bool:
        """Whether the text runs from bottom to top, as the title of a vertical axis does."""
        return len(self.text) > 2 and (self.bottom - self.top) > 1.4 * (self.right - self.left)


@dataclass(frozen=True)
class Picture:
    """A figure as read: its pixels and its pieces of text."""

    image: Image.Image
    pieces: tuple[Piece, ...]


_lock = threading.Lock()
_engine: Any = None
_cache: OrderedDict[str, tuple[Piece, ...]] = OrderedDict()


def read_picture(path: str) -> Picture:
    """The image file at `path` with its text.

    Raises UnreadableImageError, or OcrMissingError (with how to install OCR). Blocks; call it in a thread.
    """
    try:
        if Path(path).stat().st_size > FILE_LIMIT:
            raise UnreadableImageError(f"{path}: larger than {FILE_LIMIT} bytes")
        data = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableImageError(f"{path}: cannot be read ({error.strerror})") from error
    image = _decode(data, path)
    key = hashlib.sha256(data).hexdigest()
    with _lock:
        if key in _cache:
            _cache.move_to_end(key)
            return Picture(image, _cache[key])
        pieces = _read(image)
        _cache[key] = pieces
        if len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return Picture(image, pieces)


def _decode(data: bytes, path: str) -> Image.Image:
    """RGB on white, at most `LONGEST_SIDE` pixels long."""
    try:
        with strict_decoding(), Image.open(io.BytesIO(data)) as opened:
            if opened.width * opened.height > PIXEL_LIMIT:
                raise UnreadableImageError(f"{path}: {opened.width} x {opened.height} pixels are too many")
            image = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, UnreadableImageError):
            raise
        raise UnreadableImageError(f"{path}: not an image that can be decoded ({error})") from error
    white = Image.new("RGBA", image.size, "white")
    flat = Image.alpha_composite(white, image).convert("RGB")
    scale = LONGEST_SIDE / max(flat.size)
    longest = max(flat.size)
    if longest > LONGEST_SIDE:
        flat = flat.resize(_scaled(flat, scale), Image.Resampling.LANCZOS)
    elif longest < _UPSCALE_BELOW:
        flat = flat.resize(_scaled(flat, 2.0), Image.Resampling.BICUBIC)
    return flat


def _scaled(image: Image.Image, scale: float) -> tuple[int, int]:
    return max(1, round(image.width * scale)), max(1, round(image.height * scale))


def _read(image: Image.Image) -> tuple[Piece, ...]:
    import numpy

    engine = _reader()
    # No classifier of orientation: figures hold no text upside down, and it turns a 9 into a 6.
    output = engine(numpy.asarray(image)[:, :, ::-1], use_det=True, use_cls=False, use_rec=True)
    if output.boxes is None or output.txts is None:
        return ()
    pieces = []
    for box, text, score in zip(output.boxes, output.txts, output.scores, strict=True):
        piece = _piece(text, box)
        if piece.upright:
            piece, score = _turned(engine, image, piece, score)
        if score >= _LEAST_SCORE and piece.text:
            pieces.append(piece)
    return tuple(sorted(pieces, key=lambda piece: (round(piece.top), piece.left)))


def _piece(text: str, box: Sequence[Sequence[float]]) -> Piece:
    across, down = [float(x) for x, _ in box], [float(y) for _, y in box]
    return Piece(text.strip(), min(across), min(down), max(across), max(down))


def _turned(engine: Any, image: Image.Image, piece: Piece, score: float) -> tuple[Piece, float]:
    """An upright piece read from bottom to top, unless the engine read it better from top to bottom."""
    import numpy

    crop = image.crop((int(piece.left), int(piece.top), int(piece.right) + 1, int(piece.bottom) + 1))
    output = engine(
        numpy.asarray(crop.rotate(-90, expand=True))[:, :, ::-1], use_det=False, use_cls=False, use_rec=True
    )
    if not output.txts or output.scores[0] <= score:
        return piece, score
    return replace(piece, text=str(output.txts[0]).strip()), float(output.scores[0])


def _reader() -> Any:
    """The engine of this process; the caller holds the lock."""
    global _engine
    if _engine is None:
        try:
            from rapidocr import RapidOCR

            # rapidocr itself would miss it only in the middle of the first figure.
            if importlib.util.find_spec("onnxruntime") is None:
                raise ImportError("No module named 'onnxruntime'")
        except ImportError as error:
            hint = "reading figures needs OCR: pip install 'data-juicer-ext[ocr]'"
            raise OcrMissingError(f"{hint} ({error})") from error
        _engine = RapidOCR(
            params={
                "Global.log_level": "error",
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
    return _engine
