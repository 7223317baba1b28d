"""Tables of Markdown whose cells papers and models may have written."""

import re
from collections.abc import Iterable, Sequence

from data_juicer_ext.report.safe_text import shown_text

_LONGEST = 160  # characters of a cell
_MEANT = re.compile(r"([\\`*_\[\]<>|&#$~])")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers get commas between thousands."""
    lines = [" | ".join(map(cell, head)), " | ".join("---" for _ in head)]
    lines += [" | ".join(map(cell, row)) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def cell(value: object) -> str:
    """A value as plain text on one line: nothing in it is Markdown or HTML."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return _MEANT.sub(r"\\\1", " ".join(shown_text(value, _LONGEST).split()))
