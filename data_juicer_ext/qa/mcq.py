"""Multiple-choice questions: read from a model's answer, and refused where they give their source away."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from data_juicer_ext.qa.answer_tags import find_tags, without_thinking
from data_juicer_ext.qa.declined_answers import is_none
from data_juicer_ext.qa.letter_answers import parse_letter
from data_juicer_ext.qa.option_forms import key
from data_juicer_ext.rows import visible

MAX_OPTIONS = 4
_TAGS = ("question", "options", "answer")
_OPTION_LINE = re.compile(
    r"[ \t]{0,8}(?:[-•*+][ \t]+)?[*_]{0,3}\(?([A-Za-z])(?:\)|\.|:|\*{1,2}[.):])[*_]{0,3}"
    r"(?:[ \t]+|(?=[^\s\w]|\d)|\Z)(.*)\Z"
)
_CAPTION_RUN = 8
_CONTEXT_RUN = 12


@dataclass(frozen=True)
class MCQ:
    """A question, its 2 to 4 options without letters, and the letter of the right one."""

    question: str
    options: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class MCQParse:
    """A question read, None (the claim was too vague), or what was wrong, as a repair prompt says it."""

    kind: Literal["mcq", "none", "unparsable"]
    mcq: MCQ | None
    problem: str = ""


def parse_mcq(text: str) -> MCQParse:
    """Read <question>, <options> (lines "A. ...") and <answer>, or None.

    2 to 4 distinct options that are not empty, their letters consecutive from A, one of them the
    answer. A missing closing tag is tolerated.
    """
    shown = re.sub(r"^[ \t]*```\w{0,12}[ \t]*$", "", visible(without_thinking(text)), flags=re.M)
    tags = find_tags(shown, _TAGS)
    parts: dict[str, str] = {}
    for tag in tags:
        if tag.name in parts and tag.name == "question":
            break
        parts.setdefault(tag.name, tag.content(shown).strip())
    if not parts:
        first = next((line for line in shown.split("\n") if line.strip()), "")
        if is_none(first.strip("*`_ .<>/")):
            return MCQParse("none", None)
    elif is_none(parts.get("question", "").strip("*`_ ")):
        return MCQParse("none", None)
    missing = [name for name in _TAGS if not parts.get(name)]
    return _wrong(f"<{missing[0]}> is missing or empty") if missing else _assembled(parts)


def _wrong(problem: str) -> MCQParse:
    return MCQParse("unparsable", None, problem)


def _assembled(parts: dict[str, str]) -> MCQParse:
    question = _one_line(re.sub(r"\A[*_\s]{0,4}question[*_]{0,2}\s?:[*_\s]{0,4}", "", parts["question"], flags=re.I))
    if not re.search(r"\w", question):
        return _wrong("<question> is missing or empty")
    options, problem = _options(parts["options"])
    if problem:
        return _wrong(problem)
    parse = parse_letter(f"<option>{parts['answer']}</option>", options)
    if parse.kind != "letter":
        last = chr(64 + len(options))
        return _wrong(f"<answer> must hold exactly one letter from A to {last}, it holds {parts['answer'][:60]!r}")
    return MCQParse("mcq", MCQ(question, tuple(options), parse.letters[0]))


def _options(block: str) -> tuple[list[str], str]:
    letters, texts = list[str](), list[list[str]]()
    for line in _lines(block):
        match = _OPTION_LINE.match(line)
        if match:
            letters.append(match.group(1).upper())
            texts.append([match.group(2)])
        elif texts and line.strip():
            texts[-1].append(line)
    options = [_one_line(" ".join(parts)) for parts in texts]
    return options, _options_problem(letters, options)


def _lines(block: str) -> list[str]:
    """The lines of an options block; options that share one line ("A. x B. y") are put apart."""
    lines = block.split("\n")
    if sum(bool(line.strip()) for line in lines) > 1:
        return lines
    pieces, letter, start = list[str](), "A", 0
    for match in re.finditer(r"(?:\A|[\s,;/|])\(?([A-Z])[.):]\s", block):
        if match.group(1) == letter:
            pieces.append(block[start : match.start()])
            letter, start = chr(ord(letter) + 1), match.start()
    return [re.sub(r"\A[\s,;/|]+|[\s,;/|]+\Z", "", piece) for piece in [*pieces, block[start:]]]


def _options_problem(letters: Sequence[str], options: Sequence[str]) -> str:
    if not 2 <= len(options) <= MAX_OPTIONS:
        return f"<options> must hold 2 to {MAX_OPTIONS} lines such as 'A. text', it holds {len(options)}"
    expected = [chr(65 + index) for index in range(len(options))]
    if list(letters) != expected:
        return f"the options must be lettered {', '.join(expected)}, they are {', '.join(letters)}"
    for index, option in enumerate(options):
        if not key(option):
            return f"option {expected[index]} is empty"
        twin = next((i for i in range(index) if key(options[i], fold=False) == key(option, fold=False)), None)
        if twin is not None:
            return f"options {expected[twin]} and {expected[index]} are the same"
    return ""


def _one_line(text: str) -> str:
    return " ".join(text.replace("**", " ").split()).strip("` ")


_SOURCE = r"(?:description|caption|text|paragraph|section|passage|context|paper|author|article|claim|source|excerpt)s?"
_NAMES_SOURCE = re.compile(
    r"\b(?:according\sto|based\son|as\sper|per|given|following|judging\sby)\s(?:the\s|this\s|its\s)?"
    rf"(?:\w{{1,12}}['’]?s?\s){{0,2}}?{_SOURCE}\b"
    r"(?!\s(?:label|box|annotation|window|length|size|column|field))"
    rf"|\b(?:described|stated|mentioned|noted|discussed|reported|explained|said|written|claimed|provided)\s(?:in|by)\s"
    rf"(?:the|this|its)\s(?:\w{{1,12}}['’]?s?\s){{0,2}}?{_SOURCE}\b"
    rf"|\b(?:the|this|its)\s(?:\w{{1,12}}['’]?s?\s)?{_SOURCE}\s(?:says?|states?|stated|mentions?|mentioned|notes?|claims?"
    r"|describes?|explains?|argues?|reports?)\b",
    re.I,
)
_REFERENCE = re.compile(r"\\(?:[a-zA-Z]{0,10}ref|label|cite[a-zA-Z]{0,4})\*?\s?\{")


def leak_problem(mcq: MCQ, label: str, labels: Sequence[str], caption: str, context: str) -> str:
    """ "" if the question stands by itself, else "<reason>: <what it gives away>".

    Reasons: quotes_label, latex_reference, names_source ("according to the caption"), quotes_caption
    (the whole caption or 8 words of it in a row), quotes_text (12 words of a citing paragraph).
    """
    shown = [mcq.question, *mcq.options]
    for name in dict.fromkeys([label, *labels]):
        if any(_quotes_label(text, name) for text in shown):
            return f"quotes_label: the figure's label {name!r} stands in the question or its options"
    if any(map(_REFERENCE.search, shown)):
        return "latex_reference: a LaTeX reference command stands in the question or its options"
    named = next(filter(None, map(_NAMES_SOURCE.search, shown)), None)
    if named:
        return f"names_source: {named.group()!r} speaks of a text that the reader does not see"
    whole, words = _words(caption), [_words(text) for text in shown]
    for run, source, reason, what in (
        (min(_CAPTION_RUN, max(5, len(whole))), whole, "quotes_caption", "the caption"),
        (_CONTEXT_RUN, _words(context), "quotes_text", "the paper's text"),
    ):
        quote = next((found for text in words if (found := _shared_run(text, source, run))), "")
        if quote:
            return f"{reason}: {quote!r} is word for word from {what}"
    return ""


def _quotes_label(text: str, label: str) -> bool:
    """Whether a label stands in `text`; one that is a plain word ("results") only counts in quotes."""
    if len(label) < 2:
        return False
    plain = label.isalpha()
    around = r"[\"'`{“]" if plain else r"(?<![\w:])"
    after = r"[\"'`}”]" if plain else r"(?![\w:])"
    return re.search(around + re.escape(label) + after, text, re.I) is not None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _shared_run(words: Sequence[str], source: Sequence[str], run: int) -> str:
    runs = {tuple(source[i : i + run]) for i in range(len(source) - run + 1)}
    found = (tuple(words[i : i + run]) for i in range(len(words) - run + 1))
    return " ".join(next((part for part in found if part in runs), ()))
