"""The dimensions that a diagram is judged on, and their parts.

Structure and Content have two parts each, one for how it looks and one for whether it is right, since a
clear layout can hide a wrong arrow. Source: SciDiagBench, section 3.3.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A (sub-)dimension: its key, the dimension that it belongs to, its name, and what it asks."""

    key: str
    dimension: str
    name: str
    about: str


STRUCTURE, CONTENT, AESTHETICS = "Structure", "Content", "Aesthetics"
DIMENSIONS = (STRUCTURE, CONTENT, AESTHETICS)

PARTS: dict[str, Part] = {
    part.key: part
    for part in (
        Part("VOL", STRUCTURE, "visual organisation and layout",
             "whether position, grouping, spacing and reading order show how the parts belong together"),
        Part("LA", STRUCTURE, "logical accuracy",
             "whether order, direction, branching and containment are those that the text describes"),
        Part("VER", CONTENT, "visual element representation",
             "whether shapes, icons, labels and connectors can be recognised, read and told apart"),
        Part("CA", CONTENT, "content accuracy",
             "whether names, values and statements agree with the text, nothing that matters is missing and nothing "
             "is made up"),
        Part("Aesthetics", AESTHETICS, "aesthetics",
             "whether colour, type, line weight, balance and finish are fit for print"),
    )
}  # fmt: skip
"""The parts by key, in the order in which they are judged."""


def parts_of(dimension: str) -> tuple[str, ...]:
    """The keys of a dimension's parts."""
    return tuple(part.key for part in PARTS.values() if part.dimension == dimension)
