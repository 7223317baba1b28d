"""A stretch of TeX with what can be asked of it in constant time: braces, conditionals, places.

One linear pass finds every matching brace and every \\if ... \\else ... \\fi, so that no later
question scans ahead and no unclosed group makes the work quadratic.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property

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


@dataclass(frozen=True)
class Piece:
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

    @classmethod
    def of_file(cls, text: str, file: int, offset: int = 0, declared: Set[str] = frozenset()) -> Buffer:
        """The text of a file (its index), from `offset` on; `declared` are the conditionals of the paper."""
        return cls(text, [Piece(0, file, offset, True)], declared)

    @cached_property
    def _tables(self) -> Tables:
        return match_tokens(self.text, self.declared)

    def closing(self, brace: int) -> int:
        """Offset of the brace that closes the one at `brace`, -1 if none does."""
        return self._tables.braces.get(brace, -1)

    def conditional(self, position: int) -> Conditional | None:
        """The conditional that begins at `position`, None if it never ends."""
        return self._tables.conditionals.get(position)

    def skip_space(self, position: int) -> int:
        """`position` moved over white space and comments."""
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
        end = self._tables.brackets.get(start, -1)
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


def match_tokens(text: str, declared: Set[str] = frozenset()) -> Tables:
    """What closes each brace and bracket, and the parts of each conditional; one linear pass."""
    tables = Tables()
    open_braces: list[int] = []
    open_brackets: list[list[int]] = [[]]  # of each brace level
    open_ifs: list[list[list[int]]] = [[]]  # of each brace level
    missing: set[str] = set()
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        token = match.group()
        if token == "{":
            open_braces.append(match.start())
            open_brackets.append([])
            open_ifs.append([])
        elif token == "}":
            if open_braces:
                tables.braces[open_braces.pop()] = match.start()
                open_brackets.pop()
                open_ifs.pop()
        elif token == "[":
            open_brackets[-1].append(match.start())
        elif token == "]":
            # LaTeX ends an optional argument at the first bracket outside braces.
            tables.brackets.update(dict.fromkeys(open_brackets[-1], match.start()))
            open_brackets[-1].clear()
        elif match.group(1) or match.group(2):
            position = _after_verbatim(text, match, missing)
        elif token in ("\\else", "\\or", "\\fi") or (
            token.startswith("\\if") and is_conditional(token[1:], text, position, declared)
        ):
            _note_conditional(token, match.start(), open_ifs, tables.conditionals)
    return tables


def _note_conditional(token: str, start: int, levels: list[list[list[int]]], found: dict[int, Conditional]) -> None:
    """Take in one \\if, \\else, \\or or \\fi; those of a macro's body stay in its braces."""
    opened = levels[-1] or (levels[-2] if len(levels) > 1 else [])
    if token in ("\\else", "\\or"):
        if opened and opened[-1][1] < 0:
            opened[-1][1] = start
    elif token == "\\fi":
        if opened:
            begin, other = opened.pop()
            found[begin] = Conditional(other, start)
    else:
        levels[-1].append([start, -1])


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
