"""LaTeX paragraphs as readable sentences, with references to one figure marked.

Everything is bounded: a paragraph is cut at `PARAGRAPH_LIMIT` characters before it is parsed, and
no expression backtracks over more than a line of text.
"""

import logging
import re
from collections.abc import Collection
from functools import lru_cache

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

PARAGRAPH_LIMIT = 8_000
SENTENCE_LIMIT = 1_200

FIGURE = "ThisFigure"  # stands where the text refers to the figure asked about
OTHER = "OtherReference"  # stands where it refers to anything else
UNKNOWN = "UnknownCommand"  # stands for an author's own word or value, which the paragraph does not define

_COMMAND = re.compile(
    r"\\([A-Za-z]{1,40})\*?\s?(?:\[([^\[\]{}]{0,200})\]\s?){0,2}\{([^{}]{0,300})\}(?:\{([^{}]{0,200})\})?"
)
_WORD_COMMAND = re.compile(r"\\([A-Za-z]{1,40})(?![A-Za-z*\s]*[\[{])\s?")
_HARMLESS = frozenset({"xspace", "centering", "noindent", "par", "bf", "it", "em", "rm", "tt", "sf", "leavevmode"})
_ITEM = re.compile(r"\\item\b(?:\s?\[[^\[\]]{0,100}\])?")
_BREAK = "¶"  # between the items of a list
_PERCENT = re.compile(r"(?<!\\)%")
_LEAD = re.compile(r"\b(?:[Ff]igures?|[Ff]igs?\.?|[Pp]anels?|[Ss]ubfigures?)[~ ]{0,3}(?=ThisFigure)")
_OTHER_LEAD = re.compile(
    r"\b(?:[Ff]igures?|[Ff]igs?\.?|[Tt]ables?|[Ss]ections?|[Ss]ec\.|[Ee]quations?|[Ee]qs?\.|[Aa]ppendix)"
    r"[~ ]{0,3}(?=OtherReference)"
)
_PANEL = re.compile(r"ThisFigure(?: ?\([a-h]\)|[a-h]\b)")
_REPEATED = re.compile(r"ThisFigure(?:(?:, | and |, and | to )ThisFigure)+")
_ASIDE = re.compile(r" ?\((?:see |cf\. |e\.g\. |compare )?OtherReference(?:(?:, | and )OtherReference){0,5}\)")
_UNITS = {
    "percent": "%", "micro": "µ", "meter": "m", "metre": "m", "second": "s", "hour": "h", "minute": "min",
    "gram": "g", "kilo": "k", "milli": "m", "nano": "n", "centi": "c", "mega": "M", "giga": "G",
    "hertz": "Hz", "kelvin": "K", "celsius": "°C", "degreeCelsius": "°C", "pascal": "Pa", "watt": "W",
    "volt": "V", "ampere": "A", "joule": "J", "litre": "L", "liter": "L", "mole": "mol", "molar": "M",
    "decibel": "dB", "electronvolt": "eV", "newton": "N", "per": "/", "degree": "°", "tesla": "T",
}  # fmt: skip
_UNIT_WORD = re.compile(r"\\([A-Za-z]{1,20})\s?")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[Ff]igs?|[Ee]qs?|[Ss]ecs?|[Tt]ab|[Rr]efs?|vs|cf|approx|resp|al|no|nos|Dr|Prof|St)|(?:^|(?<!\d)\s)[A-Z]"
    r"|e\.g|i\.e|w\.r\.t)\.$"
)
_END = re.compile(r"[.!?][\"”')\]]{0,2}\s+(?=[A-Z0-9\"“(\[α-ωΑ-Ω])")

logging.getLogger("pylatexenc").addFilter(lambda record: record.levelno > logging.WARNING)
logging.getLogger("pylatexenc.latex2text").addFilter(lambda record: record.levelno > logging.WARNING)


@lru_cache(maxsize=512)
def _readable(latex: str, labels: tuple[str, ...]) -> str:
    """`latex` as plain text on one line; see `readable`."""
    # Comments are gone before text comes here; what is left is a percent sign of plain text.
    text = _ITEM.sub(f" {_BREAK} ", _PERCENT.sub(r"\\%", latex[:PARAGRAPH_LIMIT]))
    text = _COMMAND.sub(lambda match: _mark(match, frozenset(labels)), text)
    text = _WORD_COMMAND.sub(lambda match: match.group(0) if _known(match.group(1)) else f" {UNKNOWN} ", text)
    text = _to_text(text)
    for mark in (FIGURE, OTHER):
        text = re.sub(rf"\(({mark})\)(?= (?:shows?|gives?|plots?))", r"\1", text)
    text = _OTHER_LEAD.sub("", _LEAD.sub("", _tidy(text)))
    text = _ASIDE.sub("", _REPEATED.sub(FIGURE, _PANEL.sub(FIGURE, text)))
    return _tidy(text)


