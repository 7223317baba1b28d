"""Which pieces of a figure's text are axis labels, axis titles and values, and where they lie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.offline.text.quantities import Quantity, as_quantity, quantities
from data_juicer_ext.offline.text.sentences import words

_LINEAR = 0.03  # share of the range that a tick may lie off the line


@dataclass(frozen=True)
class Scale:
    """A numeric axis: position = `slope` * value + `offset`, in pixels, from `low` to `high`."""

    slope: float
    offset: float
    low: float
    high: float

    def place(self, value: float) -> float | None:
        """Where `value` lies, None outside of the ticks."""
        return self.slope * value + self.offset if self.low <= value <= self.high else None


@dataclass(frozen=True)
class FigureLayout:
    """The parts of a figure.

    `columns` are the labels under (or over) the plot, `rows` those left of it, each the ticks of a
    numeric axis or names; `column_scale` and `row_scale` are set for numeric ones. `values` are the
    numbers inside the plot, `others` the rest: titles, legend, annotations, blocks.
    """

    picture: Picture
    columns: tuple[OcrLine, ...]
    rows: tuple[OcrLine, ...]
    column_scale: Scale | None
    row_scale: Scale | None
    column_title: OcrLine | None
    row_title: OcrLine | None
    values: tuple[OcrLine, ...]
    others: tuple[OcrLine, ...]


def arrange(picture: Picture) -> FigureLayout:
    """Sort the pieces of `picture` into the parts of a figure."""
    pieces = _merged(picture.pieces)
    flat = [piece for piece in pieces if not piece.upright]
    upright = [piece for piece in pieces if piece.upright]
    columns = _column_labels(flat)
    rows = _row_labels([piece for piece in flat if piece not in columns], columns)
    labels = {*columns, *rows}
    inside = [piece for piece in flat if piece not in labels]
    lowest = max((piece.bottom for piece in columns), default=float("inf"))
    below = [piece for piece in inside if piece.top > lowest - 0.5 * piece.height and not number(piece)]
    title = below[0] if len(below) == 1 else None
    values = tuple(piece for piece in inside if number(piece))
    left = _upright_title(upright)
    return FigureLayout(
        picture, tuple(columns), tuple(rows), _scale(columns, lambda piece: piece.x),
        _scale(rows, lambda piece: piece.y), title, left if left and _is_left(left, flat) else None, values,
        tuple(piece for piece in inside if piece not in values and piece is not title),
    )  # fmt: skip


def number(piece: OcrLine) -> Quantity | None:
    """The quantity that a piece is ("31.2", "7.4 g", "6 layers"), else None."""
    return as_quantity(piece.text.replace("−", "-").strip("()≈~ "))


def _upright_title(upright: Sequence[OcrLine]) -> OcrLine | None:
    """The leftmost upright text; OCR often cuts it into parts, which read from bottom to top."""
    if not upright:
        return None
    first = min(upright, key=lambda piece: piece.left)
    parts = [piece for piece in upright if abs(piece.x - first.x) < 0.5 * first.height]
    parts.sort(key=lambda piece: -piece.bottom)
    return OcrLine(" ".join(piece.text for piece in parts), min(piece.left for piece in parts),
                 parts[-1].top, max(piece.right for piece in parts), parts[0].bottom)  # fmt: skip


def _is_left(title: OcrLine, flat: Sequence[OcrLine]) -> bool:
    return all(title.x < piece.x for piece in flat)


def _merged(pieces: Sequence[OcrLine]) -> list[OcrLine]:
    """A number and the unit that OCR cut off from it become one piece again."""
    merged: list[OcrLine] = []
    for piece in sorted(pieces, key=lambda piece: piece.left):
        for place, before in enumerate(merged):
            close = -0.6 < (piece.left - before.right) / max(piece.height, 1) < 0.4
            level = abs(piece.y - before.y) < 0.4 * max(piece.height, before.height)
            joined = as_quantity(f"{before.text} {piece.text}")
            if close and level and number(before) and joined and joined.unit and not number(piece):
                merged[place] = OcrLine(f"{before.text} {piece.text}", before.left, min(before.top, piece.top),
                                      piece.right, max(before.bottom, piece.bottom))  # fmt: skip
                break
        else:
            merged.append(piece)
    return merged


def _groups(pieces: Sequence[OcrLine], place: Callable[[OcrLine], float], share: float) -> list[list[OcrLine]]:
    groups: list[list[OcrLine]] = []
    for piece in sorted(pieces, key=place):
        if groups and abs(place(piece) - place(groups[-1][-1])) < share * piece.height:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _column_labels(flat: Sequence[OcrLine]) -> list[OcrLine]:
    """The lowest line of at least two labels, if something stands above it; else the highest."""
    lines = [line for line in _groups(flat, lambda piece: piece.y, 0.45) if len(line) >= 2]
    if not lines:
        return []
    lowest = lines[-1]
    if not any(number(piece) for piece in lowest) or _scale(lowest, lambda piece: piece.x):
        return lowest
    top = lines[0]
    return top if not any(number(piece) for piece in top) or _scale(top, lambda piece: piece.x) else []


def _row_labels(flat: Sequence[OcrLine], columns: Sequence[OcrLine]) -> list[OcrLine]:
    """The leftmost stack of at least two labels that begin, end or centre alike."""
    stacks: list[list[OcrLine]] = []
    edges: list[Callable[[OcrLine], float]] = [
        lambda piece: piece.right,
        lambda piece: piece.left,
        lambda piece: piece.x,
    ]
    for edge in edges:
        stacks += [stack for stack in _groups(flat, edge, 0.5) if len(stack) >= 2]
    inside = min((piece.left for piece in columns), default=0.0)
    fitting = [stack for stack in stacks if _all_left(stack, flat) and (not columns or stack[0].left < inside)]
    return max(fitting, key=len) if fitting else []


def _all_left(stack: Sequence[OcrLine], flat: Sequence[OcrLine]) -> bool:
    """Whether nothing that is level with a label of the stack stands left of it."""
    return not any(
        other not in stack and other.right < label.left and abs(other.y - label.y) < label.height
        for label in stack
        for other in flat
    )


def _scale(labels: Sequence[OcrLine], place: Callable[[OcrLine], float]) -> Scale | None:
    """The linear scale of at least three numeric ticks, None where they follow none."""
    ticks = sorted((found.value, place(piece)) for piece in labels if (found := number(piece)))
    if len(ticks) < 3 or len(ticks) < 0.75 * len(labels):
        return None
    (low, first), (high, last) = ticks[0], ticks[-1]
    if high - low <= 0 or last == first:
        return None
    slope = (last - first) / (high - low)
    offset = first - slope * low
    off = max(abs(slope * value + offset - position) for value, position in ticks)
    return Scale(slope, offset, low, high) if off < _LINEAR * abs(last - first) else None


def pitch(labels: Sequence[OcrLine], place: Callable[[OcrLine], float]) -> float:
    """The usual distance between neighbouring labels in pixels; infinite for fewer than two."""
    places = sorted(place(label) for label in labels)
    gaps = [after - before for before, after in pairwise(places) if after > before]
    return median(gaps) if gaps else float("inf")


def _squash(tokens: Sequence[str]) -> str:
    return "".join(token.lower() for token in tokens)


def named_in(piece: OcrLine, question: str) -> bool:
    """Whether `question` holds the words of `piece` in a row (blanks that OCR lost do not matter)."""
    name = _squash(words(piece.text))
    if len(name) < 2 or number(piece):
        return False
    asked = words(question)
    spans = range(1, min(8, len(asked)) + 1)
    return any(_squash(asked[start : start + span]) == name for span in spans for start in range(len(asked) - span + 1))


def same_name(piece: OcrLine, option: str) -> bool:
    """Whether a piece is just what an option names, article aside."""
    tokens = [token for token in words(option) if token.lower() not in ("the", "a", "an")]
    return bool(tokens) and _squash(words(piece.text)) == _squash(tokens)


def conditions(question: str) -> list[Quantity]:
    """The numbers that a question gives ("at 20 °C")."""
    return quantities(question)
