"""Patterns for any of many words."""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A regular expression for any of `words`; common beginnings are written once, so that few are tried at a place."""
    by_letter: dict[str, list[str]] = {}
    for word in words:
        by_letter.setdefault(word[:1], []).append(word[1:])
    optional = by_letter.pop("", None) is not None
    if not by_letter:
        return ""
    branches = [re.escape(letter) + any_of(rests) for letter, rests in sorted(by_letter.items())]
    if len(branches) == 1 and not optional:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if optional else ''}"
