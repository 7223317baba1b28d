"""Which number of a figure belongs to what a question names."""

from collections.abc import Sequence

from data_juicer_ext.figures.ocr import OcrLine
from data_juicer_ext.offline.figure.colours import Colour, alike, sample, swatch, value_colour
from data_juicer_ext.offline.figure.text_layout import FigureLayout, conditions, named_in, number, pitch, same_name
from data_juicer_ext.offline.text.quantities import Quantity, quantities
from data_juicer_ext.offline.text.sentences import content


def values_for(question: str, layout: FigureLayout, option: str = "") -> tuple[list[OcrLine], str]:
    """The values that fit everything named in `question` (and `option`), and how they were found.

    Names are looked up among row and column labels, legend entries (by colour) and blocks; numbers
    of the question on the axes. Nothing found, or a name that cannot be placed: no values.
    """
    named = [piece for piece in _texts(layout) if named_in(piece, question) or (option and same_name(piece, option))]
    if option and not any(same_name(piece, option) for piece in named):
        return [], f'"{option}" is not read in the figure'
    if block := _in_block(named, question, layout):
        return block
    if labelled := _labelled(question, layout):
        return labelled
    return _in_plot(named, question, layout)


def _texts(layout: FigureLayout) -> list[OcrLine]:
    """All pieces that may name something: labels, legend entries, blocks; no titles of axes."""
    texts = (*layout.columns, *layout.rows, *layout.others)
    return [piece for piece in texts if not number(piece) and not piece.upright]


def _in_block(named: Sequence[OcrLine], question: str, layout: FigureLayout) -> tuple[list[OcrLine], str] | None:
    asked = content(question)
    found = []
    for name in named:
        for value in (*layout.values, *layout.columns):
            noun = content(value.text.lstrip("0123456789.,+- "))
            near = min(abs(value.top - name.bottom), abs(name.top - value.bottom)) < 0.5 * name.height
            level = abs(value.x - name.x) < 0.5 * max(name.right - name.left, value.right - value.left)
            # A bare number under a name may be a tick; one with its noun or unit says what it is.
            if number(value) and near and level and noun and noun <= asked:
                found.append((value, name))
    if len({value for value, _ in found}) != 1 or len({name for _, name in found}) != 1:
        return None
    value, name = found[0]
    return [value], f'in the block "{name.text}"'


def _labelled(question: str, layout: FigureLayout) -> tuple[list[OcrLine], str] | None:
    asked = content(question)
    found = []
    for piece in layout.others:
        inside = quantities(piece.text)
        words = content(piece.text) - frozenset().union(*(content(quantity.text) for quantity in inside))
        if len(inside) == 1 and words and words <= asked:
            found.append(OcrLine(inside[0].text, piece.left, piece.top, piece.right, piece.bottom))
    return (found, "annotated so") if len(found) == 1 else None


def _in_plot(named: Sequence[OcrLine], question: str, layout: FigureLayout) -> tuple[list[OcrLine], str]:
    values = list(layout.values)
    reasons: list[str] = []
    columns, rows = ([name for name in named if name in group] for group in (layout.columns, layout.rows))
    free = [name for name in named if name not in layout.columns and name not in layout.rows]
    for name in columns:
        values = [value for value in values if abs(value.x - name.x) < _reach(layout.columns, True)]
        reasons.append(f'over "{name.text}"')
    for name in rows:
        values = [value for value in values if abs(value.y - name.y) < _reach(layout.rows, False)]
        reasons.append(f'beside "{name.text}"')
    for condition in conditions(question):
        placed = _at(condition, values, layout)
        if placed is None:
            return [], f"{condition.text} is on neither axis"
        values = placed
        reasons.append(f"at {condition.text}")
    for name in free:
        colour = swatch(layout.picture, name)
        if colour is not None:
            values = _coloured(values, colour, layout)
            reasons.append(f'in the colour of "{name.text}"')
        elif not _is_heading(name, layout):
            return [], f'"{name.text}" cannot be tied to a value'
    if len(set(legend(layout)) - set(free)) > 1 and not set(legend(layout)) & set(free):
        return [], "Several series are drawn and the question names none of them"
    if not reasons:
        return [], "Nothing that the question names is read in the figure"
    return values, ", ".join(reasons)


def legend(layout: FigureLayout) -> list[OcrLine]:
    """The entries of a legend: at least two texts in a stack or a row, each right of a colour of its own."""
    picture = layout.picture
    texts = [(piece, sample(picture, piece)) for piece in layout.others if not number(piece)]
    entries = [(piece, colour) for piece, colour in texts if colour is not None]
    return [
        piece
        for piece, colour in entries
        if any(
            not alike(colour, other_colour)
            and (abs(piece.left - other.left) < piece.height or abs(piece.y - other.y) < 0.4 * piece.height)
            for other, other_colour in entries
        )
    ]


def _reach(labels: Sequence[OcrLine], across: bool) -> float:
    """How far from a name its values may lie: grouped bars stand beside the middle of their group."""
    return 0.4 * pitch(labels, lambda piece: piece.x if across else piece.y)


def _in_column(value: OcrLine, x: float, layout: FigureLayout) -> bool:
    """Whether a value lies at a place on a numeric axis: closer than to a name, points may be near."""
    return abs(value.x - x) < min(_reach(layout.columns, True), 0.8 * (value.right - value.left))


def _in_row(value: OcrLine, y: float, layout: FigureLayout) -> bool:
    return abs(value.y - y) < min(_reach(layout.rows, False), 0.8 * value.height)


def _at(condition: Quantity, values: Sequence[OcrLine], layout: FigureLayout) -> list[OcrLine] | None:
    """The values at a number on the horizontal or the vertical axis; None if it is on neither or both."""
    across = _position(condition, layout.columns, layout, True)
    down = _position(condition, layout.rows, layout, False)
    if across is not None and down is None:
        return [value for value in values if _in_column(value, across, layout)]
    if down is not None and across is None and not layout.row_title:
        return [value for value in values if _in_row(value, down, layout)]
    if across is not None and down is not None and layout.row_title:
        # A titled vertical axis measures the values; conditions lie on the horizontal one.
        return [value for value in values if _in_column(value, across, layout)]
    return None


def _position(condition: Quantity, labels: Sequence[OcrLine], layout: FigureLayout, columns: bool) -> float | None:
    for label in labels:
        found = number(label)
        if found and found.value == condition.value and (not found.unit or found.unit == condition.unit):
            return label.x if columns else label.y
    scale = layout.column_scale if columns else layout.row_scale
    return scale.place(condition.value) if scale else None


def _coloured(values: Sequence[OcrLine], colour: Colour, layout: FigureLayout) -> list[OcrLine]:
    return [value for value in values if alike(value_colour(layout.picture, value), colour)]


def _is_heading(name: OcrLine, layout: FigureLayout) -> bool:
    """Whether a text is the title over the whole figure, which ties to no value."""
    return all(name.bottom <= piece.top + 0.3 * name.height for piece in layout.picture.pieces if piece is not name)
