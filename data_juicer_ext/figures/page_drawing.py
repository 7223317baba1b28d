"""Pages of PDF and SVG files drawn by MuPDF; called in a process of its own (see `bounded_process`)."""

from functools import lru_cache
from typing import Any

from PIL import Image

from data_juicer_ext.figures.image_crop import DrawingError, View, as_png, viewed

_MOST_POINTS = 1e6


@lru_cache(maxsize=1)
def mupdf() -> Any:
    """The module `pymupdf`, which tells nothing on the screen."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    return pymupdf


def open_document(data: bytes, kind: str = "pdf") -> Any:
    """The document in `data`. Raises DrawingError for one that is locked or empty."""
    document = mupdf().open(stream=data, filetype=kind)
    if document.needs_pass:
        raise DrawingError("image_unreadable", "the PDF asks for a password")
    if document.page_count < 1:
        raise DrawingError("image_unreadable", "the PDF has no page")
    return document


def take_in_rotation(page: Any) -> None:
    """Lay a page of PyMuPDF as it is shown, so that coordinates on it are those that a reader sees.

    `remove_rotation` alone forgets the crop of the page.
    """
    if page.rotation and page.cropbox != page.mediabox:
        whole, part = page.mediabox, page.cropbox
        # The crop counts from the top, the new extent from the bottom.
        page.set_mediabox(mupdf().Rect(part.x0, whole.y1 - part.y1, part.x1, whole.y1 - part.y0))
    page.remove_rotation()


def draw(data: bytes, kind: str, dpi: float, max_side: int, view: dict[str, Any]) -> tuple[list[int], bytes]:
    """Width and height in pixels, and the PNG, of a page of `data` ("pdf" or "svg"); `view` are fields of `View`."""
    wanted = View(**view)
    with open_document(data, kind) as document:
        page = document[max(1, min(wanted.page, document.page_count)) - 1]
        if wanted.box is not None:
            take_in_rotation(page)
        area = mupdf().Rect(wanted.box) & page.rect if wanted.box is not None else page.rect
        longest = max(area.width, area.height)
        if not 0.5 <= min(area.width, area.height) <= longest < _MOST_POINTS:
            flag = "image_too_large" if longest >= _MOST_POINTS else "image_unreadable"
            raise DrawingError(flag, f"page of {area.width} x {area.height} points")
        zoom = min(dpi / 72.0, max_side / longest)
        matrix = mupdf().Matrix(zoom, zoom)
        pixels = page.get_pixmap(matrix=matrix, colorspace=mupdf().csRGB, alpha=False, clip=area)
        image: Any = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    mupdf().TOOLS.store_shrink(100)
    shown = viewed(image, wanted, zoom * 72.0)
    return list(shown.size), as_png(shown)
