"""What a row of a generated diagram and its reference holds, read and checked, its target aspect ratio among it."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.diagrams.diagram_types import type_code
from data_juicer_ext.errors import UsageError
from data_juicer_ext.rows import visible

# Those that image generators take by name.
STANDARD = ("21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16")
_RATIO = re.compile(r"\s*(\d{1,4}(?:\.\d{1,4})?)\s*[:x×/]\s*(\d{1,4}(?:\.\d{1,4})?)\s*\Z")


def ratio(text: str) -> float:
    """Width / height of a ratio such as "16:9". Raises UsageError for anything else."""
    match = _RATIO.match(text)
    if not match or float(match[2]) == 0 or float(match[1]) == 0:
        raise UsageError(f"aspect_ratio is {text!r}: a ratio such as 16:9 is needed, or nothing")
    return float(match[1]) / float(match[2])


def nearest(width: int, height: int) -> str:
    """The standard ratio nearest to width / height, by logarithm: 3:2 and 2:3 are equally far from 1:1."""
    return min(STANDARD, key=lambda name: misfit(name, width, height))


def misfit(name: str, width: int, height: int) -> float:
    """By which factor the sides of an image miss a ratio, as a logarithm: 0 and up, 0.1 is about a tenth."""
    return abs(math.log(width / height) - math.log(ratio(name)))


CHARACTERS_PER_TOKEN = 4
MAX_PAPER_TOKENS = 30_000
_CAPTION_CHARACTERS = 4_000


@dataclass(frozen=True)
class DiagramPair:
    """One candidate and its reference: image files, type, caption and paper text (shortened to a prompt's room).

    `aspect_ratio` is the target ratio as the row gives it, "" where it does not. `cut`: whether text was left out.
    `instance_id` is the row's own: the benchmark's name for paper, caption and reference.
    """

    generated: str
    reference: str
    code: str
    caption: str
    paper_text: str
    aspect_ratio: str
    cut: bool
    instance_id: str = ""


def pair_of(row: Mapping[str, Any], max_paper_tokens: int = MAX_PAPER_TOKENS) -> DiagramPair:
    """The pair of a row. Raises UsageError that says what is wrong with which column, and what is needed."""
    images = images_of(row)
    if len(images) != 2:
        raise UsageError(f"images holds {len(images)} files: two are needed, the generated diagram and its reference")
    paper_text, cut = _text(row, "paper_text", max_paper_tokens * CHARACTERS_PER_TOKEN)
    caption, _ = _text(row, "caption", _CAPTION_CHARACTERS)
    if not paper_text.strip() and not caption.strip():
        raise UsageError("paper_text and caption are empty: there is nothing to judge the content by")
    aspect = str(row.get("aspect_ratio") or "").strip()
    if aspect:
        ratio(aspect)
    return DiagramPair(
        images[0], images[1], type_code(str(row.get("diagram_type") or "")), caption, paper_text, aspect, cut,
        str(row.get("instance_id") or ""),
    )  # fmt: skip


def images_of(row: Mapping[str, Any]) -> list[str]:
    """The image files of a row; on Ray the column holds arrays, which have no truth value."""
    value = row.get("images")
    return [] if value is None else [str(image) for image in value if image]


def _text(row: Mapping[str, Any], column: str, characters: int) -> tuple[str, bool]:
    """A text column without invisible characters, cut at a word to `characters`; and whether it was cut."""
    text = visible(str(row.get(column) or "")).strip()
    if len(text) <= characters:
        return text, False
    cut = text[:characters]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + " …", True
