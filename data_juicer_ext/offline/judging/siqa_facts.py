"""What can be told of an image by rules: is it sharp and readable, are its axes even, titled and with units.

Each check is a Yes/No question along one of SIQA's dimensions with the rule that answers it; where the image does
not show what a check is about, nothing is known. Checks of axes are made where numbers stand along one evenly.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from data_juicer_ext.figures.features.figure_features import FeatureError, figure_features
from data_juicer_ext.figures.ocr import OcrLine, OcrMissingError, UnreadableImageError, read_picture
from data_juicer_ext.offline.figure.text_layout import FigureLayout, arrange, number
from data_juicer_ext.storage.addresses import as_path, is_remote

AxisName = Literal["horizontal", "vertical"]

_BLURRED, _READABLE = 0.04, 0.8
_UNIT = re.compile(r"[(\[]\s?([^()\[\]]{1,24})\s?[)\]]\s*\Z")
_TICKS = 3  # numbers along an axis from which their steps can be compared
_EQUAL = 1.3  # by which gaps that count as equal may differ


@dataclass(frozen=True)
class FigureFacts:
    """What was measured on the images of one figure: features (docs/curation.md), and the layout of each by its text.

    Without OCR there are no layouts.
    """

    features: Mapping[str, Any]
    layouts: tuple[FigureLayout, ...]

    @property
    def plot(self) -> FigureLayout | None:
        """The layout of the only image, where it has a numeric axis."""
        layout = self.layouts[0] if len(self.layouts) == 1 else None
        return layout if layout and (layout.column_scale or layout.row_scale) else None


def gather(images: Sequence[str]) -> FigureFacts:
    """The evidence in image files. Raises FeatureError for one that can't be read."""
    try:
        stamps = tuple(map(_stamp, images))
    except OSError as error:
        raise FeatureError(f"{error.filename}: {error.strerror}") from error
    return _gathered(stamps)


def _stamp(path: str) -> tuple[str, int, int]:
    """An image with its size and time of change; an object is known by its address, which tells its content."""
    if is_remote(path):
        return path, 0, 0
    status = as_path(path).stat()
    return path, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=64)
def _gathered(stamps: tuple[tuple[str, int, int], ...]) -> FigureFacts:
    images = [path for path, _, _ in stamps]
    try:
        features = figure_features(images, "")
        return FigureFacts(features, tuple(arrange(read_picture(image)) for image in images))
    except OcrMissingError:
        return FigureFacts(figure_features(images, "", ocr=False), ())
    except UnreadableImageError as error:
        raise FeatureError(str(error)) from error


def ticks(layout: FigureLayout, axis: AxisName) -> tuple[OcrLine, ...]:
    """The numbers along an axis, from the lowest to the highest."""
    labels = layout.columns if axis == "horizontal" else layout.rows
    found = [(quantity.value, piece) for piece in labels if (quantity := number(piece))]
    if not found and axis == "horizontal":
        return _lowest_line(layout)
    return tuple(piece for _, piece in sorted(found, key=lambda item: item[0]))


def _lowest_line(layout: FigureLayout) -> tuple[OcrLine, ...]:
    """Numbers that rise along the lowest line, equally far apart, though not evenly; () for any others.

    A logarithmic axis rises by one factor; it is none of these.
    """
    numbers = [(piece, quantity.value) for piece in layout.picture.pieces
               if not piece.upright and (quantity := number(piece))]  # fmt: skip
    lowest = max((piece.y for piece, _ in numbers), default=0.0)
    line = sorted((p for p in numbers if abs(p[0].y - lowest) < 0.5 * p[0].height), key=lambda pair: pair[0].x)
    gaps = [after.x - before.x for (before, _), (after, _) in pairwise(line)]
    rises = all(before < after for (_, before), (_, after) in pairwise(line))
    if len(line) <= _TICKS or not rises or max(gaps) > _EQUAL * min(gaps):
        return ()
    factors = [after / before for (_, before), (_, after) in pairwise(line) if before > 0]
    by_factor = len(factors) == len(gaps) and max(factors) <= _EQUAL * min(factors)
    return () if by_factor else tuple(piece for piece, _ in line)


def title(layout: FigureLayout, axis: AxisName) -> str:
    """What is written along an axis, "" for nothing."""
    piece = layout.column_title if axis == "horizontal" else layout.row_title
    line = _lowest_line(layout) if axis == "horizontal" and not layout.columns else ()
    if piece is None and line:
        below = [other for other in layout.picture.pieces if other.top > line[0].y and number(other) is None]
        piece = below[0] if len(below) == 1 else None
    return piece.text if piece else ""


