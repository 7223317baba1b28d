"""What is asked about a pair, and what its row says in the end (column `judgement`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.diagrams.criteria import TypeCriteria
from data_juicer_ext.diagrams.diagram_types import TYPES
from data_juicer_ext.diagrams.dimensions import PARTS
from data_juicer_ext.diagrams.pair_row import DiagramPair
from data_juicer_ext.diagrams.scoring import OrderScores, PairJudgement, PairScore, Sides, direction

DIGITS = 6
FIELDS = ("type", "parts", "caption", "paper_text")
"""What the template `scidiag/judge` is given."""


@dataclass(frozen=True)
class ImageFacts:
    """What the images of a pair tell without a judge.

    `images` are the files to show, generated first. `aspect_ratio` is the target, `shape` the generated diagram's
    width / height and `misfit` by which factor it misses the target, as a logarithm. `flags` are of the images as
    they are shown. `hash_distance` and `pixel_similarity`: see `copied_reference.Similarity`.
    """

    images: tuple[str, str]
    aspect_ratio: str = ""
    shape: float = 0.0
    misfit: float = 0.0
    hash_distance: int = 64
    pixel_similarity: float = 0.0
    copied: bool = False
    generated_flags: tuple[str, ...] = ()
    reference_flags: tuple[str, ...] = ()


def asked_fields(pair: DiagramPair, criteria: TypeCriteria) -> dict[str, Any]:
    """What the judge is told: the same whichever diagram is shown first, and nothing of where they come from."""
    kind = TYPES[pair.code]
    parts = [
        {
            "key": part.key, "dimension": part.dimension, "name": part.name, "about": part.about,
            "criteria": [
                {"id": c.id, "text": c.text, "instructions": list(c.instructions)}
                for c in criteria.criteria if c.part == part.key
            ],
        }
        for part in PARTS.values()
    ]  # fmt: skip
    return {"type": {"code": kind.code, "name": kind.name, "about": kind.about}, "parts": parts,
            "caption": pair.caption, "paper_text": pair.paper_text}  # fmt: skip


def told(
    pair: DiagramPair,
    criteria: TypeCriteria,
    fingerprint: str,
    seen: ImageFacts,
    orders: Sequence[OrderScores],
    made: PairJudgement,
) -> dict[str, Any]:
    """The content of the column `judgement` of a pair with an S_final; docs/scidiag.md lists its keys."""
    final = made.overall.final
    assert final is not None, "a pair without S_final has no judgement"
    return {
        "diagram_type": pair.code,
        "criteria": fingerprint,
        "weights": {name: round(weight, DIGITS) for name, weight in criteria.weights.items()},
        **_sums(made.overall),
        "direction": direction(final),
        "order_flipped": made.flipped,
        "dimensions": {name: {**_sides(s.total), "relative": s.final} for name, s in made.dimensions.items()},
        "scores": {name: _sides(sides) for name, sides in made.scores.items()},
        "orders": [_order(given, scored) for given, scored in zip(orders, made.orders, strict=True)],
        "contamination": {"hash_distance": seen.hash_distance, "pixel_similarity": seen.pixel_similarity,
                          "flagged": seen.copied},
        "aspect_ratio": {"target": seen.aspect_ratio, "generated": round(seen.shape, 4),
                         "misfit": round(seen.misfit, 4)},
        "image_flags": {"generated": list(seen.generated_flags), "reference": list(seen.reference_flags)},
        "paper_text_cut": pair.cut,
        "instance_id": pair.instance_id,
    }  # fmt: skip


def _order(given: OrderScores, scored: PairScore) -> dict[str, Any]:
    return {
        "first": "generated" if given.generated_first else "reference",
        **_sums(scored),
        "scores": {name: _sides(sides) for name, sides in given.scores.items()},
        "reasons": dict(given.reasons),
    }


def _sums(scored: PairScore) -> dict[str, Any]:
    return {
        "s_gen": round(scored.total.generated, DIGITS),
        "s_ref": round(scored.total.reference, DIGITS),
        "s_final": scored.final,
    }


def _sides(sides: Sides) -> dict[str, Any]:
    return {"generated": round(sides.generated, DIGITS), "reference": round(sides.reference, DIGITS)}
