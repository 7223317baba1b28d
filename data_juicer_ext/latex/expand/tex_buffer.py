"""A stretch of TeX with what can be asked of it in constant time: braces, conditionals, places.

What closes an ordinary group is found by looking a few thousand characters ahead. For all else
(conditionals, long and unclosed groups, verbatim text in them) one linear pass finds every matching
brace and every \\if ... \\else ... \\fi, so that no unclosed group makes the work quadratic.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

_VERBATIM_NAMES = (
    "verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted alltt spverbatim code "
    "tcblisting listing* semiverbatim filecontents filecontents* verbatimwrite comment"
)
VERBATIM = frozenset(_VERBATIM_NAMES.split())
# Commands that begin with \if but end without \fi.
_BRACED_TESTS = (
    "iff ifthenelse ifdef ifundef ifcsdef ifcsundef ifbool ifboolexpr ifboolexpe iftoggle ifstrequal "
    "ifstrempty ifblank ifnotblank ifdefempty ifdefvoid ifcsempty ifdefequal ifdefstring ifnumcomp ifnumequal "
    "ifnumgreater ifnumless ifnumodd ifdimcomp ifdimequal ifinlist ifpackageloaded ifclassloaded ifstandalone "
    "ifnextchar ifstar ifundefined ifdefmacro ifdefcounter ifltxcounter ifxifinlist iflanguage"
)
NOT_CONDITIONAL = frozenset(_BRACED_TESTS.split())
_PRIMITIVES = (
    "if ifx ifcat ifnum ifdim ifodd ifcase iftrue iffalse ifvmode ifhmode ifmmode ifinner ifdefined ifcsname ifvoid "
    "ifhbox ifvbox ifeof ifpdf ifpdftex ifPDFTeX ifxetex ifXeTeX ifluatex ifLuaTeX if@twocolumn if@twoside"
)
CONDITIONAL = frozenset(_PRIMITIVES.split())
_SKIP = re.compile(r"(?:\s|%[^\n]*\n)*")
_TOKEN = re.compile(
    r"[{}\[\]]"
    r"|\\(?:newif|def|gdef)\s*\\if[A-Za-z@]+"
    r"|\\let\s*\\if[A-Za-z@]+\s*=?\s*(?:\\if[A-Za-z@]*)?"
    r"|\\(?:if[A-Za-z@]*|else(?![A-Za-z@])|fi(?![A-Za-z@])|or(?![A-Za-z@]))"
    r"|\\verb\*?([^A-Za-z\s*@])"
    r"|\\begin\s*\{([A-Za-z]+\*?)\}"
    r"|\\(?:url|href|nolinkurl)\s*\{[^{}\n]*\}"
    r"|\\[^A-Za-z@]"
    r"|%[^\n]*",
    re.DOTALL,
)

_NEAR = 3000  # characters that are looked ahead before the whole text is
# The inside of a group up to five deep: each character fits in one way only, so nothing is tried twice.
_RAW = "|".join(re.escape(name) for name in sorted(VERBATIM, reverse=True))
_ADDRESS = r"(?:url|href|nolinkurl)\s*\{[^{}\n]*\}"
_ESCAPED = rf"%[^\n]*\n|\\{_ADDRESS}|\\(?!{_ADDRESS}|verb\*?[^A-Za-z\s*@]|begin\s*\{{(?:{_RAW})\}})."
_INSIDE = _PLAIN = r"[^{}\\%]*"
for _depth in range(5):
    _INSIDE = rf"{_PLAIN}(?:(?:{_ESCAPED}|\{{{_INSIDE}\}}){_PLAIN})*"
_NEAR_GROUP = re.compile(rf"\{{{_INSIDE}\}}", re.DOTALL)
_NEAR_BRACKET = re.compile(rf"\[[^{{}}\\%\]]*(?:(?:{_ESCAPED}|\{{{_INSIDE}\}})[^{{}}\\%\]]*)*\]", re.DOTALL)


class Piece(NamedTuple):
    """Where a part of a buffer comes from; `moves`: offsets advance together (not a macro's body)."""

    start: int
    file: int
    offset: int
    moves: bool


@dataclass(frozen=True)
class Conditional:
    """The offsets of one \\if's \\else (or \\or) and \\fi; `other` is -1 where there is none."""

    other: int
    end: int


@dataclass(frozen=True)
class Tables:
    """By the offset of its beginning, where each brace, bracket and conditional ends."""

    braces: dict[int, int] = field(default_factory=dict)
    brackets: dict[int, int] = field(default_factory=dict)
    conditionals: dict[int, Conditional] = field(default_factory=dict)


class Buffer:
    """Text of a file or of an expanded macro, and where each character of it comes from."""

    def __init__(self, text: str, pieces: list[Piece], declared: Set[str] = frozenset()) -> None:
        self.text = text
        self.declared = declared
        self.pieces = pieces
        self._starts = [piece.start for piece in pieces]
        self.missing_ends: set[str] = set()
        self.skips: dict[int, int] = {}
        self._percent = (0, -1)
        self._near: dict[int, Conditional] = {}

    @classmethod
    def of_file(cls, text: str, file: int, offset: int = 0, declared: Set[str] = frozenset()) -> "Buffer":
        """The text of a file (its index), from `offset` on; `declared` are the conditionals of the paper."""
        return cls(text, [Piece(0, file, offset, True)], declared)

    @cached_property
    def _tables(self) -> Tables:
        return match_tokens(self.text, self.declared)

    def closing(self, brace: int) -> int:
        """Offset of the brace that closes the one at `brace`, -1 if none does."""
        near = None if "_tables" in self.__dict__ else _NEAR_GROUP.match(self.text, brace, brace + _NEAR)
        return near.end() - 1 if near else self._tables.braces.get(brace, -1)

    def conditional(self, position: int) -> Conditional | None:
        """The conditional that begins at `position`, None if it never ends."""
        if "_tables" not in self.__dict__:
            if position not in self._near:  # those within it are kept as well
                self._near |= match_tokens(self.text, self.declared, position, position + _NEAR).conditionals
            if position in self._near:
                return self._near[position]
        return self._tables.conditionals.get(position)

    def percent(self, position: int) -> int:
        """Offset of the first percent sign from `position` on; beyond the end if there is none."""
        if not self._percent[0] <= position <= self._percent[1]:
            found = self.text.find("%", position)
            self._percent = (position, found if found >= 0 else len(self.text))
        return self._percent[1]

    def skip_space(self, position: int) -> int:
        """`position` moved over white space and comments."""
        if self.text[position : position + 1] > "%":  # neither space nor comment, nor the end
            return position
        match = _SKIP.match(self.text, position)
        return match.end() if match else position

    def group(self, position: int) -> tuple[int, int, int] | None:
        """The braced group after `position`: (start, end of its inside, offset after it)."""
        start = self.skip_space(position)
        if not self.text.startswith("{", start):
            return None
        end = self.closing(start)
        return None if end < 0 else (start + 1, end, end + 1)

    def bracket(self, position: int, limit: int = 5000) -> tuple[int, int, int] | None:
        """The bracketed argument after `position`, at most `limit` long; as `group`."""
        start = self.skip_space(position)
        if not self.text.startswith("[", start):
            return None
        near = None if "_tables" in self.__dict__ else _NEAR_BRACKET.match(self.text, start, start + _NEAR)
        end = near.end() - 1 if near else self._tables.brackets.get(start, -1)
        return (start + 1, end, end + 1) if 0 <= end <= start + limit else None

    def find_end(self, needle: str, position: int) -> int:
        """`text.find`, remembering what is not there, so that failing twice costs nothing."""
        if needle in self.missing_ends:
            return -1
        found = self.text.find(needle, position)
        if found < 0:
            self.missing_ends.add(needle)
        return found

    def origin(self, position: int) -> tuple[int, int]:
        """(index of the file, offset in it) of the character at `position`."""
        if not self.pieces:
            return 0, 0
        piece = self.pieces[max(0, bisect_right(self._starts, position) - 1)]
        return piece.file, piece.offset + (position - piece.start if piece.moves else 0)

    def origins(self, start: int, end: int) -> list[tuple[int, int, Piece]]:
        """The parts of [start, end) with the piece that each belongs to."""
        if len(self.pieces) == 1:
            return [(start, end, self.pieces[0])] if start < end else []
        parts = []
        index = bisect_right(self._starts, start) - 1
        while start < end and 0 <= index < len(self.pieces):
            stop = self._starts[index + 1] if index + 1 < len(self.pieces) else len(self.text)
            parts.append((start, min(stop, end), self.pieces[index]))
            start, index = stop, index + 1
        return parts


def is_conditional(name: str, text: str, after: int, declared: Set[str]) -> bool:
    """Whether the command `name` (without backslash) opens a conditional that ends with \\fi.

    `declared` are the paper's own (\\newif). Of an unknown one what follows decides: a macro that
    takes its branches as arguments is followed by a brace.
    """
    if name in CONDITIONAL or name in declared:
        return True
    return name.rsplit("@", 1)[-1] not in NOT_CONDITIONAL and not text.startswith("{", after)


def match_tokens(text: str, declared: Set[str] = frozenset(), only: int = -1, end: int = sys.maxsize) -> Tables:
    """What closes each brace and bracket, and the parts of each conditional; one linear pass up to `end`.

    With `only`, the offset of a conditional, it begins there, and ends where that does or its group.
    """
    tables = Tables()
    open_braces: list[int] = []
    open_brackets: dict[int, list[int]] = {}  # of each brace level
    open_ifs: dict[int, list[list[int]]] = {}  # of each brace level
    missing: set[str] = set()
    own: set[str] = set()
    position = max(0, only)
    while only not in tables.conditionals and (match := _TOKEN.search(text, position, end)) is not None:
        position = match.end()
        token = match.group()
        level = len(open_braces)
        if token == "{":
            open_braces.append(match.start())
        elif token == "}":
            if open_braces:
                tables.braces[open_braces.pop()] = match.start()
                open_brackets.pop(level, None)
                open_ifs.pop(level, None)
            elif only >= 0:
                break
        elif token == "[":
            open_brackets.setdefault(level, []).append(match.start())
        elif token == "]":
            # LaTeX ends an optional argument at the first bracket outside braces.
            tables.brackets.update(dict.fromkeys(open_brackets.pop(level, ()), match.start()))
        elif match.group(1) or match.group(2):
            position = _after_verbatim(text, match, missing)
        elif token.startswith("\\newif"):
            own.add(token[token.rindex("\\") + 1 :])
        elif token in ("\\else", "\\or", "\\fi") or (
            token.startswith("\\if") and (token[1:] in own or is_conditional(token[1:], text, position, declared))
        ):
            _note_conditional(token, match.start(), level, open_ifs, tables.conditionals)
    return tables


def _note_conditional(
    token: str, start: int, level: int, levels: dict[int, list[list[int]]], found: dict[int, Conditional]
) -> None:
    """Take in one \\if, \\else, \\or or \\fi; those of a macro's body stay in its braces."""
    opened = levels.get(level) or levels.get(level - 1) or []
    if token in ("\\else", "\\or"):
        if opened and opened[-1][1] < 0:
            opened[-1][1] = start
    elif token == "\\fi":
        if opened:
            begin, other = opened.pop()
            found[begin] = Conditional(other, start)
    else:
        levels.setdefault(level, []).append([start, -1])


def end_of_verb(text: str, bar: str, start: int) -> int:
    """Offset of the character that ends a \\verb whose text begins at `start`; -1 if its line has none."""
    line_end = text.find("\n", start, start + 2000)
    return text.find(bar, start, line_end if line_end >= 0 else start + 2000)


def _after_verbatim(text: str, match: re.Match[str], missing: set[str]) -> int:
    if match.group(1):
        stop = end_of_verb(text, match.group(1), match.end())
        return stop + 1 if stop >= 0 else match.end()
    name = match.group(2)
    needle = f"\\end{{{name}}}"
    if name not in VERBATIM or needle in missing:
        return match.end()
    end = text.find(needle, match.end())
    if end < 0:
        missing.add(needle)
        return match.end()
    return end + len(needle)
