"""S4: quality metadata of the figures that are left, for strata later on. Deletes nothing."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from data_juicer_ext.curation.anomalies import Sizes
from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.thresholds import S4
from data_juicer_ext.figures.features.text import text_features
from data_juicer_ext.figures.image_preparation import UnreachableImageError
from data_juicer_ext.figures.ocr import OcrMissingError, Picture, UnreadableImageError, read_picture

CROSS_PAGE = "cross_page"
_CONTINUED = re.compile(r"\(?\b(?:continued|cont(?:'d|\.|d\b))", re.IGNORECASE)
_CAPTION_ENDS = 60  # characters at either end of a caption in which "continued" is looked for
_EDGE_SHARE = 0.03  # of the page's height, between a box and the edge of the page
# What readers of papers say of a figure that goes over a page (LaTeX and PDF, PDF).
_READER_FLAGS = frozenset({"continued", "caption_on_other_page"})

ReadText = Callable[[str], Picture]


def read_text(path: str) -> Picture:
    """An image with all its text, however unsure. Raises as `ocr.read_picture` does."""
    return read_picture(path, least_score=0.0)


def mark_quality(survivors: Sequence[Item], sizes: Sizes, read: ReadText | None = read_text) -> None:
    """Put the quality metadata of each figure into its `quality`; `read` is None where no text is to be read.

    `text_density` (share of the images' area under text, 0 to 1), `text_boxes` and `ocr_confidence` (mean, 0 to 1;
    null without text) come from OCR, `ocr_error` says why they could not. `cross_page` lists hints that the figure
    goes over a page: `continued_caption`, `reader_flag`, `same_number_elsewhere`, `at_page_edge`.
    """
    pages = Counter(
        (number, page) for number, page in {(item.figure.number, item.figure.page) for item in survivors} if page
    )
    for item in survivors:
        hints = cross_page_hints(item, [page for number, page in pages if number == item.figure.number], sizes)
        item.figure.quality[CROSS_PAGE] = hints
        if hints:
            item.mark(Finding(S4, CROSS_PAGE, len(hints), 0, message=", ".join(hints)))
        if read is not None:
            _mark_text(item, read)


def _mark_text(item: Item, read: ReadText) -> None:
    try:
        found = text_features([read(path) for path in item.figure.images])
    except UnreachableImageError:
        raise
    except (OcrMissingError, UnreadableImageError) as error:
        item.figure.quality["ocr_error"] = str(error)[:300]
        return
    except Exception as error:  # an image that breaks the engine costs its own marks only
        item.figure.quality["ocr_error"] = f"{type(error).__name__}: {error}"[:300]
        return
    item.figure.quality |= {
        "text_density": found.text_region_share,
        "text_boxes": found.text_box_count,
        "ocr_confidence": found.ocr_mean_confidence,
    }


def cross_page_hints(item: Item, pages: Sequence[int], sizes: Sizes) -> list[str]:
    """What hints at a figure going over a page; `pages` are those on which figures with its number stand."""
    figure = item.figure
    ends = f"{figure.caption[:_CAPTION_ENDS]} {figure.caption[-_CAPTION_ENDS:]}"
    hints = {
        "continued_caption": _CONTINUED.search(ends) is not None,
        "reader_flag": bool(_READER_FLAGS & set(figure.flags)),
        "same_number_elsewhere": bool(figure.number) and len(set(pages) - {figure.page}) > 0,
        "at_page_edge": _at_edge(figure.bbox, sizes.get(figure.page)),
    }
    return [hint for hint, holds in hints.items() if holds]


def _at_edge(box: Sequence[float], size: tuple[float, float] | None) -> bool:
    if len(box) != 4 or size is None:
        return False
    margin = _EDGE_SHARE * size[1]
    return box[1] < margin or box[3] > size[1] - margin
