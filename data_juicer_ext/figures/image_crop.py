"""What part of a picture is shown: page, crop, trim and rotation, as LaTeX or a box on a page asks for it."""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.errors import DjExtError

_POINTS = {"pt": 72 / 72.27, "bp": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "": 1.0, "px": 1.0, "pc": 12.0}
_LENGTH = re.compile(r"(-?\d{0,6}\.?\d{0,6})\s*(pt|bp|in|cm|mm|px|pc)?(?=\s|\Z)")
_LEAST = 8  # pixels: a crop that leaves less is taken for a mistake


class DrawingError(DjExtError):  # a finding about a file, reported as a flag
    """Why an image cannot be made readable; `flag` is a plain word for it."""

    def __init__(self, flag: str, message: str) -> None:
        super().__init__(message)
        self.flag = flag


@dataclass(frozen=True)
class View:
    """What part of a source is shown.

    `page` counts from 1. `trim` (left, bottom, right, top) and `viewport` (left, bottom, right, top of what is
    kept, from the bottom left) are in points, as \\includegraphics has them; `box` (left, top, right, bottom) is in
    points from the top left of the page as it is shown. `angle` turns the result, counter-clockwise, by right angles.
    """

    page: int = 1
    trim: tuple[float, float, float, float] | None = None
    angle: int = 0
    viewport: tuple[float, float, float, float] | None = None
    box: tuple[float, float, float, float] | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> "View":
        """From the options of \\includegraphics: page, trim or viewport with clip, angle (right angles only)."""
        page = options.get("page", "1").strip()
        clipped = options.get("clip") == "true"
        trim = _lengths(options.get("trim", "")) if clipped else None
        viewport = _lengths(options.get("viewport", "")) if clipped else None
        angle = re.fullmatch(r"-?\+?(\d{1,4})(?:\.0*)?", options.get("angle", "0").strip())
        turned = int(options["angle"].strip().split(".")[0]) % 360 if angle and "angle" in options else 0
        number = int(page) if re.fullmatch(r"\d{1,5}", page) else 1
        return cls(number, trim, turned if turned % 90 == 0 else 0, viewport)


def _lengths(text: str) -> tuple[float, float, float, float] | None:
    found = [(number, unit) for number, unit in _LENGTH.findall(text[:200]) if number.strip("-.")]
    if len(found) != 4:
        return None
    left, bottom, right, top = (float(number) * _POINTS[unit] for number, unit in found)
    return left, bottom, right, top


def viewed(image: Any, view: View, dpi: float) -> Any:
    """The part of a picture (drawn at `dpi`) that `view` shows of it; its page and box are not looked at."""
    width, height = image.size
    box = (0, 0, width, height)
    if view.trim is not None:
        left, bottom, right, top = (round(length * dpi / 72.0) for length in view.trim)
        box = (left, top, width - right, height - bottom)
    elif view.viewport is not None:
        left, bottom, right, top = (round(length * dpi / 72.0) for length in view.viewport)
        box = (left, height - top, right, height - bottom)
    box = (max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3]))
    if box != (0, 0, width, height) and min(box[2] - box[0], box[3] - box[1]) >= _LEAST:
        image = image.crop(box)
    return image.rotate(view.angle, expand=True, fillcolor="white") if view.angle else image


def as_png(image: Any) -> bytes:
    """The picture as PNG."""
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
