"""What is odd about the numbers of a paper's figures: missing ones, gaps, repeats."""

import re
from collections import Counter
from collections.abc import Sequence

from data_juicer_ext.curation.findings import Finding, Item
from data_juicer_ext.curation.thresholds import S2

MISSING, GAP, REPEATED = "index_missing", "index_gap", "index_repeated"
_COUNTED = re.compile(r"(?P<series>.{0,20}?)(?<!\d)(?P<count>\d{1,6})(?P<part>[a-z]?)", re.DOTALL)
_ROMAN = re.compile(r"(?=[IVXL])(X[CL]|L?X{0,3})(I[XV]|V?I{0,3})")
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CONTINUED = "continued"  # a figure that LaTeX or the page says goes on: it has its number for the second time


def place_in_series(number: str) -> tuple[str, int] | None:
    """The series of a printed number and its place in it: "3" ("", 3), "A.1" ("A.", 1), "S2" ("S", 2), "IV" ("", 4).

    The letter of a part ("3b") is left out. None for what is no number.
    """
    text = number.strip().rstrip(".:")
    if text and _ROMAN.fullmatch(text):
        values = [_DIGITS[letter] for letter in text]
        return "", sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    found = _COUNTED.fullmatch(text)
    return (found["series"].upper(), int(found["count"])) if found else None


def mark_indices(everything: Sequence[Item], survivors: Sequence[Item]) -> None:
    """Mark the survivors without a number, after a gap in their series, or with a number that others have as well.

    Gaps are looked for among `everything`: a figure that was deleted leaves none. Panels have their figure's
    number and are not looked at.
    """
    figures = [item for item in survivors if item.whole]
    seen: dict[str, set[int]] = {}
    for item in everything:
        place = place_in_series(item.figure.number) if item.whole else None
        if place:
            seen.setdefault(place[0], set()).add(place[1])
    printed = Counter(item.figure.number.strip() for item in figures if _CONTINUED not in item.figure.flags)
    for item in figures:
        _mark(item, seen, printed)


def _mark(item: Item, seen: dict[str, set[int]], printed: Counter[str]) -> None:
    number = item.figure.number.strip()
    place = place_in_series(number)
    if place is None:
        message = f"{number!r} is no number of a figure" if number else "the figure has no number"
        item.mark(Finding(S2, MISSING, message=message))
        return
    series, count = place
    before = max((other for other in seen[series] if other < count), default=min(count, 1) - 1)
    if count - before > 1:
        item.mark(Finding(S2, GAP, count - before - 1, 0, message=f"nothing between {series}{before} and {number}"))
    if printed[number] > 1 and _CONTINUED not in item.figure.flags:
        item.mark(Finding(S2, REPEATED, printed[number], 1, message=f"{printed[number]} figures have the number"))
