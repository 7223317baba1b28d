"""The target aspect ratio of an instance: the standard ratio nearest to its reference's."""

import math
import re

from data_juicer_ext.errors import UsageError

# Those that image generators take by name.
STANDARD = ("21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16")
_RATIO = re.compile(r"\s*(\d{1,4}(?:\.\d{1,4})?)\s*[:x×/]\s*(\d{1,4}(?:\.\d{1,4})?)\s*\Z")


def ratio(text: str) -> float:
    """Width / height of a ratio such as "16:9". Raises UsageError for anything else."""
    match = _RATIO.match(text)
    if not match or float(match[2]) == 0 or float(match[1]) == 0:
        raise UsageError(f"aspect_ratio is {text!r}: a ratio such as 16:9 is needed, or nothing")
    return float(match[1]) / float(match[2])


def nearest(width: int, height: int) -> str:
    """The standard ratio nearest to width / height, by logarithm: 3:2 and 2:3 are equally far from 1:1."""
    return min(STANDARD, key=lambda name: misfit(name, width, height))


def misfit(name: str, width: int, height: int) -> float:
    """By which factor the sides of an image miss a ratio, as a logarithm: 0 and up, 0.1 is about a tenth."""
    return abs(math.log(width / height) - math.log(ratio(name)))
