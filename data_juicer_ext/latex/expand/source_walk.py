"""The walk over the source of a paper, in the order in which LaTeX reads it.

Only commands that matter are looked at; all else is copied as it stands, with its place. What the
commands do is told by a handler (see `expand`), so that this module knows only how to walk.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from data_juicer_ext.latex.expand.conditional_tests import Switches
from data_juicer_ext.latex.expand.flat_text import FlatWriter
from data_juicer_ext.latex.expand.input_paths import Inputs
from data_juicer_ext.latex.expand.macros import DEFINERS, Argument, Macro, Macros, fill, filled_length, read_arguments
from data_juicer_ext.latex.expand.relevant_macros import Worth
from data_juicer_ext.latex.expand.tex_buffer import VERBATIM, Buffer
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.paper_files import SourceTree

IMAGE_COMMANDS = ("includegraphics", "includesvg", "epsfig", "epsfbox", "psfig", "plotone", "plottwo", "graphicspath")
SWITCH_MAKERS = ("newboolean", "provideboolean", "newbool", "providebool", "newtoggle", "providetoggle")
SWITCH_SETTERS = ("setboolean", "setbool", "settoggle", "booltrue", "boolfalse", "toggletrue", "togglefalse")
OWN_ENVIRONMENTS = (
    "excludecomment", "excludeversion", "lstnewenvironment", "DefineVerbatimEnvironment", "newtcblisting", "newminted"
)  # fmt: skip
_NAMES = (
    *DEFINERS, *IMAGE_COMMANDS, *SWITCH_MAKERS, *SWITCH_SETTERS, *OWN_ENVIRONMENTS, "input", "include", "subfile",
    "subfileinclude", "import", "subimport", "includefrom", "subincludefrom", "includeonly", "endinput", "newif",
    "else", "fi", "or", "url", "href", "nolinkurl", "lstinline", "mintinline", "usepackage", "RequirePackage",
    "documentclass", "@ifundefined", "IfFileExists", "InputIfFileExists", "foreach", "maketitle",
    "@maketitle", "DeclareOption", "ExecuteOptions", "ProcessOptions",
)  # fmt: skip
MAX_DEPTH = 40
_SUBFILES = (  # what the subfiles package leaves out of the whole document
    Macro("onlyinsubfile", (Argument("m"),), ""),
    Macro("ifSubfilesClassLoaded", (Argument("m"), Argument("m")), "#2"),
)
_MACRO_BUDGET = 60_000  # characters that macros may grow to, plus two for each character read
_CALL_COST = 100  # characters that a call counts for, besides those that it gives
# One pattern for all papers: a pattern of a paper's own names would have to be compiled for each.
_COMMAND = re.compile(r"\\(?:(?P<test>if[A-Za-z@]*)|(?P<name>[A-Za-z@]+)|[\\%])")
_COMMENT = re.compile(r"%[^\n]*(?:\n(?![ \t]*\n)[ \t]*%[^\n]*)*(?:\n(?![ \t]*\n)[ \t]*)?")
# Commands that are looked at with what follows them.
_LONGER = re.compile(r"\\(?:verb\*?(?P<bar>[^A-Za-z\s*@])|(?P<side>begin|end)\s*\{(?P<kind>[^{}\\%\n]{1,60})\})")
_LONGER_NAMES = ("begin", "end", "verb")
_NAME = _COMMAND.groupindex["name"]
_LINE_REST = re.compile(r"[ \t]*\n")


@dataclass
class ClassOptions:
    """The options that are given to the class or package that is read, and what those it declares do."""

    given: frozenset[str] = frozenset()
    declared: dict[str, tuple[Buffer, int, int]] = field(default_factory=dict)


Handler = Callable[["Walk", Buffer, "re.Match[str]", int], "int | None"]


class Walk:
    """State of the walk over one paper: macros and switches known so far, what is read, what is written.

    A handler gets the walk, the buffer, a match of the pattern and the end of the stretch; it answers
    with the offset to go on from, or None to have the command copied as it is.
    """

    def __init__(self, tree: SourceTree, main: str, options: LatexOptions, handle: Handler) -> None:
        self.handle = handle
        self.inputs = Inputs(tree, main)
        self.writer = FlatWriter(options.max_source_chars)
        self.macros = Macros({macro.name: macro for macro in _SUBFILES})
        self.switches = Switches()
        self.hidden = {"comment"}
        self.verbatim = set(VERBATIM) - {"comment", "filecontents", "filecontents*", "verbatimwrite"}
        self.notes: list[str] = []
        self.names = {*_NAMES, *self.macros}
        self.environments = {"document", "comment", "filecontents", "filecontents*", "verbatimwrite", *self.verbatim}
        self.worth = Worth(_SUBFILES)
        self._ignored: set[str] = set()
        self.budget = options.max_source_chars
        self.macro_budget = _MACRO_BUDGET
        self.open_arguments: dict[str, list[list[str]]] = {}  # of environments whose end uses them
        self.depth = 0
        self.muted = False
        self.options = ClassOptions()
        self.class_options: frozenset[str] = frozenset()
        self.file_ended = self.ended = self.titled = False
        self.pending = 0
        self._read: set[str] = set()

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
        again = path in self._read
        if path in self.inputs.stack or not self.afford(len(buffer.text), again):
            self.note(f"input of {path} not followed: it reads itself, or too much was read already")
            return
        if not again:
            self._read.add(path)
            self.macro_budget += 2 * len(buffer.text)
        start = self.inputs.body_start(buffer.text) if self.inputs.stack else 0
        self.inputs.stack.append(path)
        self.run(buffer, start, len(buffer.text))
        self.file_ended = False
        self.inputs.stack.pop()

    def afford(self, size: int, again: bool) -> bool:
        """Whether `size` more characters may be read; what is read again counts twice what a macro does."""
        if again:
            self.macro_budget -= 2 * (size + _CALL_COST)
        else:
            self.budget -= size
        return self.depth <= MAX_DEPTH and min(self.budget, self.macro_budget) > 0

    def define(self, macro: Macro) -> None:
        """Take in a macro or environment, so that its uses are looked at."""
        self.macros[macro.name] = macro
        self.worth.define(macro)
        (self.environments if macro.environment else self.names).add(macro.name)
        self.look_again()

    def declare(self, switch: str) -> None:
        """Take in a \\newif: \\if<switch> is a conditional, which two commands set."""
        self.switches.declare(switch)
        self.inputs.declared.add(f"if{switch}")
        self.names |= {f"{switch}true", f"{switch}false"}
        self.look_again()

    def ignore(self, name: str) -> None:
        """Pass over the command `name`: there is nothing in it, as things are."""
        self.names.discard(name)
        self._ignored.add(name)

    def look_again(self) -> None:
        """A macro or switch has changed: what was passed over may have something in it."""
        self.names |= self._ignored
        self._ignored.clear()

    def _next(self, buffer: Buffer, position: int, end: int) -> re.Match[str] | None:
        """The next comment, command or environment in buffer[position:end] that is looked at."""
        text = buffer.text
        while True:
            percent = buffer.percent(position)
            # Commands and comments are looked for one by one: a search for either of two signs is much slower.
            for match in _COMMAND.finditer(text, position, min(end, percent + 1)):
                if match.lastindex == _NAME:
                    name = match.group(_NAME)
                    if name in self.names:
                        return match
                    longer = _LONGER.match(text, match.start(), end) if name in _LONGER_NAMES else None
                    if longer is not None and (longer["bar"] or longer["kind"] in self.environments):
                        return longer
                elif match.lastindex:
                    return match
                position = match.end()
            if percent >= end:
                return None
            if position <= percent:
                return _COMMENT.match(text, percent, end)

    @property
    def stopped(self) -> bool:
        """Whether nothing more of this file is taken in."""
        return self.file_ended or self.ended or self.writer.length >= self.writer.limit

    def run(self, buffer: Buffer, start: int, end: int) -> None:
        """Walk over buffer[start:end]."""
        text = buffer.text
        pending = position = start
        self.depth += 1
        while not self.stopped:
            match = self._next(buffer, position, end)
            if match is None:
                break
            self.pending = pending
            after = self.handle(self, buffer, match, end)
            if after is None:  # nothing of ours: copied with what follows
                position = match.end()
                continue
            if match.lastgroup and self.writer.at_line_start and not self.muted:
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
        if start < end and not self.muted:
            self.writer.emit(buffer, start, end, protected)

    def before(self, buffer: Buffer, match: re.Match[str]) -> None:
        """Copy what stands before a command that is going to be replaced."""
        self.emit(buffer, self.pending, match.start())

    def replace(self, macro: Macro, body: str, buffer: Buffer, match: re.Match[str]) -> int | None:
        """Walk over `body` in place of the call at `match`; the offset after the call."""
        if self.depth > MAX_DEPTH or self.macro_budget <= 0:
            self.note(f"\\{macro.name} not written out: macros within macros too deep or too large")
            return None
        call = read_arguments(macro, buffer, match.end())
        if call is None:
            return None
        if filled_length(body, call[0]) > 2 * self.macro_budget:
            self.note(f"\\{macro.name} not written out: it is too large")
            return None
        self.before(buffer, match)
        filled = fill(body, call[0], buffer, match.start())
        self.macro_budget -= len(filled.text) + _CALL_COST
        self.run_part(filled, 0, len(filled.text))
        return call[1]

    def run_part(self, buffer: Buffer, start: int, end: int) -> None:
        """Walk over buffer[start:end] in place of a command: the line that it stood on is no blank line."""
        rest = _LINE_REST.match(buffer.text, start, end) if self.writer.at_line_start and not self.muted else None
        self.run(buffer, rest.end() if rest else start, end)
