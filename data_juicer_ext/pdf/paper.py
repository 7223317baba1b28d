"""Figures with captions, images and citing paragraphs out of one PDF: the way in."""

import errno
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.figures.bounded_process import WorkError, work
from data_juicer_ext.figures.rasterize import DrawingError, RasterLimits, View, readable_image
from data_juicer_ext.pdf.options import PdfError, PdfOptions
from data_juicer_ext.rows import Figure, scrub
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import as_path, is_remote, own_name

__all__ = [
    "Extraction",
    "FoundFigure",
    "PdfError",
    "PdfOptions",
    "find_figures",
    "locate_figures",
    "read_bytes",
    "read_figures",
]  # fmt: skip

DEFAULTS = PdfOptions()
_READ = "data_juicer_ext.pdf.document:read"
_LOCATE = "data_juicer_ext.pdf.known_figures:locate"
_MARGIN = 2.0  # points around a figure in its image
_LEAST_SECONDS = 1.0
_IMAGE_SECONDS = 60.0


@dataclass(frozen=True)
class FoundFigure:
    """A figure as it stands in a PDF.

    `page` counts from 1; `bbox` is in points from the top left of the page as it is shown; `turn` is what makes it
    upright, in degrees clockwise. `context` holds the citing paragraphs with place ("page 4") and section.
    """

    number: str
    page: int
    bbox: tuple[float, float, float, float]
    turn: int
    caption: str
    flags: tuple[str, ...]
    context: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Extraction:
    """The figures of one paper, the SHA-256 of its file, its pages, and what the reader should know."""

    figures: list[Figure]
    sha256: str
    pages: int
    notes: list[str]


def read_bytes(path: str | Path, options: PdfOptions = DEFAULTS) -> bytes:
    """The bytes of the PDF at `path`, or at an address.

    Raises PdfError for a file that is missing, too large or no PDF, StorageError where object storage fails.
    """
    try:
        data = _object(str(path), options) if is_remote(path) else _file(as_path(path), options)
    except (PdfError, papers.StorageError):
        raise
    except (OSError, ValueError) as error:
        raise PdfError(
            "missing_file", f"{path} cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from error
    if b"%PDF-" not in data[:1024]:
        raise PdfError("not_a_pdf", f"{path} is no PDF")
    return data


def _file(path: Path, options: PdfOptions) -> bytes:
    size = path.stat().st_size
    if not path.is_file():
        raise PdfError("missing_file", f"{path} is no file")
    if size > options.max_bytes:
        raise _too_large(path, f"{size:,} bytes, more", options)
    return path.read_bytes()


def _object(address: str, options: PdfOptions) -> bytes:
    try:
        return papers.read(address, options.max_bytes)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise _too_large(address, "more bytes", options) from error


def _too_large(place: str | Path, found: str, options: PdfOptions) -> PdfError:
    return PdfError("too_large", f"{place} has {found} than the {options.max_bytes:,} allowed (max_bytes)")


def find_figures(
    data: bytes, options: PdfOptions = DEFAULTS, context: bool = False
) -> tuple[list[FoundFigure], int, list[str]]:
    """The figures of the PDF `data` without their images, the number of its pages, and notes.

    Works in another process, which is ended when it takes more than `options.seconds`. Raises PdfError.
    """
    arguments = {"seconds": options.seconds, "max_pages": options.max_pages, "threads": options.threads,
                 "context": context}  # fmt: skip
    try:
        value, _ = work(_READ, data, arguments, options.seconds)
    except WorkError as problem:
        raise _as_problem(problem) from problem
    return [_found(item) for item in value["figures"]], int(value["pages"]), [scrub(note) for note in value["notes"]]


def locate_figures(data: bytes, known: Sequence[tuple[str, str]], seconds: float) -> list[View | str]:
    """The part of the PDF `data` that shows each of `known` (number, caption), or why there is none, in order.

    Works in another process, which is ended when it takes more than `seconds`. Raises PdfError.
    """
    arguments = {"wanted": [list(one) for one in known], "seconds": seconds}
    try:
        places: list[dict[str, Any]] = work(_LOCATE, data, arguments, seconds)[0]
    except WorkError as problem:
        raise _as_problem(problem) from problem
    return [
        str(place["reason"]) if "reason" in place else _view(place["page"], place["bbox"], place["turn"])
        for place in places
    ]


def _view(page: int, bbox: Sequence[float], turn: int) -> View:
    """The part of a page that holds a figure, with some white around it, made upright."""
    x0, y0, x1, y1 = bbox
    return View(page, angle=-turn % 360, box=(x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN))


def read_figures(path: str | Path, image_folder: str | Path, options: PdfOptions = DEFAULTS) -> Extraction:
    """The figures of the PDF at `path`, their images written to `image_folder` as PNG, named by content.

    Both places may be addresses of object storage. A paper without figures has an empty list. Raises PdfError for
    what is no readable PDF, OSError where `image_folder` can't be written, StorageError where object storage fails.
    """
    started = time.monotonic()
    data = read_bytes(path, options)
    found, pages, notes = find_figures(data, options, context=True)
    figures = []
    for item in found:
        figure = _figure(item, own_name(path))
        left = options.seconds - (time.monotonic() - started)
        problem = _draw(figure, item, data, image_folder, options, left)
        if problem:
            notes.append(f"figure {item.number}, page {item.page}: {problem}")
        figures.append(figure)
    return Extraction(figures, hashlib.sha256(data).hexdigest(), pages, notes)


def _draw(figure: Figure, item: FoundFigure, data: bytes, folder: str | Path, options: PdfOptions, left: float) -> str:
    """Set the image of a figure; why that cannot be done, or ""."""
    if left < _LEAST_SECONDS:
        figure.flags.append("image_unreadable")
        return "no time was left for its image (seconds)"
    limits = RasterLimits(options.dpi, options.max_side, min(left, _IMAGE_SECONDS))
    try:
        image = readable_image(data, folder, limits, _view(item.page, item.bbox, item.turn))
    except DrawingError as problem:
        figure.flags.append(problem.flag)
        return str(problem)
    figure.images = [image]
    return ""


def _figure(item: FoundFigure, name: str) -> Figure:
    again = f"-page-{item.page}" if "continued" in item.flags else ""
    return Figure(
        figure_id=f"figure-{item.number}{again}", number=item.number, caption=scrub(item.caption),
        caption_place=f"page {item.page}", image_sources=[scrub(f"{name}#page={item.page}")],
        context=[scrub(text) for text, _, _ in item.context], context_places=[place for _, place, _ in item.context],
        section=[scrub(section) for _, _, section in item.context], page=item.page, bbox=list(item.bbox),
        flags=list(item.flags),
    )  # fmt: skip


def _found(item: dict[str, Any]) -> FoundFigure:
    x0, y0, x1, y1 = (float(value) for value in item["bbox"])
    context = tuple((str(text), str(place), str(section)) for text, place, section in item.get("context", ()))
    return FoundFigure(
        str(item["number"]), int(item["page"]), (x0, y0, x1, y1), int(item["turn"]), str(item["caption"]),
        tuple(item["flags"]), context,
    )  # fmt: skip


def _as_problem(problem: WorkError) -> PdfError:
    text = str(problem)
    if problem.flag:
        return PdfError(problem.flag, text.partition(": ")[2] or text)
    if text.startswith("took over"):
        return PdfError("time_limit", f"reading it {text}, the limit for a document (seconds)")
    return PdfError("crashed", f"the process that read it ended or failed: {text}")
