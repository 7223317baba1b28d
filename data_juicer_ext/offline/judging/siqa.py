"""SIQA by rules: a baseline, no judgement. It knows what `siqa_facts` can tell of an image, and abstains otherwise.

- Descriptions: what the checks of the dimension say where they hold, and where they do not.
- Yes/No: the first check that fails, else the first that holds. Turned around by exchanging a word for its opposite.
- What: the highest number along an axis, what an axis shows, a text that stands in the image, the unit of an axis.
- How: by the OCR confidence, and by how many axes have a title, or a unit in it. Never how valid an image is.
- Perception from Good: two levels down for blurred edges, one for an OCR confidence below 0.85, one more below 0.7,
  one up from 0.95. Knowledge: by the share of the checks of validity and completeness that hold.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data_juicer_ext.models.types import Failure
from data_juicer_ext.offline.judging.siqa_facts import (
    CHECKS,
    AxisName,
    FigureFacts,
    gather,
    known,
    ticks,
    title,
    turned_around,
    unit,
)
from data_juicer_ext.offline.text.sentences import content
from data_juicer_ext.rows import seeded

_AXES: tuple[AxisName, AxisName] = ("horizontal", "vertical")
_QUANTITIES = ("Temperature", "Elapsed time", "Mass", "Voltage", "Number of samples", "Angle", "Pressure", "Depth")
_UNITS = ("mm", "s", "%", "kg", "K", "V", "Pa", "mol/L")
_TEXTS = ("Control group", "Reference line", "Threshold", "Baseline", "Upper limit", "Residual", "Sample size", "Noise")
_SURE_LETTERS = 4  # of a piece of text that a question asks for
_LEVEL_NAMES = ("Bad", "Poor", "Fair", "Good", "Excellent")

SiqaQuestion = tuple[str, str, Sequence[str]]
"""A question, the right option, and the wrong ones."""


def _describe(fields: Mapping[str, Any], evidence: FigureFacts) -> str:
    [dimension] = fields["dimensions"]
    checks = [check for check in CHECKS if check.dimension == dimension]
    good, bad = " ".join(check.good for check in checks), " ".join(check.bad for check in checks)
    return f"<good>{good}</good>\n<bad>{bad}</bad>"


def _ask(fields: Mapping[str, Any], evidence: FigureFacts) -> str:
    [dimension] = fields["dimensions"]
    if fields["question_type"] == "yes_no":
        decided = sorted(known(evidence, dimension), key=lambda pair: pair[1])
        asked = [(check.question, "Yes" if holds else "No") for check, holds in decided]
        return f"<question>{asked[0][0]}</question>\n<answer>{asked[0][1]}</answer>" if asked else "None"
    if fields["question_type"] == "how":
        graded = _how(dimension, evidence)
        return f"<question>{graded[0]}</question>\n<answer>{graded[1]}</answer>" if graded else "None"
    what = _what(dimension, evidence)
    if what is None:
        return "None"
    question, right, wrong = what
    options = sorted((right, *wrong), key=lambda option: seeded(question, option))
    lines = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
    answer = "ABCD"[options.index(right)]
    return f"<question>{question}</question>\n<options>\n{lines}\n</options>\n<answer>{answer}</answer>"


def _what(dimension: str, evidence: FigureFacts) -> SiqaQuestion | None:
    if dimension == "cognitive_clarity":
        return _text_asked(evidence)
    if evidence.plot is None:
        return None
    for axis in _AXES:
        written = title(evidence.plot, axis)
        if dimension == "scientific_validity":
            numbers = list(dict.fromkeys(piece.text for piece in ticks(evidence.plot, axis)))
            if len(numbers) > 3:
                others = sorted(numbers[:-1], key=lambda text: seeded(written, text))[:3]
                return f"Which number is the highest along the {axis} axis?", numbers[-1], others
        elif dimension == "scientific_completeness" and content(written):
            others = [name for name in _QUANTITIES if not content(name) & content(written)]
            named = written.rpartition(f"({unit(written)})")[0].strip() or written
            return f"What does the {axis} axis show?", named, others[:3]
        elif dimension == "disciplinary_conformity" and unit(written):
            others = [name for name in _UNITS if name not in written]
            return f"Which unit does the title of the {axis} axis name?", unit(written), others[:3]
    return None


def _text_asked(evidence: FigureFacts) -> SiqaQuestion | None:
    """Which of four texts stands in the image: the longest that was surely read, and three that are nowhere in it."""
    pieces = [piece for layout in evidence.layouts for piece in layout.picture.pieces]
    sure = [
        piece.text for piece in pieces if piece.score >= 0.95 and sum(map(str.isalpha, piece.text)) >= _SURE_LETTERS
    ]
    there = " ".join(piece.text for piece in pieces).lower()
    others = [text for text in _TEXTS if text.lower() not in there]
    if not sure or len(others) < 3:
        return None
    return "Which of these texts stands in the image?", max(sure, key=lambda text: (len(text), text)), others[:3]


def _how(dimension: str, evidence: FigureFacts) -> tuple[str, str] | None:
    confidence = evidence.features.get("ocr_mean_confidence")
    if dimension == "cognitive_clarity" and confidence is not None:
        level = next(name for least, name in ((0.95, "Excellent"), (0.85, "Good"), (0.7, "Fair"), (0.0, "Poor"))
                     if confidence >= least)  # fmt: skip
        return "How well can the text in the image be read?", level
    asked = {"scientific_completeness": "How completely are the axes of the image titled?",
             "disciplinary_conformity": "How well do the titles of the axes name their units?"}  # fmt: skip
    decided = [holds for _, holds in known(evidence, dimension)]
    if dimension not in asked or not decided:
        return None
    return asked[dimension], "Excellent" if all(decided) else "Fair" if any(decided) else "Poor"


def _rate(fields: Mapping[str, Any], evidence: FigureFacts) -> str:
    value = _perception(evidence) if fields["aspect"] == "perception" else _knowledge(evidence)
    return "None" if value is None else _LEVEL_NAMES[value - 1]


def _perception(evidence: FigureFacts) -> int | None:
    sharp = [holds for check, holds in known(evidence, "cognitive_clarity") if "sharp" in check.question]
    if not sharp:
        return None
    confidence = evidence.features.get("ocr_mean_confidence")
    read = 0 if confidence is None else (confidence >= 0.95) - (confidence < 0.85) - (confidence < 0.7)
    return max(1, min(5, 4 - 2 * (not sharp[0]) + read))


def _knowledge(evidence: FigureFacts) -> int | None:
    decided = [holds for _, holds in known(evidence, "scientific_validity", "scientific_completeness")]
    if not decided:
        return None
    share = sum(decided) / len(decided)
    return 5 if share == 1 else 4 if share >= 0.75 else 3 if share >= 0.5 else 2 if share else 1


def _negate(fields: Mapping[str, Any]) -> str:
    turned = turned_around(str(fields["question"]))
    return f"<question>{turned}</question>" if turned else "None"


def answer_question(question: str, options: Sequence[str], images: Sequence[str]) -> tuple[str, str] | None:
    """The letter ("" for none) and the reason for a question of the kinds that are asked here; None for any other.

    Raises FeatureError for an image that can't be read.
    """
    evidence: FigureFacts | None = None
    for check in CHECKS:
        if question in (check.question, turned_around(check.question)):
            evidence = evidence or gather(images)
            holds = check.holds(evidence)
            if holds is None:
                return "", "The image does not show what is asked."
            right = "Yes" if holds == (question == check.question) else "No"
            return _letter(right, options), check.good if holds else check.bad
    if not question.startswith(("Which", "What does", "How")):
        return None
    evidence = gather(images)
    for dimension in dict.fromkeys(check.dimension for check in CHECKS):
        for asked in (_what(dimension, evidence), _how(dimension, evidence)):
            if asked is not None and asked[0] == question:
                return _letter(asked[1], options), f'Read off the image: "{asked[1]}".'
    return None


def _letter(right: str, options: Sequence[str]) -> str:
    return next((chr(65 + place) for place, option in enumerate(options) if option == right), "")


_RULES: dict[str, Callable[[Mapping[str, Any], FigureFacts], str]] = {
    "siqa/description": _describe,
    "siqa/mcq": _ask,
    "siqa/rating": _rate,
}


def _looking(task: str) -> Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]:
    rule = _RULES[task]

    def answer(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
        from data_juicer_ext.figures.features.figure_features import FeatureError

        if not images:
            return Failure("bad_image", "the request has no image", False)
        try:
            return rule(fields, gather(images))
        except FeatureError as error:
            return Failure("bad_image", str(error), False)

    return answer


SIQA_TASKS: dict[str, Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]] = {
    **{task: _looking(task) for task in _RULES},
    "siqa/negation": lambda fields, images: _negate(fields),
}
"""The tasks of `prompts/siqa/` with the function that answers each, in the form that its prompt asks for."""
