"""How a document is set: the size and font of its running text, and the columns it stands in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from data_juicer_ext.pdf.page.geometry import Rect
from data_juicer_ext.pdf.page.lines import Line

_LONG = 25  # letters: a line of running text, not a label
_NEAR = 6.0  # points within which lines begin at the same edge
_SHIFT = 4.0  # points
_SAME_SIZE = 0.8
_JUSTIFIED = 0.3  # of the lines end at the same edge
_LEAST_PROSE = 0.15  # of the letters
_COLUMN_SHARE = 0.1  # of the lines of running text begin at the edge of a column


@dataclass(frozen=True)
class Style:
    """The running text of a document: its size in points, its font, the area it fills, the columns in it.

    `pitch` is the distance in points from one of its lines to the next.
    """

    size: float
    font: str
    area: Rect
    columns: tuple[tuple[float, float], ...]
    pitch: float

    @property
    def column_width(self) -> float:
        """The width of a column."""
        return self.columns[0][1] - self.columns[0][0]


@dataclass(frozen=True)
class Styles:
    """The style of pages with an even and with an odd index: books shift their columns from one to the next."""

    even: Style
    odd: Style

    def of(self, index: int) -> Style:
        """The style of the page at `index`, from 0."""
        return self.odd if index % 2 else self.even


def styles_of(pages: Sequence[Sequence[Line]]) -> Styles | None:
    """The styles of a document, from the lines of its pages; None if it has no running text."""
    whole = _style(pages)
    if whole is None:
        return None
    even, odd = _style(pages[::2], whole), _style(pages[1::2], whole)
    return Styles(whole, whole) if even is None or odd is None or not _shifted(even, odd) else Styles(even, odd)


def _shifted(even: Style, odd: Style) -> bool:
    """Whether the columns of two styles are as many and as wide, and stand elsewhere."""
    if len(even.columns) != len(odd.columns) or abs(even.column_width - odd.column_width) > 2 * _NEAR:
        return False
    return abs(even.columns[0][0] - odd.columns[0][0]) > _SHIFT


def _style(pages: Sequence[Sequence[Line]], whole: Style | None = None) -> Style | None:
    """The style of pages; of some of them only, with the size of the `whole` document."""
    upright = _prose([line for lines in pages for line in lines if not line.turn])
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for line in upright:
        sizes[round(line.size * 2) / 2] += len(line.text)
    if not sizes:
        return None
    size = whole.size if whole else sizes.most_common(1)[0][0]
    body = [line for line in upright if abs(line.size - size) < _SAME_SIZE and len(line.text) >= _LONG]
    for line in body:
        fonts[line.font] += len(line.text)
    columns = columns_of(body)
    if not columns:
        return None
    cut = len(body) // 200
    tops, bottoms = sorted(line.rect.y0 for line in body), sorted(line.rect.y1 for line in body)
    area = Rect(columns[0][0], tops[cut], columns[-1][1], bottoms[-1 - cut])
    return Style(size, fonts.most_common(1)[0][0], area, columns, _usual_pitch(body, size))


def _prose(lines: list[Line]) -> list[Line]:
    """Without the lines of code, unless the document is mostly set like code."""
    prose = [line for line in lines if not line.is_code]
    return (
        prose
        if sum(len(line.text) for line in prose) >= _LEAST_PROSE * sum(len(line.text) for line in lines)
        else lines
    )


def _usual_pitch(body: Sequence[Line], size: float) -> float:
    pitches = sorted(
        after.base - line.base for line, after in pairwise(body)
        if abs(after.rect.x0 - line.rect.x0) < _NEAR and 0 < after.base - line.base < 4 * size
    )  # fmt: skip
    return pitches[len(pitches) // 2] if pitches else 1.2 * size


def columns_of(body: Sequence[Line]) -> tuple[tuple[float, float], ...]:
    """The columns, left and right edge each, that lines of running text stand in, from left to right."""
    left = sorted(line.rect.x0 for line in body)
    columns: list[tuple[float, float]] = []
    for start in _frequent_edges(left):
        end = _right_edge([line.rect.x1 for line in body if abs(line.rect.x0 - start) <= _NEAR])
        if end > start and not any(min(end, x1) - max(start, x0) > 0.2 * (end - start) for x0, x1 in columns):
            columns.append((start, end))
    return tuple(sorted(columns))


def _right_edge(rights: Sequence[float]) -> float:
    """Where most lines end; where they end anywhere, as far as nine of ten go."""
    step, count = Counter(round(x1 / _NEAR) for x1 in rights).most_common(1)[0]
    if count >= _JUSTIFIED * len(rights):
        return max(x1 for x1 in rights if abs(x1 - step * _NEAR) <= _NEAR)
    return sorted(rights)[int(0.9 * (len(rights) - 1))]


def _frequent_edges(left: Sequence[float]) -> list[float]:
    counts: Counter[int] = Counter(round(x0 / 2) for x0 in left)
    found: list[tuple[int, float]] = []
    for place, _ in counts.most_common(40):
        near = sum(counts[place + step] for step in (-1, 0, 1))
        if near >= max(3, _COLUMN_SHARE * len(left)):
            exact = [x0 for x0 in left if abs(x0 - place * 2) <= 3]
            found.append((near, sorted(exact)[len(exact) // 2]))
    return [start for _, start in sorted(found, key=lambda item: (-item[0], item[1]))]
