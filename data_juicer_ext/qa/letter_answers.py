"""What a model answered to a multiple-choice question, read from its text.

Only an answer cue makes a letter: the tag that the prompt asks for, a box, a line of its own, or prose
that announces an answer. Anything else is no answer, however many letters stand in it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from data_juicer_ext.qa.answer_cues import Reading, find_readings
from data_juicer_ext.qa.answer_tags import Tag, blank, find_tags, without_thinking
from data_juicer_ext.qa.declined_answers import declines, is_none
from data_juicer_ext.qa.option_forms import joined_letters, lead, letters_only, matching, unwrap

PARSER_VERSION = "1"

_REASONING = ("rationale", "analysis", "reasoning", "explanation")
_OPTION = ("option",)
_OTHER_TAGS = ("answer", "final_answer", "choice", "selected_option", "final")
_HTML = re.compile(r"</?(?:b|i|u|p|em|strong|code|span|br|center)\s?/?>|```[a-z]{0,10}|&nbsp;")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x3002: 0x2E, 0xA0: 0x20}
_ANNOUNCEMENT = re.compile(r"(?:the\s)?(?:selected|final|correct)\s(?:answer|option)(?:\sis)?", re.I)
# Lines that only repeat the options of the question ("A. ...", "B. ...") choose none of them.
_LISTED_OPTION = re.compile(r"[\s*_>-]{0,8}\(?([A-Z])[.):][*_]{0,3}\s")
_BOX = re.compile(r"\\(?:boxed|fbox)\s{0,2}\{")


@dataclass(frozen=True)
class LetterParse:
    """How an answer was read.

    `kind`: "letter" (exactly one), "several", "none" (the word None), "declined" (in the model's own
    words) or "unparsable". `letters` are upper case, in the order named. `span` is the half-open
    range of the answer's text that it was read from ((0, 0) if from nothing), `quote` that text.
    """

    kind: Literal["letter", "several", "none", "declined", "unparsable"]
    letters: tuple[str, ...]
    span: tuple[int, int]
    quote: str


def parse_letter(text: str, options: Sequence[str]) -> LetterParse:
    """Read which of `options` (texts without letters, at most 26) the answer `text` chooses.

    Tags win over boxes, boxes over prose; reasoning inside its tags counts only where nothing stands
    outside them, thinking never. Linear in the length of `text`, never raises.
    """
    options = list(options)[:26]
    visible = without_thinking(text).translate(_FULL_WIDTH)
    visible = _HTML.sub(lambda match: " " * len(match.group()), visible)
    outside = blank(visible, _reasoning_spans(visible))
    for part, whole in ((outside, True), (visible, False)):
        for level in (_from_tags, _from_boxes, _from_prose if whole else _from_cues):
            parse = level(text, part, options)
            if parse is not None:
                return parse
        span = declines(part) if whole else None
        if span is not None:
            return _made(text, "declined", (), span)
    return LetterParse("unparsable", (), (0, 0), "")


def parse_rationale(text: str) -> str:
    """Why the model chose: what stands in its rationale tags, else the text without the answer's tag."""
    visible = without_thinking(text)
    spans = [tag for tag in find_tags(visible, _REASONING) if tag.content(visible).strip()]
    if spans:
        start, end = spans[0].start, _reasoning_end(visible, spans[0])
        return re.sub(r"\n{3,}", "\n\n", visible[start:end]).strip()
    answers = [(tag.outer_start, tag.outer_end) for tag in find_tags(visible, _OPTION + _OTHER_TAGS) if tag.closed]
    rest = blank(visible, answers)
    lines = [line.rstrip() for line in rest.split("\n") if not _ANNOUNCEMENT.fullmatch(line.strip(" *:#"))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _reasoning_spans(visible: str) -> list[tuple[int, int]]:
    spans = list[tuple[int, int]]()
    for tag in find_tags(visible, _REASONING):
        end = tag.outer_end if tag.closed else _reasoning_end(visible, tag)
        spans.append((tag.outer_start, end))
    return spans


def _reasoning_end(visible: str, tag: Tag) -> int:
    """Where reasoning ends: at its closing tag, or, where that is missing, at the last answer tag."""
    if tag.closed:
        return tag.end
    answers = find_tags(visible[tag.start : tag.end], _OPTION)
    return tag.start + answers[-1].outer_start if answers else tag.end


def _from_tags(text: str, part: str, options: Sequence[str]) -> LetterParse | None:
    for names in (_OPTION, _OTHER_TAGS):
        tags = [tag for tag in find_tags(part, names) if tag.content(part).strip()]
        if tags:
            return _united(text, [_read_content(text, part, *_bounds(part, tag), options) for tag in tags])
    return None


def _bounds(part: str, tag: Tag) -> tuple[int, int]:
    """The content of a tag; of one that is never closed only the first line that says something."""
    if tag.closed:
        return tag.start, tag.end
    line = re.compile(r"\s*[^\n]*").match(part, tag.start, tag.end)
    return tag.start, line.end() if line else tag.end


def _from_boxes(text: str, part: str, options: Sequence[str]) -> LetterParse | None:
    parses = list[LetterParse]()
    for box in _BOX.finditer(part):
        depth, end = 1, box.end()
        for brace in re.compile(r"[{}]").finditer(part, box.end(), box.end() + 400):
            depth, end = depth + (1 if brace.group() == "{" else -1), brace.start()
            if depth == 0:
                parses.append(_read_content(text, part, box.end(), end, options))
                break
    return _united(text, parses) if parses else None


def _read_content(text: str, part: str, start: int, end: int, options: Sequence[str]) -> LetterParse:
    """Read all that stands between the tags, or in a box: it is an answer, whatever it is."""
    start, end = unwrap(part, start, end)
    content, span = part[start:end], (start, end)
    letters = letters_only(content, len(options)) or ()
    same = matching(content, options)
    if not letters and is_none(content):
        certain = same if len(same) == 1 and content.strip().lower() != "none" else ()
        if certain:
            return _made(text, "letter", certain, span)
        doubtful = any(is_none(option) or declines(option) for option in options)
        return _made(text, "unparsable" if doubtful else "none", (), span)
    letters = letters or _only(same) or joined_letters(content, len(options)) or ()
    if letters:
        return _made(text, "letter" if len(letters) == 1 else "several", letters, span)
    found = lead(part, start, end, options, strict=False)
    if found is not None:
        return _made(text, "letter" if len(found) == 1 else "several" if found else "unparsable", found, span)
    if re.match(r"(?:[A-Z][.):]\s{0,3})?none\b(?!\s\w)|[A-Z][.):]\s{0,3}none of the above\W{0,3}\Z", content, re.I):
        return _made(text, "none", (), span)
    announced = _decide(text, list(find_readings(content, options)), start)
    if announced is not None:
        return announced
    return _made(text, "declined" if declines(content) else "unparsable", (), span)


def _united(text: str, parses: Sequence[LetterParse]) -> LetterParse:
    """Several tags or boxes as one answer: all their letters; unreadable ones count only if alone."""
    read = [parse for parse in parses if parse.kind != "unparsable"] or list(parses[:1])
    letters = tuple(dict.fromkeys(letter for parse in read for letter in parse.letters))
    kinds = {parse.kind for parse in read}
    if len(kinds) > 1 and not kinds <= {"letter", "several"}:
        return LetterParse("unparsable", (), (0, 0), "")
    if len(letters) > 1:
        return _made(text, "several", letters, (read[0].span[0], read[-1].span[1]))
    return read[-1]


def _from_prose(text: str, part: str, options: Sequence[str]) -> LetterParse | None:
    """An answer without tags: the whole text, a line of its own, or prose that announces it."""
    start, end = unwrap(part, 0, len(part))
    whole = part[start:end]
    if is_none(whole):
        return _read_content(text, part, start, end, options)
    chosen = letters_only(whole, len(options)) or _only(matching(whole, options))
    if chosen:
        return _made(text, "letter" if len(chosen) == 1 else "several", chosen, (start, end))
    lines = _line_readings(part, options)
    if lines is None:
        return LetterParse("unparsable", (), (0, 0), "")
    return _decide(text, [*lines, *find_readings(part, options)])


def _from_cues(text: str, part: str, options: Sequence[str]) -> LetterParse | None:
    return _decide(text, list(find_readings(part, options)))


def _line_readings(part: str, options: Sequence[str]) -> list[Reading] | None:
    """The first and the last line read as answers of their own; None where they contradict themselves."""
    lines = [match for match in re.finditer(r"[^\n]+", part) if any(map(str.isalnum, match.group()))]
    listed = len({match.group(1) for line in lines if (match := _LISTED_OPTION.match(line.group()))}) > 1
    alone = {own for line in lines if (own := _letter_line(line.group(), len(options)))}
    readings = list[Reading]()
    for line in dict.fromkeys(lines[:1] + lines[-1:]):
        start, end = unwrap(part, line.start(), line.end())
        own = _letter_line(line.group(), len(options))
        if own and len(alone) > 1:
            continue
        letters = own or _only(matching(part[start:end], options)) or None
        if letters is None and not listed:
            letters = lead(part, start, end, options, strict=True)
        if letters == ():
            return None
        if letters:
            readings.append(Reading(letters, start, end, 2))
        elif is_none(part[start:end]):
            readings.append(Reading((), start, end, 2))
    return readings


def _letter_line(line: str, count: int) -> tuple[str, ...] | None:
    """The letters of a line that has nothing else; lower case only in parentheses or bold."""
    letters = letters_only(line.strip(" \t*_`$#>:-"), count) if len(line) < 60 else None
    return letters if letters and (re.search(r"[A-Z]\b", line) or re.search(r"[(*`]", line)) else None


def _only(letters: tuple[str, ...]) -> tuple[str, ...]:
    return letters if len(letters) == 1 else ()


def _decide(text: str, readings: Sequence[Reading], offset: int = 0) -> LetterParse | None:
    """One answer out of all that prose announces: the weightiest; of equals the last, if it concludes."""
    if not readings:
        return None
    weight = max(reading.weight for reading in readings)
    top = sorted((reading for reading in readings if reading.weight == weight), key=lambda reading: reading.start)
    if len({frozenset(reading.letters) for reading in top}) > 1 and top[-1].conclusive:
        top = top[-1:]
    letters = tuple(dict.fromkeys(letter for reading in top for letter in reading.letters))
    span = (offset + top[0].start, offset + max(reading.end for reading in top))
    if len(letters) > 1:
        return _made(text, "several", letters, span)
    if letters and all(reading.letters for reading in top):
        last = top[-1]
        return _made(text, "letter", letters, (offset + last.start, offset + last.end))
    return _made(text, "unparsable" if letters else "none", (), span)


def _made(
    text: str,
    kind: Literal["letter", "several", "none", "declined", "unparsable"],
    letters: tuple[str, ...],
    span: tuple[int, int],
) -> LetterParse:
    return LetterParse(kind, letters, span, text[span[0] : span[1]])
