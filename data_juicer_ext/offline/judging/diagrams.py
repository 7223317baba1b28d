"""Diagrams judged and sorted by rules: a baseline, no judgement. It sees text and where it stands, not what it means.

Each image is measured by itself, so its scores are the same whichever is shown first. By part of the dimensions:

- VOL from 8: -2 for each two labels that lie on each other, -6 at most; -2 where all labels stand in a third of the
  image or less.
- LA: 5, since order and direction can't be measured.
- VER from 9: -1, -2 or -4 the less sure OCR is of the labels; -2 for two labels on each other; 0 without a label.
- CA: up to 10, the share of the diagram's words that caption and text hold, times how many of them it shows, where 12
  different ones are worth 6 of 10, 30 and more hardly less than 10.
- Aesthetics from 7: -2 for two labels on each other; -1 where the letters differ much in height.

The type of a diagram is told by words of its caption; where none helps, no type is named.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from data_juicer_ext.figures.ocr import OcrLine, OcrMissingError, Picture, UnreadableImageError, read_picture
from data_juicer_ext.models.types import Failure
from data_juicer_ext.offline.judging.diagram_drafts import draft_criteria, draft_weights, general_preferences
from data_juicer_ext.offline.text.sentences import stem, words

_OVERLAP = 0.15  # of the smaller label's box: lines of one label touch each other by less
_LEAST_SPREAD = 1 / 3  # of the image, as the box around all labels covers it
_UNEVEN = 2.2  # the tallest letters, in the lowest
_ENOUGH_WORDS = 13.0  # words of the text that a diagram shows: so many are worth 63 %
_LEAST_WORD = 3  # letters; OCR takes arrow heads for single ones


@dataclass(frozen=True)
class Measured:
    """What OCR tells of a diagram: stems of its words, pairs of labels on each other, mean confidence (0 to 1, 0
    without a label), the share of the image inside the box around all labels, tallest letters in the lowest."""

    stems: frozenset[str]
    overlaps: int
    confidence: float
    spread: float
    unevenness: float


def measured(path: str) -> Measured:
    """A diagram as OCR reads it. Raises UnreadableImageError, OcrMissingError."""
    picture = read_picture(path, least_score=0.0)
    labels = [piece for piece in picture.pieces if _stems(piece.text)]
    heights = [label.height for label in labels]
    return Measured(
        stems=frozenset(found for label in labels for found in _stems(label.text)),
        overlaps=sum(_on_each_other(first, second) for first, second in combinations(labels, 2)),
        confidence=fmean(label.score for label in labels) if labels else 0.0,
        spread=_spread(labels, picture),
        unevenness=max(heights) / max(1.0, min(heights)) if heights else 1.0,
    )


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if len(word) >= _LEAST_WORD or (word.isdigit() and len(word) > 1)}


def _on_each_other(first: OcrLine, second: OcrLine) -> bool:
    across = min(first.right, second.right) - max(first.left, second.left)
    down = min(first.bottom, second.bottom) - max(first.top, second.top)
    if across <= 0 or down <= 0:
        return False
    areas = [(piece.right - piece.left) * (piece.bottom - piece.top) for piece in (first, second)]
    return across * down > _OVERLAP * min(areas)


def _spread(labels: list[OcrLine], picture: Picture) -> float:
    if not labels:
        return 0.0
    width = max(label.right for label in labels) - min(label.left for label in labels)
    height = max(label.bottom for label in labels) - min(label.top for label in labels)
    return min(1.0, width * height / (picture.image.width * picture.image.height))


def _layout(seen: Measured, known: frozenset[str]) -> tuple[float, str]:
    score, why = 8.0, []
    if seen.overlaps:
        score, why = score - min(6.0, 2.0 * seen.overlaps), [f"{seen.overlaps} pairs of labels lie on each other"]
    if seen.spread < _LEAST_SPREAD:
        score, why = score - 2, [*why, f"all labels stand in {seen.spread:.0%} of the image"]
    return score, "; ".join(why)


def _logic(seen: Measured, known: frozenset[str]) -> tuple[float, str]:
    return 5.0, "order and direction are not measured"


def _elements(seen: Measured, known: frozenset[str]) -> tuple[float, str]:
    if not seen.stems:
        return 0.0, "no label can be read"
    minus = (
        0.0 if seen.confidence >= 0.97 else 1.0 if seen.confidence >= 0.9 else 2.0 if seen.confidence >= 0.8 else 4.0
    )
    told = f"mean OCR confidence {seen.confidence:.2f}"
    return 9 - minus - 2.0 * bool(seen.overlaps), told + ("; labels lie on each other" if seen.overlaps else "")


def _content(seen: Measured, known: frozenset[str]) -> tuple[float, str]:
    if not seen.stems:
        return 0.0, "no word can be read"
    shared = len(seen.stems & known)
    share = shared / len(seen.stems)
    told = f"{shared} of its {len(seen.stems)} different words stand in caption or text"
    return 10 * share * (1 - math.exp(-shared / _ENOUGH_WORDS)), told


def _finish(seen: Measured, known: frozenset[str]) -> tuple[float, str]:
    uneven = seen.unevenness > _UNEVEN
    told = ["labels lie on each other"] * bool(seen.overlaps) + ["letters differ much in height"] * uneven
    return 7.0 - 2 * bool(seen.overlaps) - uneven, "; ".join(told)


_RULES: dict[str, Callable[[Measured, frozenset[str]], tuple[float, str]]] = {
    "VOL": _layout,
    "LA": _logic,
    "VER": _elements,
    "CA": _content,
    "Aesthetics": _finish,
}


def _judge(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    if len(images) != 2:
        return Failure("bad_image", f"two images are needed, the request has {len(images)}", False)
    known = frozenset(_stems(f"{fields['caption']} {fields['paper_text']}"))
    first, second = (measured(image) for image in images)
    scores = {}
    for part in fields["parts"]:
        one, other = (_RULES[part["key"]](seen, known) for seen in (first, second))
        reason = f"by rule: {one[1] or 'nothing measured speaks against it'} | {other[1] or 'nothing either'}"
        for criterion in part["criteria"]:
            scores[criterion["id"]] = {"first": _rounded(one[0]), "second": _rounded(other[0]), "reason": reason}
    return json.dumps(scores, ensure_ascii=False)


def _rounded(score: float) -> float:
    return round(2 * max(0.0, min(10.0, score))) / 2


# The first that fits names the class: the narrow ones come first.
_TYPE_WORDS = tuple(
    (code, re.compile(pattern, re.I))
    for code, pattern in (
        ("table", r"\Atable\b"),
        ("photo", r"\b(?:photo(?:graph)?s?|micrographs?|X-ray|MRI|CT scan)\b"),
        ("data_map", r"\bmaps? of\b"),
        ("chemistry", r"\b(?:reaction scheme|structural formulas?|chemical structures?)\b"),
        ("cad", r"\b(?:CAD|engineering drawing|exploded view)\b"),
        ("math_physics", r"\b(?:phase portrait|field lines|ray diagram|level sets?)\b"),
        ("plot", r"\Aplots?\b|\b(?:(?:bar|pie) charts?|(?:box|line|scatter|violin) ?plots?|histograms?|curves?)\b"),
        ("plot", r"\b(?:heat ?maps?|as a function of|versus)\b"),
        ("GA", r"\b(?:graphical abstract|at a glance)\b"),
        ("TL", r"\b(?:timeline|chronology|milestones|history of)\b"),
        ("LD", r"\b(?:dendrogram|phylogen\w*|lineages?|descent|clades?|family tree)\b"),
        ("PE", r"\b(?:phases of|stages of|evolution of)\b"),
        ("ESD", r"\b(?:experimental set-?up|set-?up|apparatus|test bench)\b"),
        ("TR", r"\b(?:roadmap|workflow|protocol|steps of|procedure|flow ?chart)\b"),
        ("CSA", r"\b(?:system architecture|hardware|servers?|deployment|network of|components of the system)\b"),
        ("MD", r"\b(?:mechanism|pathway|signalling|signaling|causes?|chain of)\b"),
        ("IC", r"\b(?:worked|examples?|case study)\b"),
        ("CF", r"\b(?:conceptual|constructs?|theoretical|hypotheses)\b"),
        ("AF", r"\b(?:pipeline|framework|method|model|algorithm|architecture|overview)\b"),
    )
)


def _sort(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    caption = str(fields["caption"])
    for code, pattern in _TYPE_WORDS:
        if match := pattern.search(caption):
            return json.dumps({"class": code, "reason": f"by rule: the caption says {match.group()!r}"})
    return json.dumps({"class": "", "reason": "by rule: no word of the caption tells"})


def _prefer(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    seen = [measured(image) for image in images]
    facts = [
        {"overlaps": -s.overlaps, "spread": s.spread, "confidence": s.confidence, "words": len(s.stems)} for s in seen
    ]
    return general_preferences(fields, facts)


Task = Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]


def _reading(task: Task) -> Task:
    def answer(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
        try:
            return task(fields, images)
        except UnreadableImageError as error:
            return Failure("bad_image", str(error), False)
        except OcrMissingError as error:
            return Failure("internal", str(error), False)

    return answer


DIAGRAM_TASKS: dict[str, Task] = {
    "scidiag/judge": _reading(_judge),
    "scidiag/type": _sort,
    "scidiag/criteria": draft_criteria,
    "scidiag/weights": draft_weights,
    "scidiag/preferences": _reading(_prefer),
}
"""The tasks of `prompts/scidiag/` with the function that answers each, as JSON text."""
