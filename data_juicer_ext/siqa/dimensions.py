"""The names that SIQA's data goes by: four dimensions in two aspects, three types of question.

What a dimension means to a model stands in `prompts/siqa/definitions.jinja`. Source: SIQA, section 3.1.
"""

from collections.abc import Sequence

from data_juicer_ext.errors import UsageError

ASPECT_OF = {
    "scientific_validity": "knowledge",
    "scientific_completeness": "knowledge",
    "cognitive_clarity": "perception",
    "disciplinary_conformity": "perception",
}
"""The aspect that each dimension belongs to."""

DIMENSIONS = tuple(ASPECT_OF)
ASPECTS = ("perception", "knowledge")
QUESTION_TYPES = ("yes_no", "what", "how")

YES_NO = ("Yes", "No")
HOW = ("Excellent", "Good", "Fair", "Poor")
"""The options of every How question, in this order always."""


def dimensions_of(aspect: str) -> list[str]:
    """The dimensions of an aspect, in the order of `DIMENSIONS`."""
    return [name for name in DIMENSIONS if ASPECT_OF[name] == aspect]


def some_of(name: str, given: Sequence[str] | None, allowed: Sequence[str]) -> list[str]:
    """The names of `allowed` that were given, in its order; all where none were. Raises UsageError for another."""
    if given is not None and (isinstance(given, str) or not all(isinstance(item, str) for item in given)):
        raise UsageError(f"{name}: {given!r} is not a list of names")
    if unknown := [item for item in given or () if item not in allowed]:
        raise UsageError(f"{name}: {unknown[0]!r} is not one of {', '.join(allowed)}")
    return [item for item in allowed if not given or item in given]
