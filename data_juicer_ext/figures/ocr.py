"""The text of a figure by OCR: each piece with its box and how sure the engine is of it.

One engine per process, made on first use, run by one thread at a time and in one thread; results are cached
by the file's content.
"""

import hashlib
import importlib.util
import io
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.figures.decoding import strict_decoding
from data_juicer_ext.figures.image_preparation import UnreachableImageError
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import as_path, is_remote

FILE_LIMIT = 64 * 1024 * 1024  # bytes of an image file
PIXEL_LIMIT = 60_000_000  # decoded pixels
LONGEST_SIDE = 2_000  # pixels that the engine sees; larger images are scaled down
_HINT = "reading figures needs OCR: pip install 'data-juicer-ext[ocr]'"
_UPSCALE_BELOW = 900  # small figures are read better when doubled
_CACHE_SIZE = 256
SURE = 0.6  # the least score of a piece that an answer may rest on


class UnreadableImageError(DjExtError, ValueError):
    """The image file is missing, too large, or does not decode."""


class OcrMissingError(DjExtError, RuntimeError):
    """OCR is not installed."""


@dataclass(frozen=True)
class OcrLine:
    """A line of text in a figure; the box is in pixels of the image, from the top left.

    `score` is the engine's confidence in the text, 0 to 1.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    score: float = 1.0

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
    """A figure as read: its pixels (as the engine saw them: scaled) and its pieces of text, from the top down."""

    image: Image.Image
    pieces: tuple[OcrLine, ...]


_lock = threading.Lock()
_engine: Any = None
_cache: OrderedDict[str, tuple[OcrLine, ...]] = OrderedDict()


def _after_fork() -> None:
    """A forked process makes an engine of its own; the lock may be held by a thread that it does not have."""
    global _lock, _engine
    _lock, _engine = threading.Lock(), None


os.register_at_fork(after_in_child=_after_fork)


def ocr_problem() -> str:
    """Why OCR cannot be used here, with how to install it; "" where it can. Imports nothing."""
    missing = [name for name in ("rapidocr", "onnxruntime") if importlib.util.find_spec(name) is None]
    return f"{_HINT} (No module named {missing[0]!r})" if missing else ""


def read_picture(path: str, least_score: float = SURE) -> Picture:
    """The image file at `path` (or address) with its text, without pieces whose score is below `least_score` (0 to 1).

    Raises UnreadableImageError, UnreachableImageError where its storage fails, or OcrMissingError (with how to
    install OCR). Blocks; call it in a thread.
    """
    data = _data(path)
    image = _decode(data, path)
    key = hashlib.sha256(data).hexdigest()
    with _lock:
        if key not in _cache:
            _cache[key] = _read(image)
        _cache.move_to_end(key)
        pieces = _cache[key]
        if len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return Picture(image, tuple(piece for piece in pieces if piece.score >= least_score))


def _data(path: str) -> bytes:
    try:
        if is_remote(path):
            return papers.read(path, FILE_LIMIT)
        file = as_path(path)
        if file.stat().st_size > FILE_LIMIT:
            raise UnreadableImageError(f"{path}: larger than {FILE_LIMIT} bytes")
        return file.read_bytes()
    except papers.StorageError as error:
        raise UnreachableImageError(str(error)) from error
    except OSError as error:
        raise UnreadableImageError(f"{path}: cannot be read ({error.strerror})") from error


def _decode(data: bytes, path: str) -> Image.Image:
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


def _read(image: Image.Image) -> tuple[OcrLine, ...]:
    import numpy

    engine = _reader()
    # No classifier of orientation: figures hold no text upside down, and it turns a 9 into a 6.
    output = engine(numpy.asarray(image)[:, :, ::-1], use_det=True, use_cls=False, use_rec=True, text_score=0.0)
    if output.boxes is None or output.txts is None:
        return ()
    found = [_piece(*read) for read in zip(output.txts, output.boxes, output.scores, strict=True)]
    pieces = [_turned(engine, image, piece) if piece.upright else piece for piece in found]
    return tuple(sorted((piece for piece in pieces if piece.text), key=lambda piece: (round(piece.top), piece.left)))


def _piece(text: str, box: Sequence[Sequence[float]], score: float) -> OcrLine:
    across, down = [float(x) for x, _ in box], [float(y) for _, y in box]
    return OcrLine(text.strip(), min(across), min(down), max(across), max(down), float(score))


def _turned(engine: Any, image: Image.Image, piece: OcrLine) -> OcrLine:
    """An upright piece read from bottom to top, unless the engine read it better from top to bottom."""
    import numpy

    crop = image.crop((int(piece.left), int(piece.top), int(piece.right) + 1, int(piece.bottom) + 1))
    output = engine(
        numpy.asarray(crop.rotate(-90, expand=True))[:, :, ::-1], use_det=False, use_cls=False, use_rec=True
    )
    if not output.txts or output.scores[0] <= piece.score:
        return piece
    return replace(piece, text=str(output.txts[0]).strip(), score=float(output.scores[0]))


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
            raise OcrMissingError(f"{_HINT} ({error})") from error
        import cv2  # rapidocr's; it takes every core otherwise

        cv2.setNumThreads(1)
        _engine = RapidOCR(
            params={
                "Global.log_level": "error",
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
    return _engine
