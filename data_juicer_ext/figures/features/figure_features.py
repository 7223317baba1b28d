"""The side features of a figure, from its pixels and, by OCR, its text (SciFigQual, protocol sidecar)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.figures.features.pixels import pixel_features
from data_juicer_ext.figures.features.text import caption_overlap, text_features
from data_juicer_ext.figures.image_preparation import ImageError, ImageLimits, UnreachableImageError, plain_image
from data_juicer_ext.figures.ocr import Picture, UnreadableImageError, read_picture

_NO_TEXT: dict[str, Any] = {
    "ocr_mean_confidence": None,
    "text_box_count": None,
    "text_region_share": None,
    "panel_label_count": None,
    "readable_text": "",
    "caption_ocr_token_overlap": None,
    "caption_ocr_numeric_overlap": None,
}


class FeatureError(DjExtError, ValueError):
    """The features of a figure can't be measured; the text names the file and the reason."""


def read_all(path: str) -> Picture:
    """An image with all its text, however unsure."""
    return read_picture(path, least_score=0.0)


def figure_features(
    images: Sequence[str],
    caption: str,
    ocr: bool = True,
    max_pixels: int = ImageLimits.max_pixels,
    read: Callable[[str], Picture] = read_all,
) -> dict[str, Any]:
    """All features of a figure by name, as docs/curation.md lists them.

    `images` are its image files, `caption` its caption ("" for none). Without `ocr`, or where the engine can't
    read an image (`ocr_error` then says why), the features of the text are None and `readable_text` is "". Raises
    FeatureError for an image that does not decode, UnreachableImageError where its storage fails, OcrMissingError
    where OCR is not installed.
    """
    if not images:
        raise FeatureError("the figure has no image")
    try:
        pixels = pixel_features([plain_image(path, max_pixels) for path in images])
    except UnreachableImageError:
        raise
    except ImageError as error:
        raise FeatureError(str(error)) from error
    text = _text(images, caption, read) if ocr else {**_NO_TEXT, "ocr_error": ""}
    return {**asdict(pixels), **text}


def _text(images: Sequence[str], caption: str, read: Callable[[str], Picture]) -> dict[str, Any]:
    try:
        found = text_features([read(path) for path in images])
    except UnreadableImageError as error:
        return {**_NO_TEXT, "ocr_error": str(error)}
    return {**asdict(found), **asdict(caption_overlap(caption, found.readable_text)), "ocr_error": ""}
