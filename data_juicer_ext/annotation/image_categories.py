"""The functional categories of scientific images, and which of them an answer names.

SIQA sorts images into seven categories by what they are for and names none; these are ours, and a parameter.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.annotation.class_answers import Classes, ClassParse, parse_class
from data_juicer_ext.errors import DjExtError

IMAGE_CATEGORIES = {
    "data plot": "measured or computed values over axes or in cells: curves, bars, points, heat maps, distributions",
    "molecular or chemical structure": "how atoms are bound and placed: structural formulas, molecules, crystals",
    "reaction or process scheme": "what turns into what, step by step: reactions, pathways, protocols, workflows",
    "geometric or mathematical diagram": "shapes, angles, coordinates, graphs and constructions of mathematics",
    "apparatus or system diagram": "how an instrument, a circuit, a set-up or a technical system is built",
    "microscopy or other imaging": "pictures that an instrument took: microscopes, telescopes, scanners, cameras",
    "conceptual or biological illustration": "drawn pictures that explain: organisms, organs, cells, landscapes, ideas",
}


class CategoryError(DjExtError, ValueError):
    """A list of categories cannot be used; the text says why."""


def listed(categories: Any) -> dict[str, str]:
    """The categories of a recipe, a list of mappings with `name` and `description`, by name. Raises CategoryError."""
    form = "categories: write a list of mappings with `name` and `description`"
    if not isinstance(categories, list) or not all(isinstance(entry, Mapping) for entry in categories):
        raise CategoryError(f"{form}, got {categories!r}"[:300])
    found: dict[str, str] = {}
    for entry in categories:
        name, extra = entry.get("name"), [str(key) for key in entry if key not in ("name", "description")]
        if not isinstance(name, str) or extra or name in found:
            raise CategoryError(f"{form}, each name once, got {dict(entry)!r}"[:300])
        found[name] = str(entry.get("description") or "")
    return found


def classes_of(categories: Mapping[str, str]) -> Classes:
    """The categories as classes whose names an answer may shorten: "a or b c" is also "a c", "b c" and "a".

    A shortened name that two categories share means none. Raises CategoryError for fewer than two
    categories, or two with one name.
    """
    if len(categories) < 2:
        raise CategoryError(f"categories: there are {len(categories)}, and a choice needs two")
    short = {name: _shortened(name) for name in categories}
    owners = Counter(part.casefold() for name in categories for part in {name, *short[name]})
    further = {name: [part for part in short[name] if owners[part.casefold()] == 1] for name in categories}
    try:
        return Classes(tuple(categories), further)
    except ValueError as error:
        raise CategoryError(f"categories: {error}") from error


def parse_category(text: str, classes: Classes) -> ClassParse:
    """Read the category that an answer names."""
    return parse_class(text, classes, tag="category", keys=("category", "image_category"))


def _shortened(name: str) -> list[str]:
    """ "a or b c" as "a c", "b c", "a"; nothing for a name without "or"."""
    match = re.fullmatch(r"(.+?) or (\S+)( .+)?", name.strip())
    if match is None:
        return []
    first, second, rest = match.group(1), match.group(2), match.group(3) or ""
    return list(dict.fromkeys([first + rest, second + rest, first]))
