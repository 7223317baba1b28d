"""Which branch of a conditional is live: author switches, booleans, toggles and simple tests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from data_juicer_ext.latex.expand.macros import Macro

_TOKEN = r"(\\[A-Za-z@]+|\\.|[^\s\\])"
_TWO_TOKENS = re.compile(rf"\s*{_TOKEN}\s*{_TOKEN}[ \t]?", re.DOTALL)
_ONE_NAME = re.compile(r"\s*\\([A-Za-z@]+)[ \t]?")
_CS_NAME = re.compile(r"([^\\{}\n]{0,80})\\endcsname[ \t]?")
_NUMBERS = re.compile(r"\s*(-?\d+|\\[A-Za-z@]+(?:\{\w*\})?)\s*([<=>])\s*(-?\d+|\\[A-Za-z@]+(?:\{\w*\})?)[ \t]?")
_BOOLEAN = re.compile(r"\\boolean\s*\{([^{}]*)\}")
_EQUAL = re.compile(r"\\equal\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMPARE = re.compile(r"^\s*(-?\d+)\s*([<=>])\s*(-?\d+)\s*$")
_UNDEFINED = ("\\undefined", "\\@undefined", "\\relax")
# What pdfLaTeX with a plain class gives; \if@twocolumn follows the class options.
_KNOWN = {"true": True, "false": False, "pdf": True, "PDFTeX": True, "pdftex": True, "xetex": False,
          "XeTeX": False, "xetexorluatex": False, "luatex": False, "LuaTeX": False, "mmode": False,
          "hmode": True, "vmode": False, "inner": False, "tutex": False, "vtex": False}  # fmt: skip


@dataclass
class Switches:
    """The conditionals that a paper declares, and their state at this point of the text."""

    state: dict[str, bool] = field(default_factory=dict)
    two_columns: bool = False

    def declare(self, name: str, value: bool = False) -> None:
        """A \\newif, \\newboolean or \\newtoggle."""
        self.state.setdefault(name, value)

    def alias(self, name: str, target: str) -> bool:
        """Whether `name` was just made a copy of a conditional, as in \\let\\ifdraft\\iffalse."""
        meant = target.removeprefix("\\if")
        if not name.startswith("if") or meant == target:
            return False
        value = self.state.get(meant, _KNOWN.get(meant))
        if value is None:
            return False
        self.state[name[2:]] = value
        return True

    def set_by_command(self, name: str) -> bool:
        """Whether `name` is \\footrue or \\foofalse of a declared switch; it is set then."""
        for ending, value in (("true", True), ("false", False)):
            stem = name.removesuffix(ending)
            if stem != name and stem in self.state:
                self.state[stem] = value
                return True
        return False

    def test(self, name: str, text: str, after: int, macros: Mapping[str, Macro]) -> tuple[bool, int]:
        """The outcome of the conditional `name` (without "if"), and the offset after its condition.

        What cannot be known (class switches, lengths) counts as true, so that the first branch lives.
        """
        if name in self.state:
            return self.state[name], after
        if name.endswith("@twocolumn"):
            return self.two_columns, after
        if name in _KNOWN:
            return _KNOWN[name], after
        if name in ("x", "", "cat"):
            return _same_tokens(text, after, macros)
        if name == "defined":
            found = _ONE_NAME.match(text, after)
            return (found.group(1) in macros, found.end()) if found else (True, after)
        if name == "csname":
            named = _CS_NAME.match(text, after)
            return (named.group(1).strip() in macros, named.end()) if named else (True, after)
        if name in ("num", "dim"):
            return _numbers(text, after, macros)
        return True, after

    def test_expression(self, expression: str) -> bool:
        """The outcome of an \\ifthenelse test; unknown booleans are false, as they are declared."""
        outcomes = []
        for choice in re.split(r"\\(?:or|OR)(?![A-Za-z])", expression)[:50]:
            terms = re.split(r"\\(?:and|AND)(?![A-Za-z])", choice)[:50]
            outcomes.append(all(self._term(term) for term in terms))
        return any(outcomes)

    def _term(self, term: str) -> bool:
        negated = len(re.findall(r"\\(?:not|NOT)(?![A-Za-z])", term)) % 2 == 1
        boolean, equal = _BOOLEAN.search(term), _EQUAL.search(term)
        compare = _COMPARE.match(term)
        if boolean:
            value = self.state.get(boolean.group(1).strip(), False)
        elif equal:
            value = equal.group(1).strip() == equal.group(2).strip()
        elif compare:
            value = _compare(int(compare.group(1)), compare.group(2), int(compare.group(3)))
        else:
            return True
        return value != negated


def _same_tokens(text: str, after: int, macros: Mapping[str, Macro]) -> tuple[bool, int]:
    match = _TWO_TOKENS.match(text, after)
    if match is None:
        return True, after
    first, second = match.groups()
    if first in _UNDEFINED or second in _UNDEFINED:
        other = second if first in _UNDEFINED else first
        return other in _UNDEFINED or other[1:] not in macros, match.end()
    bodies = [macros[token[1:]].body if token[1:] in macros else token for token in (first, second)]
    return bodies[0] == bodies[1], match.end()


def _numbers(text: str, after: int, macros: Mapping[str, Macro]) -> tuple[bool, int]:
    match = _NUMBERS.match(text, after)
    if match is None:
        return True, after
    values = []
    for operand in (match.group(1), match.group(3)):
        body = macros[operand[1:]].body.strip() if operand[1:] in macros else operand
        if not re.fullmatch(r"-?\d{1,9}", body):
            return True, match.end()
        values.append(int(body))
    return _compare(values[0], match.group(2), values[1]), match.end()


def _compare(left: int, relation: str, right: int) -> bool:
    return {"<": left < right, "=": left == right, ">": left > right}[relation]
