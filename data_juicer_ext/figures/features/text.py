"""What the text in a figure tells: how much there is, how well it reads, what it shares with the caption."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import fmean
from string import ascii_lowercase

from data_juicer_ext.figures.ocr import OcrLine, Picture

READABLE = 0.5  # confidence from which a piece counts as readable text
_MOST_TEXT = 4_000  # characters of readable text that are kept
_WORD = re.compile(r"[^\W\d_]{2,40}")
_NUMBER = re.compile(r"(?<![\w.,])[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?(?![\w,]*\d)")
_PANEL_LABEL = re.compile(r"\(?([A-Za-z])([).:]?)")
_FUNCTION_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "between", "both", "but", "by", "can", "each", "fig",
    "figure", "figures", "for", "from", "has", "have", "in", "into", "is", "it", "its", "of", "on", "or", "our",
    "shown", "shows", "that", "the", "their", "there", "these", "this", "those", "to", "under", "using", "was",
    "we", "were", "when", "where", "which", "while", "with",
})  # fmt: skip


@dataclass(frozen=True)
class TextFeatures:
    """Text of the images of one figure, as OCR reads it.

    `ocr_mean_confidence`: mean over all pieces, 0 to 1; None without any. The others are of the readable pieces,
    those of a confidence of 0.5 and more, since curves are taken for text below it. `text_box_count`: how many.
    `text_region_share`: area of their boxes / area of the images, 0 to 1. `panel_label_count`: different letters
    that stand alone, as "(a)" or "b)", or bare as "C" where the letters before it are there as well: a lone "O" is a
    marker of a curve, a "g" a unit. `readable_text`: from the top down, a line a piece, at most 4,000 characters.
    """

    ocr_mean_confidence: float | None
    text_box_count: int
    text_region_share: float
    panel_label_count: int
    readable_text: str


@dataclass(frozen=True)
class CaptionOverlap:
    """What a caption and the text in its figure share.

    `caption_ocr_token_overlap`: share of the caption's different words (of two letters and more, without function
    words) that the figure holds, 0 to 1; None if the caption has none. `caption_ocr_numeric_overlap`: the same of
    its numbers, compared by value.
    """

    caption_ocr_token_overlap: float | None
    caption_ocr_numeric_overlap: float | None


def text_features(pictures: Sequence[Picture]) -> TextFeatures:
    """The text features of a figure, from its images read with a `least_score` of 0."""
    scores = [piece.score for picture in pictures for piece in picture.pieces]
    readable = [(piece, picture) for picture in pictures for piece in picture.pieces if piece.score >= READABLE]
    total = sum(picture.image.width * picture.image.height for picture in pictures)
    covered = sum(_area(piece, picture) for piece, picture in readable)
    texts = [piece.text for piece, _ in readable]
    return TextFeatures(
        ocr_mean_confidence=round(fmean(scores), 4) if scores else None,
        text_box_count=len(readable),
        text_region_share=round(min(1.0, covered / total), 4) if total else 0.0,
        panel_label_count=len(_panel_labels(texts)),
        readable_text="\n".join(texts)[:_MOST_TEXT],
    )


def _area(piece: OcrLine, picture: Picture) -> float:
    width = min(piece.right, picture.image.width) - max(piece.left, 0.0)
    height = min(piece.bottom, picture.image.height) - max(piece.top, 0.0)
    return max(0.0, width) * max(0.0, height)


def _panel_labels(texts: Sequence[str]) -> set[str]:
    alone = [match for text in texts if (match := _PANEL_LABEL.fullmatch(text.strip()))]
    letters, labels = {match[1].lower() for match in alone}, {match[1].lower() for match in alone if match[2] == ")"}
    return labels | set(takewhile(letters.__contains__, ascii_lowercase))


def caption_overlap(caption: str, text: str) -> CaptionOverlap:
    """What `caption` shares with `text`, the readable text of its figure."""
    return CaptionOverlap(_share(_words(caption), _words(text)), _share(_numbers(caption), _numbers(text)))


def _share(wanted: set[str] | set[float], there: set[str] | set[float]) -> float | None:
    return round(len(wanted & there) / len(wanted), 4) if wanted else None


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _FUNCTION_WORDS


def _numbers(text: str) -> set[float]:
    return {float(number.replace(",", "")) for number in _NUMBER.findall(text.replace("−", "-"))}
