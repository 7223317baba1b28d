"""The five levels of a rating: of a mean opinion score, and as a model writes them (SIQA, section 3.5)."""

import re
from decimal import Decimal
from fractions import Fraction

from data_juicer_ext.errors import UsageError
from data_juicer_ext.qa.answer_tags import without_thinking

LEVELS = ("Bad", "Poor", "Fair", "Good", "Excellent")
"""From the lowest (1) to the highest (5)."""

Score = int | float | str | Decimal | Fraction

_WORD = re.compile(r"[A-Za-z]+")
_VALUE = {name.lower(): value for value, name in enumerate(LEVELS, 1)}
# Words that may stand beside a level without changing it: "The overall quality is Good."
_NEUTRAL = frozenset({
    "a", "answer", "as", "assessment", "figure", "final", "i", "image", "is", "it", "knowledge", "level", "my", "of",
    "overall", "perception", "quality", "rate", "rated", "rating", "score", "the", "this", "to", "be", "would",
})  # fmt: skip
_LEADS = re.compile(
    rf"[^A-Za-z\n]{{0,20}}(?:{'|'.join(LEVELS)})(?:[*_`\"'”)]{{0,4}}(?:[.:;]|\s[-–—])\s|\sbecause\b)", re.I
)
_LINE = 300  # characters; an answer in a word needs no more


def level_of(score: Score, low: Score, high: Score) -> int:
    """The level, 1 to 5, of a mean opinion score between `low` and `high`, the ends of its scale.

    Level i holds low + (i-1)/5 (high-low) <= score < low + i/5 (high-low); score = high is level 5. Numbers count as
    they are written in decimal (0.6 is 3/5, not the nearest binary fraction), so that a score on a boundary belongs to
    the level above it. Raises UsageError for a score off the scale, or a scale without extent.
    """
    value, lowest, highest = (exact(number) for number in (score, low, high))
    if lowest >= highest:
        raise UsageError(f"a scale from {low} to {high} has no extent")
    if not lowest <= value <= highest:
        raise UsageError(f"the score {score} is not on the scale from {low} to {high}")
    return min(len(LEVELS), int(len(LEVELS) * (value - lowest) / (highest - lowest)) + 1)


def level_name(value: int) -> str:
    """The name of a level, 1 to 5."""
    return LEVELS[value - 1]


def exact(number: Score) -> Fraction:
    """A number as the fraction that its decimal digits spell. Raises UsageError for what is no finite number."""
    if isinstance(number, bool):
        raise UsageError(f"{number!r} is no number")
    try:
        return Fraction(repr(float(number)) if isinstance(number, float) else number)
    except (ValueError, OverflowError, TypeError) as error:
        raise UsageError(f"{number!r} is no finite number") from error


def level_in(text: str) -> int | None:
    """The level, 1 to 5, that an answer clearly gives; None where it gives none or several.

    Clear is a line (the first or the last that has words) of the level's name with nothing beside it but marks
    and neutral words ("**Good**", "Overall quality: good"), or one that begins with it and goes on to explain
    ("Good. The labels ..."). "Not good", "fair to good" and "fair enough" are none. Thinking does not count.
    """
    lines = [line for line in without_thinking(text).split("\n") if _WORD.search(line)]
    found = {level for line in (*lines[:1], *lines[-1:]) if (level := _in_line(line)) is not None}
    return found.pop() if len(found) == 1 else None


def _in_line(line: str) -> int | None:
    words = [word.lower() for word in _WORD.findall(line[: _LINE + 1])]
    named = {_VALUE[word] for word in words if word in _VALUE}
    if len(named) != 1:
        return None
    plain = len(line) <= _LINE and all(word in _VALUE or word in _NEUTRAL for word in words)
    return named.pop() if plain or _LEADS.match(line) else None
