"""S3: figures whose crop is broken, cut out of the PDF once more with a box anchored at their caption."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from data_juicer_ext.curation.anomalies import BROKEN_CROP, Sizes, crop_findings, median_areas
from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.hard_filter import bad_image
from data_juicer_ext.curation.thresholds import S3, Rules
from data_juicer_ext.figures.bounded_process import WorkError, work
from data_juicer_ext.figures.image_appearance import ImageLook, look_at
from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError
from data_juicer_ext.figures.page_drawing import open_document
from data_juicer_ext.figures.rasterize import DrawingError, RasterLimits, readable_image
from data_juicer_ext.pdf.paper import PdfError, locate_figures
from data_juicer_ext.storage import papers
from data_juicer_ext.storage.addresses import as_path, is_remote

RECROPPED, AGREES, FAILED = "recropped", "recrop_agrees", "recrop_failed"
_SAME_BOX = 0.9  # of their union that two boxes share: the first crop was right
_MOST_BYTES = 200_000_000
_MOST_SIDE = 6000  # pixels of a crop: an A4 page at 300 dpi and over has 3,508
_PAGES = "data_juicer_ext.curation.recrop:page_rects"


@dataclass(frozen=True)
class Crop:
    """A figure cut out of a page: the image file, and its box (left, top, right, bottom in points)."""

    image: str | Path
    bbox: tuple[float, float, float, float]


class Recrop(Protocol):
    """Cuts a figure out of a PDF by its caption; None where it does not find it. May raise what it likes."""

    def __call__(self, pdf: str | Path, page: int, caption: str, number: str, dpi: int) -> Crop | None:
        """The crop of the figure with `number` (as printed) and `caption` on `page` (from 1), drawn at `dpi`."""


@dataclass(frozen=True)
class PdfSource:
    """The PDF (a path or an address) that a paper's figures were cut out of.

    `sizes` are width and height of its pages in points.
    """

    path: str | Path
    recrop: Recrop
    sizes: Sizes = field(default_factory=dict)


@dataclass(frozen=True)
class CaptionAnchoredCrop:
    """The `Recrop` of this package: finds the caption and what is drawn next to it; images go to `folder`.

    `folder` is a path or an address. The PDF is read in a process of its own, for `seconds` at most. Raises OSError
    (StorageError where object storage fails), or DrawingError for a PDF that cannot be read.
    """

    folder: str | Path
    seconds: float = 60.0

    def __call__(self, pdf: str | Path, page: int, caption: str, number: str, dpi: int) -> Crop | None:
        """See `Recrop`; a caption that is found on another page is not the figure's."""
        data = _read(pdf)
        try:
            [view] = locate_figures(data, [(number, caption)], self.seconds)
        except PdfError as problem:
            raise DrawingError("image_unreadable", f"{pdf}: {problem}") from problem
        if isinstance(view, str) or view.page != page or view.box is None:
            return None
        image = readable_image(data, self.folder, RasterLimits(dpi, _MOST_SIDE, self.seconds), view)
        return Crop(image, view.box)


def page_sizes(pdf: str | Path, pages: Sequence[int], seconds: float = 30.0) -> dict[int, tuple[float, float]]:
    """Width and height in points of the given pages (from 1) of a PDF; {} for one that cannot be read.

    Raises StorageError where object storage fails.
    """
    try:
        sizes = work(_PAGES, _read(pdf), {"pages": sorted(set(pages))}, seconds)[0]
    except papers.StorageError:
        raise
    except (OSError, DrawingError, WorkError):
        return {}
    return {int(page): (width, height) for page, (width, height) in sizes.items()}


def page_rects(data: bytes, pages: list[int]) -> tuple[dict[str, tuple[float, float]], bytes]:
    """Called in a process of its own: the sizes of pages, as they lie, by their number as text."""
    sizes = {}
    with open_document(data) as document:
        for number in pages:
            if 1 <= number <= document.page_count:
                page = document[number - 1]
                page.remove_rotation()
                sizes[str(number)] = (page.rect.width, page.rect.height)
    return sizes, b""


def _read(pdf: str | Path) -> bytes:
    if is_remote(pdf):
        return papers.read(pdf, _MOST_BYTES)
    path = as_path(pdf)
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise DrawingError("image_too_large", f"{pdf} has {size} bytes")
    return path.read_bytes()


# ---- the stage


def recrop_broken(survivors: Sequence[Item], rules: Rules, source: PdfSource) -> None:
    """Cut the figures again whose marks say that their crop is broken.

    A new crop is taken if it is a usable picture and no longer broken; `quality["recrop"]` then holds the first
    one. One that has the first one's box confirms it (`recrop_agrees`). Else the first stays (`recrop_failed`).
    Raises StorageError or UnreachableImageError where object storage fails.
    """
    medians = median_areas(survivors)
    for item in survivors:
        broken = {mark.reason for mark in item.marks} & BROKEN_CROP
        if broken and item.figure.page > 0:
            item.mark(_again(item, sorted(broken), medians, rules, source))


def _again(item: Item, broken: Sequence[str], medians: Mapping[str, float], rules: Rules, source: PdfSource) -> Finding:
    figure = item.figure
    try:
        crop = source.recrop(source.path, figure.page, figure.caption, figure.number, rules.dpi)
        if crop is None:
            return Finding(S3, FAILED, message="its caption, or what is drawn next to it, was not found")
        shared = _shared(figure.bbox, crop.bbox)
        if shared >= _SAME_BOX:
            return Finding(S3, AGREES, round(shared, 3), _SAME_BOX, message="the new box is the first one")
        look = look_at(str(crop.image), rules.max_pixels)
    except (papers.StorageError, UnreachableImageError):
        raise
    except (DrawingError, ImageError, OSError) as error:
        return Finding(S3, FAILED, message=str(error))
    except Exception as error:  # whatever a PDF leads a reader to costs this crop only
        return Finding(S3, FAILED, message=f"{type(error).__name__}: {error}")
    return _taken(item, crop, look, broken, medians, rules, source)


def _taken(
    item: Item, crop: Crop, look: ImageLook, broken: Sequence[str], medians: Mapping[str, float], rules: Rules,
    source: PdfSource,
) -> Finding:  # fmt: skip
    figure = item.figure
    unusable = bad_image(look, rules)
    still = [finding.reason for finding in crop_findings(item, crop.bbox, medians, rules, source.sizes)]
    if unusable or still:
        why = unusable.reason if unusable else ", ".join(still)
        return Finding(S3, FAILED, message=f"the new crop is {why} as well")
    first: dict[str, Any] = {"first_images": figure.images, "first_bbox": figure.bbox, "because": list(broken)}
    figure.quality["recrop"] = first
    figure.images, figure.bbox, item.looks = [str(crop.image)], [round(value, 2) for value in crop.bbox], [look]
    return Finding(S3, RECROPPED, message=", ".join(broken))


def _shared(first: Sequence[float], second: Sequence[float]) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    if len(first) != 4:
        return 0.0
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    both = max(0.0, width) * max(0.0, height)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return both / (sum(areas) - both) if sum(areas) > both else 0.0
