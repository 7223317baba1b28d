"""How tall the smallest text of a figure is: an estimate from shapes alone, without reading it.

Glyphs are small connected shapes that stand side by side on one line. Markers, dashes and bars are
mostly left out by their proportions; text on coloured grounds and rotated text are missed. Good for
a warning, not for a decision about a figure.
"""

from dataclasses import dataclass

from PIL import Image

CONTRAST = 64  # grey levels (of 255) between ink and the ground
LARGEST_SIDE = 4096  # pixels; larger images are reduced before they are measured
GLYPH_HEIGHTS = (4, 160)  # pixels in the measured image
WIDEST = 2.5  # a glyph's width in heights, two that touch included
NEIGHBOURS = 1.8  # heights that stand in one word differ by this factor at most ("e" and "l")
GAP = 1.0  # between glyphs of a word, in heights
OVERSHOOT = 0.05  # of round letters below the line, in heights
SOLID = 0.74  # share of its box that a disc fills is 0.79, a letter less
SHORTEST_RUN = 3
FEWEST_GLYPHS = 6
SMALL_SHARE = 0.1  # the text height reported is that of the lowest tenth of the glyphs
MOST_SHAPES = 50_000


@dataclass(frozen=True)
class _Shape:
    left: int
    right: int
    bottom: int
    height: int
    filled: float


def smallest_text(image: Image.Image) -> float | None:
    """The height in pixels of the capitals or digits of the smallest text in `image` (mode L or RGB).

    A tenth of the glyphs may be smaller. None where too few shapes look like text.
    """
    factor = -(-max(image.size) // LARGEST_SIDE)
    heights = sorted(height for run in _runs(_shapes(image, factor)) for height in _run_heights(run))
    return None if len(heights) < FEWEST_GLYPHS else heights[int(SMALL_SHARE * len(heights))] * float(factor)


def _shapes(image: Image.Image, factor: int) -> list[_Shape]:
    import numpy as np

    # A third of a second, and only images that were scaled down need it.
    from scipy import ndimage  # type: ignore[import-untyped]

    grey = image.convert("L")
    pixels = np.asarray(grey.reduce(factor) if factor > 1 else grey, dtype=np.int16)
    ground = int(np.bincount(pixels.ravel(), minlength=256).argmax())
    labels, number = ndimage.label(np.abs(pixels - ground) > CONTRAST, structure=np.ones((3, 3)))
    if not 0 < number <= MOST_SHAPES:
        return []
    areas = np.bincount(labels.ravel(), minlength=number + 1)[1:]
    shapes = []
    for area, (rows, columns) in zip(areas, ndimage.find_objects(labels), strict=True):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if GLYPH_HEIGHTS[0] <= height <= GLYPH_HEIGHTS[1] and width <= WIDEST * height:
            shapes.append(_Shape(columns.start, columns.stop, rows.stop, height, float(area) / (height * width)))
    return shapes


def _runs(shapes: list[_Shape]) -> list[list[_Shape]]:
    """Shapes that stand side by side on one line, three and more, and are not all solid."""
    runs = []
    for line in _lines(shapes):
        run: list[_Shape] = []
        for shape in sorted(line, key=lambda shape: shape.left):
            if run and not _same_word(run[-1], shape):
                runs.append(run)
                run = []
            run.append(shape)
        runs.append(run)
    return [run for run in runs if len(run) >= SHORTEST_RUN and _is_text(run)]


def _lines(shapes: list[_Shape]) -> list[list[_Shape]]:
    lines: list[list[_Shape]] = []
    for shape in sorted(shapes, key=lambda shape: shape.bottom):
        first = lines[-1][0] if lines else None
        if first is not None and shape.bottom - first.bottom <= max(1.0, OVERSHOOT * first.height):
            lines[-1].append(shape)
        else:
            lines.append([shape])
    return lines


def _same_word(before: _Shape, after: _Shape) -> bool:
    tall, low = max(before.height, after.height), min(before.height, after.height)
    return tall <= NEIGHBOURS * low and after.left - before.right <= GAP * tall


def _is_text(run: list[_Shape]) -> bool:
    """Whether the shapes differ as letters do; a row of equal markers or bars does not."""
    hollow = sum(shape.filled < SOLID for shape in run)
    kinds = {(shape.right - shape.left, shape.height, round(shape.filled, 2)) for shape in run}
    return 2 * hollow >= len(run) and len(kinds) > 1


def _run_heights(run: list[_Shape]) -> list[int]:
    return [max(shape.height for shape in run)] * len(run)
