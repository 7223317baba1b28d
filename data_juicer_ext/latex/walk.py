"""The walk over the source of a paper, in the order in which LaTeX reads it.

Only commands that matter are looked at; all else is copied as it stands, with its place. What the
commands do is told by a handler (see `expand`), so that this module knows only how to walk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from data_juicer_ext.latex.buffer import VERBATIM, Buffer
from data_juicer_ext.latex.conditions import Switches
from data_juicer_ext.latex.flat import Writer
from data_juicer_ext.latex.inputs import Inputs
from data_juicer_ext.latex.macros import (
    CORE,
    CORE_ENVIRONMENTS,
    DEFINERS,
    Argument,
    Macro,
    carries,
    commands_in,
    drops_argument,
    fill,
    read_arguments,
)
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source import SourceTree

IMAGE_COMMANDS = ("includegraphics", "includesvg", "epsfig", "epsfbox", "psfig", "plotone", "plottwo", "graphicspath")
SWITCH_MAKERS = ("newboolean", "provideboolean", "newbool", "providebool", "newtoggle", "providetoggle")
SWITCH_SETTERS = ("setboolean", "setbool", "settoggle", "booltrue", "boolfalse", "toggletrue", "togglefalse")
_BASE = (
    *DEFINERS, *IMAGE_COMMANDS, *SWITCH_MAKERS, *SWITCH_SETTERS, "input", "include", "subfile", "subfileinclude",
    "import", "subimport", "includefrom", "subincludefrom", "includeonly", "endinput", "newif", "else", "fi", "or",
    "url", "href", "nolinkurl", "lstinline", "mintinline", "usepackage", "RequirePackage", "documentclass",
    "excludecomment", "@ifundefined", "IfFileExists",
)  # fmt: skip
MAX_DEPTH = 40
_SUBFILES = (  # what the subfiles package leaves out of the whole document
    Macro("onlyinsubfile", (Argument("m"),), ""),
    Macro("ifSubfilesClassLoaded", (Argument("m"), Argument("m")), "#2"),
)
_MACRO_BUDGET = 300_000  # characters that macros may grow to, plus five for each character read
_MAX_NAMES = 3000
_MAX_PATTERNS = 40  # after so many changes of what is looked for, every command is looked at
_DEFINED = re.compile(
    rf"\\(?:{'|'.join(DEFINERS)})(?![A-Za-z])\*?\s*\{{?\s*(?:\\([A-Za-z@]+)|([A-Za-z][A-Za-z0-9*]*)\}})"
)
_NEW_IF = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_OWN_ENVIRONMENTS = re.compile(
    r"\\(excludecomment|lstnewenvironment|DefineVerbatimEnvironment|newtcblisting|newminted)"
    r"(?:\[[^\]\n]*\])?\s*\{([A-Za-z0-9]+\*?)\}"
)
_LINE_REST = re.compile(r"[ \t]*\n")


@lru_cache(maxsize=64)
def _pattern(names: frozenset[str], environments: frozenset[str]) -> re.Pattern[str]:
    if len(names) > _MAX_NAMES or not names:
        commands = "[A-Za-z@]+"
    else:
        by_letter: dict[str, list[str]] = {}
        for name in sorted(names, reverse=True):
            by_letter.setdefault(name[0], []).append(re.escape(name[1:]))
        commands = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in sorted(by_letter.items()))
    kinds = "|".join(re.escape(name) for name in sorted(environments, reverse=True))
    return re.compile(
        r"%[^\n]*(?:\n(?![ \t]*\n)[ \t]*)?"
        r"|\\(?:verb\*?(?P<bar>[^A-Za-z\s*@])"
        rf"|(?P<name>{commands})(?![A-Za-z@])"
        r"|(?P<test>if[A-Za-z@]*)"
        rf"|(?P<side>begin|end)\s*\{{(?P<kind>{kinds})\}}"
        r"|[\\%])"
    )


Handler = Callable[["Walk", Buffer, "re.Match[str]", int], "int | None"]


class Walk:
    """State of the walk over one paper: macros and switches known so far, what is read, what is written.

    A handler gets the walk, the buffer, a match of the pattern and the end of the stretch; it answers
    with the offset to go on from, or None to have the command copied as it is.
    """

    def __init__(self, tree: SourceTree, main: str, options: LatexOptions, handle: Handler) -> None:
        self.handle = handle
        self.inputs = Inputs(tree, main)
        self.writer = Writer(options.max_source_chars)
        self.macros = {macro.name: macro for macro in _SUBFILES}
        self.switches = Switches()
        self.hidden = {"comment"}
        self.verbatim = set(VERBATIM) - {"comment", "filecontents", "filecontents*", "verbatimwrite"}
        self.notes: list[str] = []
        self.names = {*_BASE, *self.macros}
        self.environments = {"document", "comment", "filecontents", "filecontents*", "verbatimwrite", *self.verbatim}
        self.worth: dict[str, bool] = {}
        self.budget = options.max_source_chars
        self.macro_budget = _MACRO_BUDGET
        self.depth = 0
        self.muted = False
        self.file_ended = self.ended = False
        self.pending = 0
        self._compiled = 0
        self._learnt: set[str] = set()
        self.compile()

    def note(self, text: str | Callable[[], str]) -> None:
        """Something the reader of the result should know; the first 100 are kept, each once."""
        if len(self.notes) < 100:
            told = text if isinstance(text, str) else text()
            if told not in self.notes:
                self.notes.append(told)

    def run_file(self, path: str) -> None:
        """Walk over a file of the paper, unless it is being read already."""
        try:
            buffer = self.inputs.buffer(path)
        except ValueError as error:
            self.note(str(error))
            return
        again = path in self._learnt
        if path in self.inputs.stack or not self.afford(len(buffer.text), again):
            self.note(f"input of {path} not followed: it reads itself, or too much was read already")
            return
        if not again:
            self._learnt.add(path)
            self.macro_budget += 5 * len(buffer.text)
            self.learn(buffer.text)
        start = self.inputs.body_start(buffer.text) if self.inputs.stack else 0
        self.inputs.stack.append(path)
        self.run(buffer, start, len(buffer.text))
        self.file_ended = False
        self.inputs.stack.pop()

    def afford(self, size: int, again: bool) -> bool:
        """Whether `size` more characters may be read; what is read again counts as a macro does."""
        if again:
            self.macro_budget -= size + 200
        else:
            self.budget -= size
        return self.depth <= MAX_DEPTH and min(self.budget, self.macro_budget) > 0

    def learn(self, text: str) -> None:
        """Take in the names that `text` defines, so that their uses are noticed."""
        known = len(self.names) + len(self.environments)
        for match in _DEFINED.finditer(text):
            if len(self.names) > _MAX_NAMES:
                break
            if match.group(1) and match.group(1).startswith("if"):
                continue  # looked at in any case
            if match.group(1):
                self.names.add(match.group(1))
            elif match.group(2) not in CORE_ENVIRONMENTS and len(self.environments) < _MAX_NAMES:
                self.environments.add(match.group(2))
        for match in _NEW_IF.finditer(text):
            self.inputs.declared.add(f"if{match.group(1)}")
            self.names |= {f"{match.group(1)}true", f"{match.group(1)}false"}
        for match in _OWN_ENVIRONMENTS.finditer(text):
            (self.hidden if match.group(1) == "excludecomment" else self.verbatim).add(match.group(2))
            self.environments.add(match.group(2))
        self.names -= CORE - set(_BASE)
        if len(self.names) + len(self.environments) != known:
            self.compile()

    def compile(self) -> None:
        """Make the pattern of what is looked for; after many changes, of every command."""
        self._compiled += 1
        names = frozenset(self.names) if self._compiled < _MAX_PATTERNS else frozenset()
        self.search = _pattern(names, frozenset(self.environments)).search

    def run(self, buffer: Buffer, start: int, end: int) -> None:
        """Walk over buffer[start:end]."""
        text = buffer.text
        pending = position = start
        self.depth += 1
        while not (self.file_ended or self.ended or self.writer.full):
            match = self.search(text, position, end)
            if match is None:
                break
            self.pending = pending
            after = self.handle(self, buffer, match, end)
            if after is None:  # nothing of ours: copied with what follows
                position = match.end()
                continue
            if match.group()[0] != "%" and self.writer.at_line_start and not self.muted:
                # Its line is used up: what is left of it must not read as a blank line.
                rest = _LINE_REST.match(text, after, end)
                after = rest.end() if rest else after
            pending = position = min(after, end)
        else:
            pending = end
        self.emit(buffer, pending, end)
        self.depth -= 1

    def emit(self, buffer: Buffer, start: int, end: int, protected: bool = False) -> None:
        """Copy buffer[start:end] to the live text."""
        if not self.muted:
            self.writer.emit(buffer, start, end, protected)

    def before(self, buffer: Buffer, match: re.Match[str]) -> None:
        """Copy what stands before a command that is going to be replaced."""
        self.emit(buffer, self.pending, match.start())

    def replace(self, macro: Macro, body: str, buffer: Buffer, match: re.Match[str]) -> int | None:
        """Walk over `body` in place of the call at `match`; the offset after the call."""
        call = read_arguments(macro, buffer, match.end())
        if call is None:
            return None
        if self.depth > MAX_DEPTH or self.macro_budget <= 0:
            self.note(f"\\{macro.name} not written out: macros within macros too deep or too large")
            return None
        self.before(buffer, match)
        filled = fill(body, call[0], buffer, match.start())
        self.macro_budget -= len(filled.text) + 20
        self.run(filled, 0, len(filled.text))
        return call[1]

    def is_worth(self, name: str) -> bool:
        """Whether the macro holds or drops something that the extraction needs to see."""
        if name not in self.worth:
            seen, todo, worth = {name}, [name], False
            while todo and not worth and len(seen) < 200:
                macro = self.macros[todo.pop()]
                body = macro.body + macro.end_body
                worth = carries(body) or (drops_argument(macro) and not macro.environment)
                fresh = {word for word in commands_in(body) if word in self.macros} - seen
                seen |= fresh
                todo += fresh
            self.worth[name] = worth
        return self.worth[name]
