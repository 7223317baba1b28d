"""Which colour a piece of a figure has, to tie annotated values to legend entries."""

import math
from typing import TypeAlias

from data_juicer_ext.figures.ocr import OcrLine, Picture

Colour: TypeAlias = tuple[float, float, float]

_SATURATED = 45  # least difference of the strongest and the weakest channel, of 255
_SHARE = 0.02  # of the pixels looked at that must be coloured
_BIN = 32  # width of the classes in which the commonest colour is sought
_AGREE = 0.6  # of the coloured pixels that must be near it; else the box holds several colours
_ALIKE = 60.0  # greatest distance of two colours that count as one


def ink(picture: Picture, left: float, top: float, right: float, bottom: float) -> Colour | None:
    """The one colour in a box of the image; None if it holds none but black, grey and white, or several."""
    import numpy

    width, height = picture.image.size
    box = (max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(bottom)))
    if box[2] - box[0] < 2 or box[3] - box[1] < 2:
        return None
    pixels = numpy.asarray(picture.image.crop(box), dtype=numpy.int16).reshape(-1, 3)
    coloured = pixels[(pixels.max(axis=1) - pixels.min(axis=1)) > _SATURATED]
    if len(coloured) < max(6, _SHARE * len(pixels)):
        return None
    # Smoothed edges are paler than the line itself: only the fuller half of the colours counts.
    spread = coloured.max(axis=1) - coloured.min(axis=1)
    full = coloured[spread >= numpy.median(spread)]
    bins, counts = numpy.unique(full // _BIN, axis=0, return_counts=True)
    centre = (bins[counts.argmax()] + 0.5) * _BIN
    near = full[numpy.linalg.norm(full - centre, axis=1) < _ALIKE]
    if len(near) < _AGREE * len(full):
        return None
    red, green, blue = (float(value) for value in numpy.median(near, axis=0))
    return red, green, blue


def text_colour(picture: Picture, piece: OcrLine) -> Colour | None:
    """The colour of a piece's letters, None for black."""
    return ink(picture, piece.left, piece.top, piece.right, piece.bottom)


def sample(picture: Picture, entry: OcrLine) -> Colour | None:
    """The colour of the first coloured thing left of a text, as a legend entry has it; None for none."""
    import numpy

    # A narrow band: the sample of the next entry is close.
    top, bottom = int(entry.y - 0.2 * entry.height), int(entry.y + 0.2 * entry.height) + 1
    left, right = max(0, int(entry.left - 4.0 * entry.height)), int(entry.left - 0.1 * entry.height)
    if right - left < 3:
        return None
    band = numpy.asarray(picture.image.crop((left, top, right, bottom)), dtype=numpy.int16)
    coloured = ((band.max(axis=2) - band.min(axis=2)) > _SATURATED).any(axis=0).tolist()
    end = len(coloured)
    while end and not coloured[end - 1]:
        end -= 1
    start = end
    while start and coloured[start - 1]:
        start -= 1
    return ink(picture, left + start, top, left + end, bottom)


def swatch(picture: Picture, entry: OcrLine) -> Colour | None:
    """The colour of the sample left of a legend entry, or of the entry's own letters."""
    return sample(picture, entry) or text_colour(picture, entry)


def value_colour(picture: Picture, value: OcrLine) -> Colour | None:
    """The colour that a value belongs to: its letters', else that of the bar just below it."""
    own = text_colour(picture, value)
    return own or ink(picture, value.left, value.bottom, value.right, value.bottom + 0.8 * value.height)


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether two colours are the same to the eye; an unknown colour is like none."""
    return False if one is None or other is None else math.dist(one, other) < _ALIKE
