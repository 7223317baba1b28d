"""Captions and headings as plain, readable text."""

import logging
import re
from collections.abc import Mapping
from functools import lru_cache

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import get_default_latex_context_db
from pylatexenc.macrospec import LatexContextDb

from data_juicer_ext.latex.expand.macros import Macro, expand_text
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.rows import scrub

MOST = 20_000
_DROPPED = re.compile(
    r"\\(label|footnote|footnotetext|vspace|hspace|index|phantomsection|hypertarget|vskip|fontsize|setlength"
    r"|captionsetup|color|todo|thanks|footnotemark|addcontentsline|deleted|(added|replaced))\*?(?![A-Za-z@])"
)
_BARE = re.compile(
    r"\\(?:protect|centering|raggedright|noindent|small|footnotesize|scriptsize|tiny|normalsize|large|xspace|par"
    r"|bf|it|rm|sl|tt|sf|em|sc|bfseries|itshape|protected|relax|ignorespaces|unskip|selectfont|justifying"
    r"|doublespacing|singlespacing|linebreak|newline|\\)(?![A-Za-z@])"
)
_NAME = re.compile(r"\\([fts])(?:igure|able|ection)(?:auto)?(?:ref)?name(?![A-Za-z@])(?:\{\})?")
_REFERENCE = re.compile(r"\\([A-Za-z]*[rR]ef)\*?\s*\{([^{}]{1,300})\}")
_CITATION = re.compile(r"\s*~?\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(?:\[[^\[\]]{0,300}\]\s*){0,2}\{[^{}]{0,2000}\}")
_XSPACE = re.compile(r"\\xspace(?![A-Za-z@])(\s*(?:\{\})?(?=[-.,;:!?)\]'/~]))?")
_GAP = re.compile(r"\s+(?=[.,](?:\s|\Z))")
_PERCENT = re.compile(r"(%[^\s%]{0,20})\s")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_UNWRAPPED = re.compile(r"\\(?:textsf|texttt|textup|textmd|mbox|hbox|fbox|emph|text)(?=\s*\{)")
_FRACTION = re.compile(r"\\(?:sfrac|nicefrac|tfrac|dfrac|cfrac)(?![A-Za-z])")
_ADDRESS = re.compile(r"\\href\s*\{[^{}]*\}")
_TYPED_ADDRESS = re.compile(r"\\(?:url|nolinkurl|path)\s*\{([^{}]{0,1000})\}")
_SPECIAL = re.compile(r"(?<!\\)([%#&_~^$])")
_SPACE = re.compile(r"\s+")
_STRUCTURE = re.compile(r"\\(?:begin|end)\s*\{[^{}]{0,100}\}|(?<!\\)[${}&]")
_COMMAND = re.compile(r"\\[A-Za-z@]+\*?|\\.|[{}$]", re.DOTALL)


def plain(tex: str, macros: Mapping[str, Macro], numbers: Mapping[str, str], rough: bool = False) -> str:
    """`tex` as readable text: macros written out, labels and footnotes gone, references as numbers.

    `numbers` holds what each label prints ("3"); an unknown one gives "[ref.]", a citation "[cit.]". Long input (over
    20,000 characters) is cut. `rough` only takes the commands out, for more text than a paper has. Never raises.
    """
    tex = tex[:MOST]
    tex = _without_commands(expand_text(tex, macros, MOST))
    tex = _TYPED_ADDRESS.sub(lambda match: _SPECIAL.sub(_typed, match.group(1)), tex)
    tex = _NAME.sub(lambda match: {"f": "Figure", "t": "Table", "s": "Section"}[match.group(1)], tex)
    tex = _REFERENCE.sub(lambda match: _printed(match, numbers), tex)
    tex = _CITATION.sub(lambda match: " [cit.]", tex)
    text = _GAP.sub("", scrub(_words(tex) if rough else _to_text(tex)).strip())
    # A bare % begins a comment for whoever reads the text as TeX again, to the end of its line.
    return _PERCENT.sub("\\1\n", text)


def _typed(match: re.Match[str]) -> str:
    return {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}.get(match.group(1), f"\\{match.group(1)}")


def _printed(match: re.Match[str], numbers: Mapping[str, str]) -> str:
    command = match.group(1)
    if command in ("href", "pageref"):
        return match.group()
    if command in ("subref", "subcaptionref"):
        return _printed_panel(match.group(2).strip(), numbers)
    found = [numbers.get(label.strip(), "") for label in match.group(2).split(",")]
    text = ", ".join(number for number in found if number)
    if command.lower() in ("cref", "autoref") and text:
        word = {"cref": "figure", "Cref": "Figure"}.get(command, "Figure")
        return f"{word} {text}"
    return text or "[ref.]"


def _printed_panel(label: str, numbers: Mapping[str, str]) -> str:
    """A panel's letter, with its label: the text around the figure cites the panel by that."""
    letter = numbers.get(label, "")[-1:]
    return f"({letter}, {label})" if letter.isalpha() else f"({label})"


def _without_commands(tex: str) -> str:
    """`tex` without the commands that print nothing in a caption, arguments included."""
    buffer = Buffer.of_file(tex, 0)
    parts: list[str] = []
    position = 0
    for match in _DROPPED.finditer(tex):
        if match.start() < position:
            continue
        bracket = buffer.bracket(match.end(), 300)
        group = buffer.group(bracket[2] if bracket else match.end())
        parts.append(tex[position : match.start()])
        if match.group(2) and group:  # of the changes package: the new text is what the paper says
            parts.append(tex[group[0] : group[1]])
            group = buffer.group(group[2]) if match.group(2) == "replaced" else group
        position = group[2] if group else bracket[2] if bracket else match.end()
    parts.append(tex[position:])
    tex = _FRACTION.sub(r"\\frac", _UNWRAPPED.sub("", _ADDRESS.sub("", "".join(parts))))
    return _BARE.sub(" ", _XSPACE.sub(lambda match: "" if match.group(1) is not None else " ", tex))


@lru_cache(maxsize=1)
def _converter() -> LatexNodes2Text:
    logging.getLogger("pylatexenc").setLevel(logging.ERROR)
    return LatexNodes2Text()


@lru_cache(maxsize=1)
def _known_commands() -> LatexContextDb:
    """The commands that pylatexenc knows; it would collect them for each text anew."""
    return get_default_latex_context_db()


@lru_cache(maxsize=4096)
def _to_text(tex: str) -> str:
    if "\\" not in tex and not any(char in tex for char in "${}~%^_&`'-"):
        return _SPACE.sub(" ", tex)
    # Strict: what pylatexenc does to mend broken input can take exponential time.
    for attempt in (tex, _STRUCTURE.sub(" ", tex)):
        try:
            text = _converter().latex_to_text(attempt, tolerant_parsing=False, latex_context=_known_commands())
            break
        except Exception:  # whatever it stumbles over, the words are still there
            continue
    else:
        return _words(tex)
    return _SPACE.sub(" ", text.replace("\u00a0", " "))


def _words(tex: str) -> str:
    return _SPACE.sub(" ", _COMMAND.sub(" ", tex))


def comparable(text: str) -> str:
    """`text` for comparing captions: plain, lower case, letters and digits only."""
    # Given captions are often plain text already, where a % is a percent sign.
    return re.sub(r"[\W_]+", "", plain(_BARE_PERCENT.sub(r"\\%", text), {}, {}).lower())
