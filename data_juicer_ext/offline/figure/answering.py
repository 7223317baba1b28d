"""Answers read off a figure: which option its text, layout, colours and arrows support.

Strict by design: whatever the question names must be found in the figure, and one reading must be
left; else there is no answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.figures.ocr import OcrLine, Picture
from data_juicer_ext.offline.figure.arrows import leads_to
from data_juicer_ext.offline.figure.text_layout import FigureLayout, arrange, named_in, number, same_name
from data_juicer_ext.offline.figure.values import values_for
from data_juicer_ext.offline.text.answering import equal
from data_juicer_ext.offline.text.quantities import as_quantity
from data_juicer_ext.offline.text.sentences import content

Options = Sequence[tuple[str, str]]

_MOST = frozenset(
    {"highest", "largest", "greatest", "most", "longest", "higher", "larger", "greater", "more", "longer"}
)
_LEAST = frozenset(
    {"lowest", "smallest", "least", "fewest", "shortest", "lower", "smaller", "less", "fewer", "shorter"}
)
_SEQUENCE = re.compile(
    r"^(?:what|which \w+) (?:does|is) .+ "
    r"(?:feed|feed into|lead to|point to|drive|trigger|activate|directly followed by)\?$"
    r"|^to what (?:does|is) .+ (?:connected|pass|send)\b.*\?$",
    re.I,
)
_DEGREES = "|".join(sorted(_MOST | _LEAST))
_MEASURE = re.compile(
    rf"\b(?:{_DEGREES}) (.+?)(?: (?:at|for|on|in|after|under|during)\b|[?:])"
    rf"|\b(?:is|are|was|were) (.+) (?:{_DEGREES})\?"
)
_DERIVED = re.compile(r"\bthan\b|\btimes\b|fold\b|\bdifference\b|\bratio\b|^by what\b", re.I)
_AXIS = re.compile(r"\bwhat does the (horizontal|vertical|x|y)[- ]axis\b", re.I)


@dataclass(frozen=True)
class FigureAnswer:
    """The letter of the supported option ("" for none) and what was read where."""

    letter: str
    rationale: str


def look(question: str, options: Options, caption: str, pictures: Sequence[Picture]) -> FigureAnswer:
    """Answer `question` from `pictures` (the images of one figure).

    `caption` serves to tell whether the figure is about what is asked; no value is taken from it.
    Several pictures that answer differently give no answer.
    """
    findings = [_look(question, options, caption, arrange(picture)) for picture in _fitting(question, pictures)]
    found = [finding for finding in findings if finding.letter]
    if not found:
        return findings[0] if findings else FigureAnswer("", "None of the images speaks of what is asked.")
    if len({finding.letter for finding in found}) > 1:
        return FigureAnswer("", "The images of the figure support different options.")
    return found[0]


def _fitting(question: str, pictures: Sequence[Picture]) -> list[Picture]:
    """Of several panels those whose axis titles share most words with the question."""
    if len(pictures) < 2:
        return list(pictures)
    asked = content(question)
    shared = [_titles(arrange(picture)) & asked for picture in pictures]
    most = max(len(words) for words in shared)
    best = [picture for picture, words in zip(pictures, shared, strict=True) if len(words) == most]
    # Panels that cannot be told apart leave the question open.
    return best if len(best) == 1 else []


def _titles(layout: FigureLayout) -> frozenset[str]:
    titles = [title.text for title in (layout.column_title, layout.row_title) if title]
    return frozenset().union(*(content(title) for title in titles))


def _look(question: str, options: Options, caption: str, layout: FigureLayout) -> FigureAnswer:
    if not layout.picture.pieces:
        return FigureAnswer("", "No text can be read in the figure.")
    if axis := _AXIS.search(question):
        return _axis(axis.group(1).lower(), options, layout)
    if all(as_quantity(text) for _, text in options):
        return _value(question, options, layout)
    if _SEQUENCE.match(question):
        return _sequence(question, options, layout)
    degree = {word.lower() for word in re.findall(r"[A-Za-z]+", question)} & (_MOST | _LEAST)
    if len(degree) == 1:
        return _extreme(question, options, caption, layout, bool(degree & _MOST))
    return FigureAnswer("", "This kind of question cannot be read off text in a figure.")


def _value(question: str, options: Options, layout: FigureLayout) -> FigureAnswer:
    if _DERIVED.search(question):
        return FigureAnswer("", "The question asks for a comparison of values, not for one value.")
    found, why = values_for(question, layout)
    if len(found) != 1:
        return FigureAnswer("", why if not found else f"{why}: {len(found)} values fit.")
    read = number(found[0]) or as_quantity(found[0].text)
    letters = [letter for letter, text in options if read and (asked := as_quantity(text)) and equal(read, asked)]
    if len(letters) != 1:
        return FigureAnswer("", f'The figure shows "{found[0].text}" there ({why}), which is not among the options.')
    return FigureAnswer(letters[0], f'The figure shows "{found[0].text}" {_where(found[0], layout)} ({why}).')


def _where(piece: OcrLine, layout: FigureLayout) -> str:
    width, height = layout.picture.image.size
    across = ("on the left", "in the middle", "on the right")[min(2, int(3 * piece.x / width))]
    return f"{across}, {('at the top', 'half way down', 'at the bottom')[min(2, int(3 * piece.y / height))]}"


def _extreme(question: str, options: Options, caption: str, layout: FigureLayout, most: bool) -> FigureAnswer:
    about = " ".join([caption, *(piece.text for piece in layout.picture.pieces)])
    compared = _MEASURE.search(question)
    measure = content(compared.group(1) or compared.group(2)) if compared else frozenset()
    if not measure & content(about):
        return FigureAnswer("", "Nothing in the figure says that it shows what is compared.")
    read: list[tuple[float, str, str]] = []
    rest = _rest(question, options)
    for letter, text in options:
        found, why = values_for(rest, layout, option=text)
        value = number(found[0]) if len(found) == 1 else None
        if value is None:
            return FigureAnswer("", f'No single value is found for "{text}" ({why}).')
        read.append((value.value, letter, f"{text}: {found[0].text}"))
    read.sort(reverse=most)
    if read[0][0] == read[1][0]:
        return FigureAnswer("", "Two options have the same value.")
    return FigureAnswer(read[0][1], "The figure shows " + ", ".join(what for _, _, what in read) + ".")


def _rest(question: str, options: Options) -> str:
    """The question without the names of the options, so that each stands for itself."""
    for _, text in options:
        question = re.sub(re.escape(text), " ", question, flags=re.I)
    return question


def _axis(axis: str, options: Options, layout: FigureLayout) -> FigureAnswer:
    title = layout.column_title if axis in ("horizontal", "x") else layout.row_title
    if title is None:
        return FigureAnswer("", f"No title is read along the {axis} axis.")
    read = content(re.sub(r"[(\[].*$", "", title.text))
    fitting = [letter for letter, text in options if content(text) and content(text) <= read | content(title.text)]
    if len(fitting) != 1 or not read:
        return FigureAnswer("", f'The title of the {axis} axis reads "{title.text}", which fits no single option.')
    return FigureAnswer(fitting[0], f'The title along the {axis} axis reads "{title.text}".')


def _sequence(question: str, options: Options, layout: FigureLayout) -> FigureAnswer:
    pieces = layout.picture.pieces
    sources = [piece for piece in pieces if named_in(piece, question)]
    if len(sources) != 1:
        return FigureAnswer("", "The block that the question names is not read once in the figure.")
    fitting = []
    for letter, text in options:
        targets = [piece for piece in pieces if same_name(piece, text)]
        if len(targets) == 1 and targets[0] is not sources[0] and leads_to(layout.picture, sources[0], targets[0]):
            fitting.append((letter, targets[0].text))
    if len(fitting) != 1:
        return FigureAnswer("", f'{len(fitting)} of the options are reached by an arrow from "{sources[0].text}".')
    return FigureAnswer(fitting[0][0], f'An arrow runs from "{sources[0].text}" to "{fitting[0][1]}".')
