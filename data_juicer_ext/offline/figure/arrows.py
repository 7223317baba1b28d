"""Straight arrows between two pieces of text in a block diagram."""

from typing import Any

from data_juicer_ext.figures.ocr import OcrLine, Picture

_DARK = 130  # grey level below which a pixel belongs to a line
_LEAST_RUN = 0.2  # share of the gap between the texts that the line must span
_HEAD = 1.7  # how much thicker than the other end an arrow's head is


def leads_to(picture: Picture, source: OcrLine, target: OcrLine) -> bool:
    """Whether one horizontal or vertical arrow runs from `source` to `target`, without a second head."""
    import numpy

    grey = numpy.asarray(picture.image.convert("L"))
    if min(source.bottom, target.bottom) - max(source.top, target.top) > -0.6 * source.height:
        return _along(grey, source, target)
    if min(source.right, target.right) > max(source.left, target.left):
        return _along(grey.T, _turned(source), _turned(target))
    return False


def _turned(piece: OcrLine) -> OcrLine:
    return OcrLine(piece.text, piece.top, piece.left, piece.bottom, piece.right)


def _along(grey: Any, source: OcrLine, target: OcrLine) -> bool:
    """As `leads_to`, for texts side by side in `grey` (rows, columns)."""
    first, second = (source, target) if source.left < target.left else (target, source)
    left, right = int(first.right), int(second.left)
    # A block often holds a second line of text, so that its arrows leave above or below this one.
    room = 1.2 * max(first.height, second.height)
    top, bottom = max(0, int(min(first.top, second.top) - room)), int(max(first.bottom, second.bottom) + room)
    if right - left < 8 or bottom - top < 4:
        return False
    dark = grey[top:bottom, left:right] < _DARK
    row, start, end = _longest(dark)
    if end - start < max(8, _LEAST_RUN * (right - left)):
        return False
    reach = max(6, int(0.6 * first.height))
    band = dark[max(0, row - reach) : row + reach, start:end]
    # The outermost pixels belong to the frames of the blocks, not to the arrow.
    edge, third = 4, max(5, (end - start) // 3)
    thickness = _thickness(band, row - max(0, row - reach))
    near = max(thickness[edge:third], default=0)
    far = max(thickness[-third:-edge], default=0)
    return (far > _HEAD * near) if first is source else (near > _HEAD * far)


def _longest(dark: Any) -> tuple[int, int, int]:
    """Row, start and end of the longest run of dark pixels in any row.

    Runs that touch an end are left out: the frame of a block, or the fill of a dark one.
    """
    best = (0, 0, 0)
    width = dark.shape[1]
    for row in range(dark.shape[0]):
        start = None
        for column, value in enumerate([*dark[row].tolist(), False]):
            if value and start is None:
                start = column
            elif not value and start is not None:
                if column - start > best[2] - best[1] and start > 0 and column < width:
                    best = (row, start, column)
                start = None
    return best


def _thickness(band: Any, row: int) -> list[int]:
    """For each column of `band`, how many dark pixels hang together with its `row`."""
    found = []
    for column in range(band.shape[1]):
        up = row
        while up > 0 and band[up - 1, column]:
            up -= 1
        down = row
        while down + 1 < band.shape[0] and band[down + 1, column]:
            down += 1
        found.append(down - up + 1)
    return found
