"""The citing text of a figure: merged within sections, weighed, capped, and cut to snippets for prompts.

SciFigQual, section 3.2 and appendix A.4: a paragraph that merely points at a figure weighs less than one
that compares or tells a trend. Nothing is invented: without a citing paragraph the set is empty.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from data_juicer_ext.models.http.messages import CHARACTERS_PER_TOKEN
from data_juicer_ext.qa.sentences import split_sentences
from data_juicer_ext.rows import visible

SHORTEST_BLOCK = 20  # characters; what is shorter is ignored
MAX_CONTEXT_TOKENS = 1000
SNIPPETS, SNIPPET_CHARACTERS = 2, 500

CitationKind = Literal["bare", "plain", "trend"]
WEIGHTS: dict[CitationKind, float] = {"bare": 0.25, "plain": 1.0, "trend": 2.0}
"""What a citing paragraph weighs: a mere pointer, a statement, or one with comparative or trend language."""

_THIS = "this figure"
_REFERENCE = re.compile(r"\\([a-zA-Z]{0,12}ref)\*?\s?\{([^{}]{1,400})\}")
_FIGURE_WORD = re.compile(r"\bfig(?:ure)?s?\b", re.I)
_TREND = re.compile(
    r"\b(?:(?:in|de)creas\w*|ris(?:e|es|ing)|rose|f[ae]ll(?:s|ing|en)?|drop\w*|grow(?:s|n|ing|th)?|grew|declin\w*|climb\w*"
    r"|outperform\w*|exceed\w*|surpass\w*|improv\w*|degrad\w*|converg\w*|diverg\w*|saturat\w*|plateau\w*|peak\w*"
    r"|monotonic\w*|correlat\w*|trends?|gaps?|differ(?:s|ed|ence|ences)?|compar(?:e|es|ed|ison|isons|able)|versus|vs|whereas"
    r"|than|higher|lower|larger|smaller|greater|better|worse|faster|slower|stronger|weaker|fewer|longer|shorter|closer"
    r"|(?:high|low|larg|great|fast|slow|small|strong)est|best|worst|stable|constant|flat|twice|halv\w*|doubl\w*)\b",
    re.I,
)
# Words of a sentence that only points: they state nothing of what can be seen.
_POINTING = frozenset(
    re.findall(
        r"\S+",
        "see seen shown show shows showing figure figures fig figs table illustrated illustrates illustrate depicted "
        "depicts given gives presented presents present displayed displays plotted plots reported reports result "
        "results refer refers referred details detail more example examples visualized visualised visualizes "
        "visualization summarized summarised summarizes provides provided found following below above respectively "
        "also can the and for our this that these those with from are was were which where here there their its case "
        "cases please reader readers appendix section panel panels left right top bottom overview diagram",
    )
)
_LONGEST_WORD = 60  # a snippet does not begin within a word that is shorter
_POINTER_WORDS = 3  # as many words beside those of pointing still state nothing


@dataclass(frozen=True)
class Passage:
    """One citing paragraph: its kind, and the offset of the sentence that says most of the figure."""

    text: str
    section: str
    kind: CitationKind
    anchor: int
    order: int

    @property
    def weight(self) -> float:
        """What it weighs against others."""
        return WEIGHTS[self.kind]


@dataclass(frozen=True)
class Snippet:
    """A piece of citing text for a prompt, all from one section."""

    section: str
    text: str
    kind: CitationKind


def context_set(
    places: Iterable[Mapping[str, str]],
    number: str = "",
    labels: Collection[str] = (),
    max_tokens: int = MAX_CONTEXT_TOKENS,
) -> list[Passage]:
    """The citing paragraphs of a figure that count, those of a section side by side.

    `places` are the objects of `context_places` (paragraph, section, place). References to one of the
    figure's `labels` are written out with its `number`. The paragraphs of a section are one block; a block
    under 20 characters is ignored. The set is capped at `max_tokens` (four characters each): the heaviest
    paragraphs stay, the earlier of equal ones, and one that does not fit is cut around its anchor.
    """
    blocks: dict[str, dict[str, Passage]] = {}
    for order, place in enumerate(places):
        text = _one_line(written_out(place.get("paragraph") or "", number, labels))
        section = _one_line(place.get("section") or "")
        if text and text not in blocks.setdefault(section, {}):
            blocks[section][text] = _passage(text, section, number, order)
    counted = [block.values() for block in blocks.values() if len(" ".join(block)) >= SHORTEST_BLOCK]
    passages = [passage for block in counted for passage in block]
    kept = _capped(passages, max_tokens * CHARACTERS_PER_TOKEN)
    return [kept[passage.order] for passage in passages if passage.order in kept]


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _capped(passages: Sequence[Passage], characters: int) -> dict[int, Passage]:
    kept: dict[int, Passage] = {}
    for passage in sorted(passages, key=lambda p: (-p.weight, p.order)):
        if characters < SHORTEST_BLOCK:
            break
        text = window(passage.text, passage.anchor, characters)
        kept[passage.order] = Passage(text, passage.section, passage.kind, _anchor_in(text, passage), passage.order)
        characters -= len(text)
    return kept


def _anchor_in(text: str, passage: Passage) -> int:
    return passage.anchor if text == passage.text else 0


def written_out(text: str, number: str, labels: Collection[str]) -> str:
    """LaTeX references to the figure as a reader sees them: `Fig.~\\ref{fig:a}` as "Fig. 3"."""
    name = number or _THIS

    def replaced(match: re.Match[str]) -> str:
        targets = {target.strip() for target in match.group(2).split(",")}
        if not targets <= set(labels):
            return match.group()
        spells_out = number and match.group(1).lower() in ("autoref", "cref", "vref", "fref", "figref")
        return f"Figure {name}" if spells_out else name

    return _REFERENCE.sub(replaced, text).replace("~", " ") if "\\" in text else text


def _passage(text: str, section: str, number: str, order: int) -> Passage:
    """A paragraph with its kind: that of its best sentence about the figure, the one after each included."""
    sentences = split_sentences(text)
    mentions = [i for i, (_, sentence) in enumerate(sentences) if _mentions(sentence, number)]
    about = mentions or list(range(len(sentences)))
    kinds = {i: kind_of(sentences[i][1]) for i in about}
    kinds |= {i + 1: "trend" for i in mentions if i + 1 < len(sentences) and kind_of(sentences[i + 1][1]) == "trend"}
    best = max(kinds, key=lambda i: (WEIGHTS[kinds[i]], -i), default=0)
    anchor = best - 1 if best not in about else best
    return Passage(text, section, kinds.get(best, "bare"), sentences[anchor][0] if sentences else 0, order)


def _mentions(sentence: str, number: str) -> bool:
    if not _FIGURE_WORD.search(sentence):
        return False
    return not number or re.search(rf"(?<![\w.]){re.escape(number)}(?!\d)", sentence) is not None


def kind_of(sentence: str) -> CitationKind:
    """Whether a sentence compares or tells a trend, states something, or merely points at a figure."""
    if _TREND.search(sentence):
        return "trend"
    words = {word.lower() for word in re.findall(r"[^\W\d_]{3,}", sentence)}
    return "bare" if len(words - _POINTING) <= _POINTER_WORDS else "plain"


def snippets(passages: Sequence[Passage], count: int = SNIPPETS, characters: int = SNIPPET_CHARACTERS) -> list[Snippet]:
    """At most `count` snippets of at most `characters` each, the heaviest text first.

    A snippet begins with the heaviest paragraph left, cut around what it says of the figure, and takes in
    others of the same section while they fit.
    """
    left, made = sorted(passages, key=lambda passage: (-passage.weight, passage.order)), list[Snippet]()
    while left and len(made) < count:
        first = left.pop(0)
        taken = {first.order: window(first.text, first.anchor, characters)}
        for other in [passage for passage in left if passage.section == first.section]:
            if sum(map(len, taken.values())) + len(taken) + len(other.text) <= characters:
                taken[other.order] = other.text
                left.remove(other)
        made.append(Snippet(first.section, " ".join(taken[order] for order in sorted(taken)), first.kind))
    return made


def window(text: str, anchor: int, characters: int) -> str:
    """At most `characters` of `text` from `anchor` on, or from before it where the text ends sooner; cut at words."""
    if len(text) <= characters:
        return text
    start = max(0, min(anchor, len(text) - characters + len("… ")))
    space = text.find(" ", start - 1, start + _LONGEST_WORD) if start else -1
    start = start if space < 0 else space + 1
    lead = "… " if start else ""
    rest = text[start:]
    if len(lead) + len(rest) <= characters:
        return lead + rest
    cut = rest[: characters - len(lead) - 2]
    return f"{lead}{cut.rsplit(' ', 1)[0] if ' ' in cut else cut} …"
