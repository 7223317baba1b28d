"""The words and numbers that captions begin with: "Figure 3.", "Fig. A.1 |", "Supplementary Figure 2:"."""

import re
from dataclasses import dataclass

# Small capitals come as "F IGURE" or "FI G U R E".
_WORD = r"(?:f ?i ?g(?: ?u ?r ?e)?s?|fig(?:ura|uur)|abb(?:ildung)?|рис(?:унок)?)"
_PREFIX = r"(?:(?P<prefix>supplement(?:ary|al)?|supp(?:orting)?|extended data|online|appendix|additional|si)\.? +)?"
NUMBER = r"(?:[A-Z]{1,3}[.\-–]? ?)?\d{1,3}(?:[.\-–]\d{1,3}){0,2}"
_FIGURE = re.compile(
    rf"[^\w(\[]{{0,3}}{_PREFIX}{_WORD}\b\.? *[.:]? *(?P<number>{NUMBER}|[IVXLC]{{1,7}}(?![A-Za-z]))(?P<panel>[a-h]?)"
    r"(?![A-Za-z0-9])(?P<mark> *[.:|]| ?[—–-](?= )|\Z)?",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"[^\w(\[]{0,3}(?:(?:supplement(?:ary|al)?|extended data|appendix) +)?"
    r"(?:t ?a ?b(?: ?l ?e)?|tab|alg(?:orithm)?|listing|box|scheme|chart|plate|movie|video|exhibit|program|code)\.?"
    r" *(?:[A-Z]{0,3}[.\-]?\d{1,3}(?:[.\-]\d{1,3}){0,2}|[IVXLC]{1,7})(?![A-Za-z0-9])(?P<mark> *[.:|—–]|\Z)?",
    re.IGNORECASE,
)
_CONTINUED = re.compile(
    r"[\s(\[.:—–-]*(?:figure |fig\. )?\(?(?:cont(?:inued|inuation|['’]?d)?\b|cont\.)", re.IGNORECASE
)
# What makes "Figure 3 shows ..." a sentence.
_SENTENCE = re.compile(
    r"\s*(?:\([a-h]\)|[a-h]\b)?\s*(?:shows?|showed|illustrates?|presents?|depicts?|gives?|plots?|summari[sz]es?|compares?"
    r"|reports?|displays?|describes?|provides?|demonstrates?|reveals?|indicates?|represents?|contains?|lists?|is|are|was"
    r"|were|and|or|also|that|where|which|in|as|by|we|can|for|but|to|from|with|below|above|suggests?|confirms?|visuali[sz]es?"
    r"|outlines?|highlights?|details?|defines?|marks?|has|have|only|both|then|because)\b"
)
_LEADER = re.compile(r"(?:\. ?){4,}\s*\d*\Z|\.{4,}|(?<=\S)\s{3,}\d{1,3}\Z")


@dataclass(frozen=True)
class Cue:
    """How a line begins: the figure's number as printed, and where its own text starts in the line.

    `marked`: a full stop, colon or bar follows the number; `loud`: the word is in capitals;
    `continued`: it says so; `alone`: nothing follows.
    """

    number: str
    end: int
    marked: bool
    loud: bool
    continued: bool
    alone: bool


def figure_cue(text: str) -> Cue | None:
    """The cue that a line of text begins with; None for one that begins otherwise or goes on as a sentence does."""
    match = _FIGURE.match(text)
    if match is None or is_list_entry(text):
        return None
    mark = match["mark"] or ""
    after = text[match.end() :]
    if mark.strip() == "." and after[:1].isalnum():
        return None  # "Fig. 2.A shows"
    marked = bool(mark.strip())
    if not marked and _SENTENCE.match(after):
        return None
    if not marked and after.startswith((")", "]", "–", "-", "—", ";", ",")):
        return None  # "(see Fig. 5d-i) are"
    return Cue(
        figure_number(match["number"] + match["panel"], match["prefix"] or ""), match.end(), marked,
        match.group().lstrip()[:3].isupper(), _CONTINUED.match(after) is not None, not after.strip(),
    )  # fmt: skip


def is_list_entry(text: str) -> bool:
    """Whether a line ends as those of a list of figures do, with dots and a page."""
    return _LEADER.search(text) is not None


def figure_number(number: str, prefix: str = "") -> str:
    """A number as rows have it: "Supplementary Figure 2" is S2, "Extended Data Fig. 1" is ED1."""
    plain = number.replace(" ", "").replace("–", "-")
    letter = {"s": "S", "e": "ED"}.get(prefix[:1].lower(), "")
    return plain if plain[:1].isalpha() or not letter else letter + plain


def other_caption(text: str) -> bool:
    """Whether a line begins the caption of a table, an algorithm or the like."""
    match = _OTHER.match(text)
    return match is not None and match["mark"] is not None and not is_list_entry(text)


def without_continued(text: str) -> str:
    """The text of a caption without the word that says it goes on."""
    match = _CONTINUED.match(text)
    return text[match.end() :].lstrip(" ).:]—–-") if match else text
