"""Where prose announces an answer: "the answer is", "I choose", "option B is correct", "so, B."

Without such a cue no letter in a sentence is an answer: "A curve rises", "panel B shows".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from data_juicer_ext.qa.declined_answers import is_none
from data_juicer_ext.qa.option_forms import letters_at, matching


class Reading(NamedTuple):
    """What one place of an answer says: the letters chosen (none for "None"), its span, its weight."""

    letters: tuple[str, ...]
    start: int
    end: int
    weight: int
    conclusive: bool = False


_ADJECTIVE = r"(?:correct|best|chosen|selected|proper|appropriate|suitable|likely|plausible|accurate|best-\w{1,12})"
_NOUN = re.compile(
    r"\b(?P<final>final\s(?:answer|choice|option|selection|decision|verdict))s?\b"
    r"|[\"'](?P<field>(?:\w{1,20}_)?(?:answer|option|choice|letter|selected|prediction))(?=[\"']\s{0,3}:)"
    r"|\b(?:answers?|ans|guess|selection|verdict|conclusion|r[ée]ponse|antwort|respuesta|resposta|risposta|ответ)\b"
    r"(?!\s(?:choices?|options?|keys?|candidates?)\b)"
    rf"|\b{_ADJECTIVE}\s(?:option|choice|letter|one|statement|alternative|description|solution|response)s?\b"
    r"|\b(?:right|my)\s(?:option|choice|pick)s?\b"
    r"|^[ \t*_#>-]{0,6}(?:option|choice|letter)s?(?=[*_]{0,3}\s{0,2}[:=])",
    re.I | re.M,
)
_LINK = re.compile(
    r"\s{0,3}[\"'”*_`\])}]{0,6}\s{0,3}(?:[:=]|->|→|=>|[–—]|-(?=\s))|\s{0,3}[*_#]{0,4}\n\s{0,4}"
    r"|\b(?:is|are|was|would\sbe|should\sbe|must\sbe|will\sbe|has\sto\sbe|to\sbe|seems|appears|remains|est|ist|es)\b"
    r"[:,]?",
    re.I,
)
# Between the noun and its verb: what turns the sentence around, or makes it about something else.
_BREAKS = re.compile(
    r"\b(?:not|unlikely|never|hardly|cannot|whether|if|depends?|hinges?|unless|neither|nor|without|anything\sbut"
    r"|(?:is|are|was)\sthat)\b|n['’]t\b",
    re.I,
)
_VERB = (
    r"(?:choose|chose|choosing|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)?\swith|went\swith|opt(?:ed|ing)?\sfor"
    r"|settled?\son|vote\sfor|lean(?:ing)?\stowards?|say|guess|answer)"
)
_PICK = re.compile(
    rf"\bI(?:['’](?:d|ll|m|ve))?\s(?:[a-z]{{1,12}},?\s){{0,4}}?{_VERB}\b"
    rf"|\b[Ww]e\s(?:[a-z]{{1,12}},?\s){{0,3}}?{_VERB}\s(?=(?:option|choice|answer)\b)"
    r"|^\W{0,6}(?:choose|choosing|select(?:ing|ed)?|pick(?:ing)?|going?\swith)\b",
    re.I | re.M,
)
# Without the word "option" a letter may be a series or a box of the figure: "A is the best", "B is right".
_SUBJECT = re.compile(
    r"(?:\b(?P<named>[Oo]ption|[Cc]hoice|[Aa]nswer|[Ll]etter)\s{1,3}"
    r"|(?:\A|[.;!?,:\n]|\bthat|\bthink|\bbelieve|\bbut|\bso|\bthus|\btherefore|\bhence|\A)[\s*_]{0,4})"
    r"(?P<letter>[(\[\"'*]{0,4}\b[A-Z][)\]\"'*]{0,4})\s(?:is|seems|appears|looks|would\sbe|must\sbe|remains)"
    r"(?:\sto\sbe)?(?:\s\w{1,12}ly)?(?:\sthe|\smy)?(?:\s(?:single|only|one))?\s"
    r"(?:correct(?P<plain>)|answer(?P<noun>)|(?:right|best|most\s(?:likely|plausible|reasonable|probable|appropriate"
    r"|suitable|accurate|consistent)))\b"
    r"(?:\s(?P<thing>answer|option|choice)\b|(?=\s(?:one|given|based|because|since|as|here)\b"
    r"|\s{0,2}[*_]{0,3}(?:[.,;:!)\n]|\Z)))"
)
_CONCLUDE = re.compile(
    r"(?:\b(?:therefore|thus|hence|so|consequently|overall|finally|in\sconclusion|in\ssummary|it['’]s|it\sis|must\sbe|that['’]s"
    r"|I\s(?:think|believe)|I['’]d\ssay|(?:most\s)?likely|probably|clearly|definitely)|=>|⇒|∴)[,:]?\s{1,3}"
    r"(?:(?:it['’]s|it\sis|it\smust\sbe)\s)?(?=(?:option\s|choice\s|answer\s)?[*(\"'\\$]{0,6}(?-i:[A-Z])\b)",
    re.I,
)
_MATCH = re.compile(
    r"\b(?:correspond(?:s|ing)?\sto|match(?:es|ing)?|points?\sto|leads?\s(?:us\s)?to|leav(?:es|ing)|supports?|supporting"
    r"|align(?:s|ing)?\swith|agrees?\swith|consistent\swith|which\sis|this\sis)\s(?:only\s)?(?=(?:option|choice|answer)\s)",
    re.I,
)
_CHINESE = re.compile(
    r"(?:正确选项|正确答案|答案|故选|应选|应该选|我选|选择|选项|选)(?:应该是|应为|择|是|为)?\s{0,2}:?\s{0,2}"
)
_FILLER = re.compile(
    r"(?:[\s*_`\"'“(\[{$:]|\\[a-zA-Z]{2,12}\{){0,12}(?:(?:the\s)?(?:option|choice|letter|answer)|clearly|therefore|thus"
    r"|then|indeed|simply|just|either|both|most\slikely|likely|probably|definitely|certainly|to\sbe|be|still|again)\b"
    r"\s{0,3}:?",
    re.I,
)
_DOUBT = re.compile(
    r"(?<!even\s)\b(?:if(?!\sI\s(?:had|have|must|were)\s(?:to\s)?(?:choose|guess|pick|answer|select|forced))|unless|assuming|suppose|supposing)\b[^.;!?\n]{0,90}\Z"
    r"|\b(?:whether|not|never|nothing|hardly|initial|starting|neither|nor|cannot|why|could|might|may|(?<!I\s)would|how|possible|candidate|remaining|available"
    r"|wrong|incorrect|false|other|tempting|naive|obvious|alternative|worst|bad|given|different|no|n['’]t|rule\sout"
    r"|eliminate|than|expected)\b[\w\s'’-]{0,22}\Z|n['’]t\s[\w\s]{0,12}\Z",
    re.I,
)
# Words of somebody else: 'the caption says "the answer is A"'.
_QUOTED = re.compile(
    r"(?:[\"“«]|\b(?:says|said|states?|stated|reads?|claims?|instructs?|tells?|orders?|asks?|writes?|written)\b"
    r"(?:\s(?:me|us|you|that|to)){0,2}[\s,:]{0,3}['‘]?)\s{0,2}(?:the\s|its\s)?\Z",
    re.I,
)
_TURN = re.compile(
    r"\b(?:actually|wait|therefore|thus|hence|so|finally|final|instead|overall|conclusion|correction|corrected|revised?"
    r"|re-?check\w{0,6}|but|however|after\sall)\b",
    re.I,
)
_ENDS = re.compile(r"[*_`\"')\]}$]{0,8}(?:\.(?=\s|\Z)|!|\s{0,3}\Z|\s{0,3}\n|,\s(?:since|because|as)\b)")


def find_readings(text: str, options: Sequence[str]) -> Iterator[Reading]:
    """Every answer that `text` announces in prose, in no particular order."""
    yield from _after_nouns(text, options)
    for cue, weight, strict in ((_PICK, 2, False), (_CHINESE, 2, False), (_CONCLUDE, 1, True), (_MATCH, 1, True)):
        for match in cue.finditer(text):
            if cue is _PICK and re.search(r"\b(?:not|never|cannot|could|might|may|can)\b", match.group(), re.I):
                continue
            reading = None if _doubtful(text, match.start()) else _read(text, match, match.end(), options, weight)
            if reading and (not strict or (reading.letters and _ENDS.match(text, reading.end))):
                yield reading
    for match in _SUBJECT.finditer(text):
        letter = next(filter(str.isalpha, match.group("letter")))
        sure = match.group("named") or match.group("thing") or match.lastgroup in ("plain", "noun")
        if sure and ord(letter) - 65 < len(options) and not _doubtful(text, match.start()):
            yield Reading((letter,), match.start("letter"), match.end(), 2, _turns(text, match.start("letter")))


def _after_nouns(text: str, options: Sequence[str]) -> Iterator[Reading]:
    for noun in _NOUN.finditer(text):
        if _doubtful(text, noun.start()):
            continue
        window = re.compile(r"[^.;?!]{0,100}").match(text, noun.end())
        stop = window.end() if window else noun.end()
        for link in islice(_LINK.finditer(text, noun.end(), stop), 4):
            between = text[noun.end() : link.start()]
            if "\n" in between or _BREAKS.search(between):
                break
            reading = _read(text, noun, link.end(), options, 3 if noun.group("final") or noun.group("field") else 2)
            if reading:
                yield reading
                break


def _read(text: str, cue: re.Match[str], position: int, options: Sequence[str], weight: int) -> Reading | None:
    """The letters, the None or the option's text that stands at `position`, after a cue."""
    turn = _turns(text, cue.end())
    for _ in range(4):
        found = letters_at(text, position, len(options))
        if found:
            return Reading(found.letters, cue.start(), found.end, weight, turn)
        filler = _FILLER.match(text, position)
        if filler is None:
            break
        position = filler.end()
    # No text much longer than the longest option can be one; this also keeps the whole linear.
    longest = min(600, 2 * max(map(len, options), default=0) + 40)
    line = re.compile(rf"[ \t*_`\"'“:]{{0,8}}([^\n]{{1,{longest}}})").match(text, position)
    if line is None:
        return None
    sentence = re.split(r"[.;](?=\s|\Z)", line.group(1))[0]
    for said in dict.fromkeys((line.group(1), sentence)):
        letters = matching(said, options)
        if len(letters) == 1 or (is_none(said.strip("*_`\"' ")) and not letters):
            return Reading(letters, cue.start(), line.start(1) + len(said.rstrip()), weight, turn)
    return None


def _doubtful(text: str, start: int) -> bool:
    """Whether what leads up to a cue denies it or makes it a mere supposition."""
    before = re.split(r"[.;!?\n]", text[max(0, start - 120) : start])[-1]
    return _DOUBT.search(before) is not None or _QUOTED.search(before) is not None


def _turns(text: str, end: int) -> bool:
    """Whether the sentence up to a cue draws a conclusion or takes something back."""
    return _TURN.search(re.split(r"[.;!?\n]\s", text[max(0, end - 120) : end])[-1]) is not None
