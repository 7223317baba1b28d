"""The five types of questions about figures (VeriSciQA, appendix C.2), and which of them an answer names."""

from data_juicer_ext.annotation.class_answers import Classes, ClassParse, parse_class

QUESTION_TYPES = ("Descriptive", "Comparative", "Relational", "Compositional", "Structural")

_FURTHER = {
    "Descriptive": ("description", "describe"),
    "Comparative": ("comparison", "comparing", "compare"),
    "Relational": ("relation", "relationship", "relations"),
    "Compositional": ("composition", "composite", "computational"),
    "Structural": ("structure",),
}
CLASSES = Classes(QUESTION_TYPES, _FURTHER)


def parse_question_type(text: str) -> ClassParse:
    """Read the `primary_type` of a JSON answer; the bare name is taken as well."""
    return parse_class(text, CLASSES, keys=("primary_type", "type", "question_type"))