def readable(latex: str, labels: Collection[str] = ()) -> str:
    """A LaTeX paragraph as plain text on one line.

    A command that takes one of `labels` (`\\ref`, `\\cref`, an author's own) becomes `FIGURE`, any
    other reference `OTHER`, citations vanish, `\\SI` and `\\qty` become number and unit, and a
    command without argument that LaTeX does not know becomes `UNKNOWN`.
    """
    return _readable(latex, tuple(labels))


def _mark(match: re.Match[str], labels: frozenset[str]) -> str:
    name, option, argument, second = match.group(1), match.group(2) or "", match.group(3), match.group(4)
    targets = {part.strip() for part in f"{argument},{option}".split(",")} - {""}
    rest = f"{{{second}}}" if second is not None else ""
    if targets & labels:
        return FIGURE if targets <= labels or option else f"{FIGURE} and {OTHER}"
    if "cite" in name.lower() or name == "label":
        return rest
    if name.lower().endswith("ref") or name.lower().endswith("refrange"):
        return OTHER + ("" if name == "hyperref" else rest)
    if name in ("SI", "qty") and second is not None:
        return f"{argument} {_unit(second)}"
    if name == "num":
        return argument + rest
    return match.group(0)


@lru_cache(maxsize=2048)
def _known(name: str) -> bool:
    return get_default_latex_context_db().get_macro_spec(name) is not None or name in _HARMLESS


def _unit(text: str) -> str:
    return _UNIT_WORD.sub(lambda match: _UNITS.get(match.group(1), match.group(1)), text).replace("~", " ")


def _to_text(latex: str) -> str:
    try:
        return str(LatexNodes2Text(math_mode="text", keep_comments=False).latex_to_text(latex))
    except (RecursionError, ValueError, IndexError, KeyError, TypeError, AttributeError):
        # Broken or hostile TeX: drop the commands and keep the words.
        return re.sub(r"\\[A-Za-z]+\*?|[{}$\\]", " ", latex)


def _tidy(text: str) -> str:
    text = re.sub(r"[\u00a0\u2000-\u200a\u202f]", " ", text).replace("\u2212", "-").replace("\u200b", "")
    text = re.sub(r"\^(?:\(∘\)|∘)\s?", "°", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(?<=\d) (?=%|°)", "", text)
    text = re.sub(r"\( ?\)|\[ ?\]", "", text)
    return re.sub(r" +(?=[.,;:!?)])", "", text).strip()


def sentences(text: str) -> list[str]:
    """`text` (one line) cut into sentences and list items.

    Those over `SENTENCE_LIMIT` characters are left out.
    """
    found = [sentence for part in text.split(_BREAK) for sentence in _cut(part)]
    return [sentence for sentence in found if sentence and len(sentence) <= SENTENCE_LIMIT]


def _cut(text: str) -> list[str]:
    found, start = [], 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start() + 1]):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    return [*found, text[start:].strip()]


_WORD = re.compile(r"[A-Za-z0-9µ°%α-ωΑ-Ω]+(?:[.'’-][A-Za-z0-9α-ωΑ-Ω]+)*")
_STOP = frozenset(
    """a an the of in on at to for from by with and or as is are was were be been it its this that these those
    which what how many much do does did has have had value values figure according shows show shown than
    there their they when where while who whose into up about over under between per each one ones option
    options two following fill blank""".split()  # noqa: SIM905
)


def stem(word: str) -> str:
    """A crude English stem: lower case, without the ending of plurals and verb forms."""
    word = word.lower()
    for ending, put, least in (
        ("ies", "y", 5), ("sses", "ss", 5), ("ches", "ch", 6), ("shes", "sh", 6), ("xes", "x", 5),
        ("ing", "", 6), ("ed", "", 5), ("s", "", 4),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word[: -len(ending)] + put
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def words(text: str) -> list[str]:
    """The words and numbers of `text`, in order, as they are written."""
    return _WORD.findall(text)


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems of the words of `text` that carry meaning."""
    return frozenset(stem(word).rstrip("e") for word in words(text) if word.lower() not in _STOP)
