"""Criteria and preference statements for diagrams by rules: a baseline.

The criteria are general, the same for every type: they are what type-specific ones have to do better than. A
preference statement is made where one measure of the images leans to the preferred side in every pair.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

_GENERAL = {
    "VOL": [("Parts that belong together stand together, in an order that can be read.", 3),
            ("Labels and lines do not lie on each other.", 2)],
    "LA": [("Connections join the parts that the text joins, in the direction it states.", 4),
           ("Order and containment are those of the text.", 2)],
    "VER": [("Labels can be read, and shapes can be told apart.", 3)],
    "CA": [("Names and values agree with the text.", 3),
           ("What the caption asks for is there, and nothing is made up.", 3)],
    "Aesthetics": [("Type, lines and colours are even and fit for print.", 1)],
}  # fmt: skip
_WEIGHTS = {"Structure": 0.45, "Content": 0.40, "Aesthetics": 0.15}
# By part: the measures that may explain a preference (more is better), each with the statement.
_STATEMENTS = {
    "VOL": (("overlaps", "Take points off where labels lie on each other."),
            ("spread", "Give more to the diagram whose labels use the whole area.")),
    "VER": (("confidence", "Give more where every label can be read without effort."),
            ("overlaps", "Take points off where labels cover each other.")),
    "CA": (("words", "Give more to the diagram that names more of the parts."),),
    "Aesthetics": (("overlaps", "Take points off where labels touch or cover each other."),),
}  # fmt: skip


def draft_criteria(fields: Mapping[str, Any], images: tuple[str, ...]) -> str:
    """General criteria of one part."""
    made = [{"text": text, "weight": weight} for text, weight in _GENERAL[fields["part"]["key"]]]
    return json.dumps({"criteria": made})


def draft_weights(fields: Mapping[str, Any], images: tuple[str, ...]) -> str:
    """The weights of the dimensions: the same for every type and draw."""
    return json.dumps(_WEIGHTS)


def general_preferences(fields: Mapping[str, Any], facts: Sequence[Mapping[str, float]]) -> str:
    """Statements by criterion; `facts` are measures of the images, two a pair, where more is better."""
    made: dict[str, list[str]] = {}
    for criterion in fields["criteria"]:
        for measure, statement in _STATEMENTS.get(criterion["part"], ()):
            if _explains(fields["pairs"], criterion["id"], [fact[measure] for fact in facts]):
                made[criterion["id"]] = [statement]
                break
    return json.dumps({"statements": made})


def _explains(pairs: Sequence[Mapping[str, Any]], identity: str, values: Sequence[float]) -> bool:
    """Whether a measure leans to the preferred side wherever people prefer one and it differs, once at least."""
    leanings = [
        (values[2 * place] - values[2 * place + 1]) * preference["value"]
        for place, pair in enumerate(pairs)
        for preference in pair["preferences"]
        if preference["id"] == identity
    ]
    return any(leaning > 0 for leaning in leanings) and not any(leaning < 0 for leaning in leanings)
