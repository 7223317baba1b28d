"""Figure numbers as LaTeX prints them: counters, chapters, appendices, continued floats."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.floats.figure_grouping import LatexFigure

_EVENT = re.compile(
    r"\\(?=[@abcdgnprs])(?:(part|chapter|section|subsection)\s*(?=[\[{])"
    r"|(appendix(?:es)?)(?![A-Za-z@])|begin\s*\{(appendices|appendix|supplement)\}"
    r"|(setcounter|addtocounter|stepcounter|refstepcounter)\s*\{([A-Za-z]+)\}(?:\s*\{(-?\d{1,6})\})?"
    r"|(numberwithin|counterwithin\*?|counterwithout\*?|@addtoreset)\s*\{([a-z]+)\}\s*\{([a-z]+)\}"
    r"|(?:re)?newcommand\*?\s*\{?\s*\\(thefigure|thesection|thechapter|theContinuedFloat)\s*\}?\s*(?=\{)"
    r"|g?def\s*\\(thefigure|thesection|thechapter|theContinuedFloat)\s*(?=\{))"
)
_CLASS = re.compile(r"\\document(?:class|style)\s*(?:\[[^\]]{0,500}\])?\s*\{([^{}]{1,60})\}")
_CHAPTERS = ("book", "report", "memoir", "scrbook", "scrreprt", "amsbook", "svmono")
_CHAPTER = re.compile(r"\\chapter\s*[\[{]")
_PREFIX = re.compile(r"(?:[Ff]ig(?:ure|s?\.)?|FIG(?:URE|\.)?)[~\s]+")
_GIVEN = re.compile(r"\\figurenum\s*\{([^{}]{1,20})\}")
_TERM = re.compile(
    r"\\(arabic|alph|Alph|roman|Roman|@arabic|@alph|@Alph|@roman|@Roman)\s*\{?\s*(?:\\c@)?([A-Za-z]+)\s*\}?"
    r"|\\the(part|chapter|section|subsection|figure)(?![A-Za-z])|\\[A-Za-z@]+\s*|[{}]"
)
_MOST_RESETS = 20  # counters that one counter sets back
_BY_CHAPTER = "\\thechapter.\\arabic{figure}"
_PARENTS = {"chapter": ("section", "figure"), "section": ("subsection",), "figure": ("ContinuedFloat",)}


@dataclass
class _Counters:
    """The counters that figure numbers are made of, and how they print."""

    values: dict[str, int] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)
    resets: dict[str, set[str]] = field(default_factory=dict)

    def step(self, name: str, by: int = 1) -> None:
        """Count on, and set back what counts within."""
        self.values[name] = self.values.get(name, 0) + by
        for inner in self.resets.get(name, ()):
            if inner != name and self.values.get(inner):
                self.values[inner] = 0

    def print(self, name: str, printed: dict[str, str] | None = None) -> str:
        """The text that the counter prints, at most 60 characters; `printed` is what counters within it print."""
        printed = {} if printed is None else printed
        if name not in printed:
            printed[name] = ""  # a counter that prints itself would never end
            text = self.formats.get(name, f"\\arabic{{{name}}}")[:300]
            printed[name] = _TERM.sub(lambda match: self._term(match, printed), text).strip()[:60]
        return printed[name]

    def _term(self, match: re.Match[str], printed: dict[str, str]) -> str:
        if match.group(1):
            return _in_style(match.group(1).lstrip("@"), self.values.get(match.group(2), 0))
        return self.print(match.group(3), printed) if match.group(3) else ""


def number_figures(mask: str, buffer: Buffer, figures: Sequence[LatexFigure]) -> list[str]:
    """The printed number of each figure ("" where its caption has none), in the order given."""
    found = _CLASS.search(mask)
    name = found.group(1).strip() if found else "article"
    counters = _Counters(resets={key: set(inner) for key, inner in _PARENTS.items()})
    if name in _CHAPTERS or ("\\chapter" in mask and _CHAPTER.search(mask)):
        counters.formats["figure"] = _BY_CHAPTER
        counters.formats["section"] = "\\thechapter.\\arabic{section}"
    else:
        counters.resets["chapter"].discard("figure")
    events: list[tuple[int, int, re.Match[str] | int]] = [(match.start(), 0, match) for match in _EVENT.finditer(mask)]
    events += [(figure.at, 1, index) for index, figure in enumerate(figures)]
    given = [(match.start(), match.group(1)) for match in _GIVEN.finditer(mask)]
    numbers = [""] * len(figures)
    for _, _, event in sorted(events, key=lambda event: event[:2]):
        if isinstance(event, int):
            figure = figures[event]
            place = bisect_left(given, (figure.box.start, ""))
            if place < len(given) and given[place][0] < figure.box.end:
                numbers[event] = given[place][1].strip()
            elif figure.caption is not None and figure.caption.numbered:
                numbers[event] = _next_number(counters, figure.box.continued)
        else:
            _apply(event, buffer, counters, name)
    return numbers


def _next_number(counters: _Counters, continued: bool) -> str:
    """The number of the next caption; a continued float keeps the last one and may add a letter."""
    counters.step("ContinuedFloat" if continued else "figure")
    letter = counters.print("ContinuedFloat") if continued and "ContinuedFloat" in counters.formats else ""
    if counters.formats.get("figure") == _BY_CHAPTER and not counters.values.get("chapter"):
        return str(counters.values["figure"]) + letter  # before the first chapter
    return _PREFIX.sub("", counters.print("figure"), count=1).replace("~", " ") + letter


def _apply(event: re.Match[str], buffer: Buffer, counters: _Counters, document_class: str) -> None:
    heading, appendix, begun, counting, counter, amount, within, inner, outer, *defined = event.groups()
    if heading:
        counters.step(heading)
    elif appendix or begun:
        _start_appendix(counters, document_class)
    elif counting:
        if counting == "setcounter":
            counters.values[counter] = int(amount or 0)
        else:
            counters.step(counter, int(amount or 1))
    elif within and within.startswith("counterwithout"):
        counters.resets.get(outer, set()).discard(inner)
        counters.formats[inner] = f"\\arabic{{{inner}}}"
    elif within:
        counted = counters.resets.setdefault(outer, set())
        if len(counted) < _MOST_RESETS:
            counted.add(inner)
        if not within.startswith("@") and not within.endswith("*"):
            counters.formats[inner] = f"\\the{outer}.\\arabic{{{inner}}}"
    else:
        name = next(filter(None, defined))
        group = buffer.group(event.end())
        if group is not None:
            counters.formats[name.removeprefix("the")] = buffer.text[group[0] : group[1]]


def _start_appendix(counters: _Counters, document_class: str) -> None:
    top = "chapter" if counters.formats.get("figure") == _BY_CHAPTER else "section"
    counters.values[top] = 0
    counters.formats[top] = f"\\Alph{{{top}}}"
    if document_class in ("elsarticle", "cas-dc", "cas-sc"):
        counters.formats["figure"] = "\\Alph{section}.\\arabic{figure}"


def _in_style(style: str, value: int) -> str:
    if style in ("alph", "Alph"):
        letter = chr(ord("a") + value - 1) if 1 <= value <= 26 else str(value)
        return letter.upper() if style == "Alph" else letter
    if style in ("roman", "Roman") and 0 < value < 4000:
        roman, left = "", value
        for number, sign in ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
                             (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):  # fmt: skip
            roman += sign * (left // number)
            left %= number
        return roman.upper() if style == "Roman" else roman
    return str(value)
