"""Classes and answers by rules: a baseline, no judgement.

- Figure type: the types whose words stand in the caption ("histogram", "scatter", "pipeline"). One is the type;
  several are a Composite where the caption names panels ("(b)"), else the first named counts. Without any: an image
  with little white and little text is a Photo, one with four numbers in it a Line Plot, one with other text a Diagram,
  and the rest Other.
- Question type: the first that fits of counting parts (Structural), counting and computing (Compositional), degrees
  (Comparative), trends (Relational), parts and order (Structural); else Descriptive.
- Image category: the one whose name and description share most words with the caption, and with words that go with
  the figure's type; of equals the first listed.
- Answers: by what `siqa_facts` tells of an image, where that is asked; else read off the figure by its text, as in
  the vision vote; without the figure, from the caption.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from data_juicer_ext.annotation.figure_types import COMPOSITE, OTHER
from data_juicer_ext.figures.ocr import OcrMissingError, Picture, UnreadableImageError, read_picture
from data_juicer_ext.models.types import Failure
from data_juicer_ext.offline.figure.answering import look
from data_juicer_ext.offline.judging.siqa import answer_question
from data_juicer_ext.offline.text.answering import best_options
from data_juicer_ext.offline.text.clauses import clauses_of
from data_juicer_ext.offline.text.sentences import content, readable

Images = tuple[str, ...]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LITTLE_WHITE, _LITTLE_TEXT, _NUMBERS = 0.25, 3, 4
_WORDS_OF = {
    "Bar Chart": r"\bbar\s?(?:charts?|plots?|graphs?)|\bbars\b|\bhistograms?",
    "Pie Chart": r"\bpie\s?(?:charts?|plots?)|\bdonuts?\b",
    "Scatter Plot": r"\bscatter|t-SNE|\bUMAP\b|\bstem plots?",
    "Box Plot": r"\bbox\s?plots?|\bboxplots?|\bviolin|\bwhiskers\b|\bquartiles?",
    "Heatmap": r"\bheat\s?-?maps?|\bconfusion matri|\battention maps?|\bcontours?\b|\bdensity maps?"
    r"|\bcorrelation matri",
    "Graph": r"\b(?:social|citation|knowledge|random) (?:graphs?|networks?)|\bvertices\b|\bnodes and edges"
    r"|\bsearch tree",
    "Diagram": r"\barchitectures?|\bpipelines?|\bflow\s?-?charts?|\bschematic|\bblock diagrams?|\bworkflows?"
    r"|\bset-?up\b|\boverview of\b|\bframework\b",
    "Photo": r"\bphoto(?:s|graphs?)?\b|\bpictures? of\b|\bphotographed",
    "Illustration": r"\billustrations?\b|\bartist|\brender(?:ed|ing)|\bdrawings?\b|\bsketch",
    "Line Plot": r"\bcurves?\b|\bover (?:time|epochs?|steps|iterations?)|\btime series|\blines?\b|\bas a function of"
    r"|\bversus\b|\bvs\.",
}
_TYPES = {name: re.compile(words, re.I) for name, words in _WORDS_OF.items()}
_PANELS = re.compile(r"\((?:b|ii)\)|\bright(?: panel)?:", re.I)
_QUESTIONS = [
    (name, re.compile(words, re.I))
    for name, words in (
        ("Structural", r"\bhow many (?:stages?|layers?|steps?|components?|blocks?|modules?)\b"),
        ("Compositional", r"\bhow many\b|\btotal\b|\bsum\b|\baverage\b|\bdifference\b|\bratio\b|\bby how much\b"
                          r"|\bby what (?:factor|percent|share)|\btimes (?:as|more|higher|larger)|\bcombined\b"),
        ("Comparative", r"\bthan\b|\b(?:high|low|larg|small|great|fast|slow|short|long|strong|weak)(?:er|est)\b"
                        r"|\b(?:best|worst|most|least|better|worse|more|less|fewer)\b"),
        ("Relational", r"\btrend|\bcorrelat|\brelation|\b(?:increase|decrease|rise|fall|grow|drop|converge|vary"
                       r"|change)s?\b|\bhow does\b|\bdepends?\b|\bpattern|\bbehaviou?r"),
        ("Structural", r"\b(?:component|stage|layer|module|block|step|architecture|pipeline)s?\b|\bfeeds?\b"
                       r"|\bfollows?\b|\bleads? to\b|\bconnected\b|\bpass(?:es)?\b|\bprecedes?\b"),
    )
]  # fmt: skip
_GO_WITH = {
    "Diagram": "system built technical workflows apparatus", "Graph": "graphs mathematical mathematics",
    "Photo": "pictures cameras imaging instrument", "Illustration": "drawn illustration pictures",
    "Heatmap": "data plot maps cells", OTHER: "", COMPOSITE: "data plot",
}  # fmt: skip


def _pictures(images: Images) -> list[Picture]:
    try:
        return [read_picture(image) for image in images]
    except OcrMissingError:
        from data_juicer_ext.figures.image_preparation import plain_image

        return [Picture(plain_image(image).convert("RGB"), ()) for image in images]


def _types_named(caption: str) -> list[str]:
    """The types whose words stand in a caption, in the order in which they are named."""
    found = {name: match.start() for name, words in _TYPES.items() if (match := words.search(caption))}
    return sorted(found, key=lambda name: found[name])


def _type_by_rule(caption: str, images: Images) -> tuple[str, list[str]]:
    named = _types_named(caption)
    if len(named) > 1 and _PANELS.search(caption):
        return COMPOSITE, named
    seen = named[0] if named else _type_by_look(_pictures(images))
    return seen, [seen]


def _type_by_look(pictures: list[Picture]) -> str:
    from data_juicer_ext.figures.features.pixels import pixel_features

    pieces = [piece.text for picture in pictures for piece in picture.pieces]
    white = pixel_features([picture.image for picture in pictures]).whitespace_share
    if white < _LITTLE_WHITE and len(pieces) < _LITTLE_TEXT:
        return "Photo"
    numbers = sum(bool(re.fullmatch(r"[-−+]?[\d.,]+(?:e[-+]?\d+)?%?", text.strip())) for text in pieces)
    return "Line Plot" if numbers >= _NUMBERS else "Diagram" if pieces else OTHER


def _figure_type(fields: Mapping[str, Any], images: Images) -> str:
    name, panels = _type_by_rule(readable(str(fields["caption"])), images)
    return f"<panels>{', '.join(panels)}</panels>\n<type>{name}</type>"


def _question_type(fields: Mapping[str, Any], images: Images) -> str:
    question = str(fields["question"])
    name = next((name for name, words in _QUESTIONS if words.search(question)), "Descriptive")
    return json.dumps({"primary_type": name})


def _image_category(fields: Mapping[str, Any], images: Images) -> str:
    caption = readable(str(fields["caption"]))
    name, _ = _type_by_rule(caption, images)
    said, goes_with = content(caption), content(_GO_WITH.get(name, "data plot curves bars points"))

    def score(category: Mapping[str, str]) -> int:
        words = content(f"{category['name']} {category['description']}")
        return 2 * len(words & said) + len(words & goes_with)

    best = max(fields["categories"], key=score)
    return f"<category>{best['name']}</category>"


def _read_off(fields: Mapping[str, Any], images: Images) -> tuple[str, str]:
    options = list(zip(_LETTERS, map(str, fields["options"]), strict=False))
    caption = str(fields["caption"])
    if not images:
        letters, why = best_options(str(fields["question"]), options, clauses_of([caption] if caption else []))
        return (letters[0] if len(letters) == 1 else ""), why
    told = answer_question(str(fields["question"]), [option for _, option in options], images)
    if told is not None and told[0]:
        return told
    finding = look(str(fields["question"]), options, readable(caption), _pictures(images))
    return told if told is not None and not finding.letter else (finding.letter, finding.rationale)


def _label(fields: Mapping[str, Any], images: Images) -> str:
    letter, why = _read_off(fields, images)
    return f"<rationale>{why}</rationale>\n<option>{letter or 'None'}</option>"


def _answer(fields: Mapping[str, Any], images: Images) -> str:
    return _read_off(fields, images)[0] or "None"


_RULES: dict[str, tuple[Callable[[Mapping[str, Any], Images], str], bool]] = {
    "annotation/figure_type": (_figure_type, True),
    "annotation/question_type": (_question_type, False),
    "annotation/image_category": (_image_category, True),
    "annotation/label_vote": (_label, True),
    "annotation/answer": (_answer, False),
}


def _answering(task: str) -> Callable[[Mapping[str, Any], Images], str | Failure]:
    rule, sees = _RULES[task]

    def answer(fields: Mapping[str, Any], images: Images) -> str | Failure:
        from data_juicer_ext.figures.features.figure_features import FeatureError
        from data_juicer_ext.figures.image_preparation import ImageError

        if (sees or fields.get("with_image")) and not images:
            return Failure("bad_image", "the request has no image", False)
        try:
            return rule(fields, images)
        except (UnreadableImageError, ImageError, FeatureError) as error:
            return Failure("bad_image", str(error), False)

    return answer


ANNOTATION_TASKS = {task: _answering(task) for task in _RULES}
"""The tasks of `prompts/annotation/` with the function that answers each, in the form that its prompt asks for."""