def unit(text: str) -> str:
    """The unit at the end of an axis title, "mm" of "Rib spacing (mm)"; "" where there is none."""
    match = _UNIT.search(text)
    return match[1].strip() if match else ""


@dataclass(frozen=True)
class Check:
    """A Yes/No question, what it says where the answer is Yes (`good`) and No (`bad`), and the rule that decides."""

    dimension: str
    question: str
    good: str
    bad: str
    holds: Callable[[FigureFacts], bool | None]


def _sharp(evidence: FigureFacts) -> bool | None:
    value = evidence.features.get("edge_sharpness")
    return None if value is None else bool(value >= _BLURRED)


def _readable(evidence: FigureFacts) -> bool | None:
    value = evidence.features.get("ocr_mean_confidence")
    return None if value is None else bool(value >= _READABLE)


def _even(axis: AxisName) -> Callable[[FigureFacts], bool | None]:
    def holds(evidence: FigureFacts) -> bool | None:
        if evidence.plot is None or len(ticks(evidence.plot, axis)) < _TICKS:
            return None
        return (evidence.plot.column_scale if axis == "horizontal" else evidence.plot.row_scale) is not None

    return holds


def _titled(axis: AxisName) -> Callable[[FigureFacts], bool | None]:
    def holds(evidence: FigureFacts) -> bool | None:
        return None if evidence.plot is None or not ticks(evidence.plot, axis) else bool(title(evidence.plot, axis))

    return holds


def _with_unit(axis: AxisName) -> Callable[[FigureFacts], bool | None]:
    def holds(evidence: FigureFacts) -> bool | None:
        known = evidence.plot is not None and ticks(evidence.plot, axis) and title(evidence.plot, axis)
        return bool(unit(title(evidence.plot, axis))) if known and evidence.plot else None

    return holds


def _of_axis(axis: AxisName) -> tuple[Check, ...]:
    return (
        Check("scientific_validity", f"Do the numbers along the {axis} axis rise in even steps?",
              f"The numbers along the {axis} axis rise in even steps.",
              f"The numbers along the {axis} axis rise in uneven steps.", _even(axis)),
        Check("scientific_completeness", f"Is there a title along the {axis} axis?",
              f"A title stands along the {axis} axis.", f"No title stands along the {axis} axis.", _titled(axis)),
        Check("disciplinary_conformity", f"Does the title of the {axis} axis name a unit?",
              f"The title of the {axis} axis names a unit.", f"The title of the {axis} axis lacks a unit.",
              _with_unit(axis)),
    )  # fmt: skip


CHECKS: tuple[Check, ...] = (
    Check("cognitive_clarity", "Are the edges in the image sharp?", "The edges in the image are sharp.",
          "The edges in the image are blurred.", _sharp),
    Check("cognitive_clarity", "Is the text in the image readable?", "The text in the image is readable.",
          "The text in the image is illegible.", _readable),
    *_of_axis("horizontal"), *_of_axis("vertical"),
)  # fmt: skip


def known(evidence: FigureFacts, *dimensions: str) -> list[tuple[Check, bool]]:
    """The checks of some dimensions that the image decides, with what it decides."""
    decided = [(check, check.holds(evidence)) for check in CHECKS if check.dimension in dimensions]
    return [(check, holds) for check, holds in decided if holds is not None]


# Words whose exchange turns a question about one thing around.
_OPPOSITES = tuple(
    (left, right)
    for pair in (
        "even/uneven", "sharp/blurred", "readable/illegible", "complete/incomplete", "correct/incorrect",
        "consistent/inconsistent", "labelled/unlabelled", "present/missing", "accurate/inaccurate", "valid/invalid",
        "name a/lack a", "is there a/is there no", "are there any/are there no",
    )
    for left, right in [pair.split("/")]
)  # fmt: skip
# "Are all bonds correct?" is not turned around by "incorrect": there may be both kinds.
_SEVERAL = re.compile(r"\b(?:all|every|each|both|some|only|always|never|most|many|few|and|or|not)\b", re.I)


def turned_around(question: str) -> str:
    """The Yes/No question with the opposite answer, "" where no rule gives one.

    One word or phrase is exchanged for its opposite ("sharp" and "blurred"), if the question holds exactly one
    such, and no word that speaks of several things.
    """
    found = [
        (re.compile(rf"\b{word}\b", re.I), other)
        for pair in _OPPOSITES for word, other in (pair, pair[::-1])
        if re.search(rf"\b{word}\b", question, re.I)
    ]  # fmt: skip
    if len(found) != 1 or _SEVERAL.search(question):
        return ""
    [(word, other)] = found
    made = word.sub(other, question)
    return made[:1].upper() + made[1:]
