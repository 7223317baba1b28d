"""How is a table shown on a screen?"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

_GAP = "  "


def aligned(table: Iterable[Sequence[str]], sides: str, least: Sequence[int] = ()) -> list[str]:
    """The lines of a table, its columns two spaces apart; the rows are of one length.

    `sides` has a character per column, the last one standing for all that follow: "<" to the left, ">" to the right.
    `least` are the widths that columns have at least, 0 where there are fewer.
    """
    rows = [list(row) for row in table]
    columns = zip(*rows, strict=True)
    widths = [max(fixed, *map(len, column)) for column, fixed in zip(columns, chain(least, repeat(0)), strict=False)]
    padded = sides.ljust(len(widths), sides[-1])
    return [_GAP.join(map(_cell, row, padded, widths)).rstrip() for row in rows]


def _cell(text: str, side: str, width: int) -> str:
    return text.ljust(width) if side == "<" else text.rjust(width)


def counted(counts: Mapping[str, int], words: Mapping[str, str]) -> list[str]:
    """What was counted, a line each, in the words that there are for it; what was not met has no line."""
    return [f"  {counts[name]:>6}  {meaning}" for name, meaning in words.items() if counts[name]]
