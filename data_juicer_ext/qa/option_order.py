"""The order in which the options of a question are shown to a model, seeded, and the way back.

Models prefer positions, so draws that show the options in different orders tell knowledge from habit.
Some options mean something only where they stand; those stay.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from data_juicer_ext.rows import seeded

# "All of the above" speaks of what stands before it; what stands before may change order, it may not.
_ANCHORED = re.compile(
    r"\b(?:all|any|none|neither|both|most|some|two|each)\sof\s(?:the\s)?(?:above|these|those|them|options|choices|others?)"
    r"|\bnone\b\W*\Z|\A\W*neither\b\W*\Z|\bthe\sabove\b|\A\W*both\W*\Z"
    r"|\b(?:cannot|can\snot|can't|can’t)\sbe\s(?:determined|decided|inferred|answered)\b|\bnot\senough\sinformation\b",
    re.I,
)
# "Both A and B", "A or C only", "options A and B": letters that a new order would make wrong.
_NAMES_LETTERS = re.compile(
    r"\b(?i:both|either|neither|only|options?|choices?|answers?)\s\(?[A-Z]\)?(?:\s?(?:,|and|or|nor|&)\s?\(?[A-Z]\)?)*(?=\W|\Z)"
    r"|\A\W*\(?[A-Z]\)?\s?(?:and|or|nor|&)\s?\(?[A-Z]\)?(?:\sonly)?\W*\Z"
)
_SCALES = tuple(
    tuple(scale.split("|"))
    for scale in (
        "none|very low|low|medium|high|very high", "very low|low|moderate|high|very high", "low|mid|high",
        "very small|small|medium|large|very large", "small|moderate|large", "tiny|small|medium|big|huge",
        "never|rarely|sometimes|often|always", "short|medium|long", "weak|moderate|strong", "slow|medium|fast",
        "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth", "top|middle|bottom", "left|middle|right",
        "left|center|right", "upper|middle|lower", "minimum|median|maximum", "early|middle|late", "young|middle|old",
        "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve", "i|ii|iii|iv|v|vi|vii|viii|ix|x",
        "strongly disagree|disagree|neutral|agree|strongly agree", "decreases|stays constant|increases",
        "january|february|march|april|may|june|july|august|september|october|november|december",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday", "spring|summer|autumn|winter",
    )
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:\s?(?:[eE]|(?:×|x|\\times)\s?10\^?)\{?[-+]?\d+\}?)?")


def permutation(options: Sequence[str], seed_parts: Sequence[str], draw: int) -> tuple[int, ...]:
    """The order of one draw: position i shows `options[result[i]]`.

    The same `seed_parts` and `draw` (from 0) give the same order always and on every machine. Successive draws are
    rotations of one seeded shuffle, so that over as many draws as there are free options each stands once in each
    place. Options such as "all of the above", and all that follow it, stay where they are; options that are sorted by
    number or degree, or that name letters, all keep their order.
    """
    free = list(range(_free(options)))
    if len(free) < 2 or any(map(_NAMES_LETTERS.search, options)) or is_sorted(options):
        return tuple(range(len(options)))
    free.sort(key=lambda index: seeded(*seed_parts, index))
    turn = draw % len(free)
    return (*free[turn:], *free[:turn], *range(len(free), len(options)))


def shown(options: Sequence[str], order: Sequence[int]) -> list[str]:
    """The options in the order in which a draw shows them."""
    return [options[index] for index in order]


def original_letters(letters: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    """Letters chosen among the shown options as letters of the original ones, sorted.

    Raises IndexError for a letter beyond the options.
    """
    return tuple(sorted(chr(65 + order[ord(letter) - 65]) for letter in letters))


def _free(options: Sequence[str]) -> int:
    return next((index for index, option in enumerate(options) if _ANCHORED.search(option)), len(options))


def is_sorted(options: Sequence[str]) -> bool:
    """Whether the options rise or fall strictly by number (with one unit) or along a common scale."""
    ranks = _by_number(options) or _by_scale(options)
    pairs = list(pairwise(ranks))
    return len(ranks) > 1 and (all(a < b for a, b in pairs) or all(a > b for a, b in pairs))


def _by_number(options: Sequence[str]) -> list[float]:
    """The first number of each option, if what stands around the numbers is the same in all."""
    texts = [option.replace("−", "-").strip() for option in options]
    if len({re.sub(r"\W+", "", _NUMBER.sub("", text)).casefold() for text in texts}) != 1:
        return []
    found = [_NUMBER.search(text) for text in texts]
    return [_value(match.group()) for match in found if match] if all(found) else []


def _value(number: str) -> float:
    """A number as people write it: "1,000", "3.5", "2e-3", "4 x 10^5"."""
    mantissa, _, exponent = re.sub(r"(?:×|x|\\times)\s?10\^?|[eE]", "e", number).partition("e")
    if re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", mantissa):
        mantissa = mantissa.replace(",", "")
    parts = re.findall(r"\d+", mantissa)
    plain = float(f"{parts[0]}.{parts[1]}" if len(parts) > 1 else parts[0])
    power = int(re.sub(r"[{}\s+]", "", exponent) or 0)
    return (-plain if mantissa.startswith("-") else plain) * 10.0 ** max(-300, min(300, power))


def _by_scale(options: Sequence[str]) -> list[float]:
    names = [option.strip(" .()").casefold() for option in options]
    for scale in _SCALES:
        if all(name in scale for name in names):
            return [float(scale.index(name)) for name in names]
    return []
