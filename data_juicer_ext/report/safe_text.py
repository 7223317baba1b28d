"""Text of papers and models as a page can show it: bounded, and without what a reader can't see."""

import unicodedata

from data_juicer_ext.rows import scrub, visible

LIMIT = 1200  # characters
_MARKS = 4  # combining marks on one character: no script needs more, and a pile of them covers other lines


def shown_text(text: object, limit: int = LIMIT) -> str:
    """`text` without control and invisible characters, cut to `limit` characters; what is left out is said."""
    whole = str(text)
    part = whole[: limit + 1]
    seen = visible(part)
    hidden = len(scrub(part)) - len(seen)
    cut = len(whole) - limit
    notes = [f"{cut:,} more characters"] if cut > 0 else []
    notes += [f"{hidden:,} invisible characters left out"] if hidden else []
    return _unpiled(seen[:limit]) + (f" … [{', '.join(notes)}]" if notes else "")


def _unpiled(text: str) -> str:
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MARKS:
            kept.append(character)
    return "".join(kept)
