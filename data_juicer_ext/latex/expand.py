"""From source files to the live text: inputs, comments, conditionals, verbatim text and macros.

What never reaches the page is left out, and what the page shows as it is typed (verbatim text) is
kept but blotted out of the searchable mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from data_juicer_ext.latex import branches, calls, class_options, loops, raw_text, reading
from data_juicer_ext.latex.buffer import Buffer
from data_juicer_ext.latex.flat import Flat
from data_juicer_ext.latex.macros import DEFINERS
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source import SourceTree
from data_juicer_ext.latex.walk import IMAGE_COMMANDS, OWN_ENVIRONMENTS, SWITCH_MAKERS, SWITCH_SETTERS, Walk


def flatten(tree: SourceTree, main: str, options: LatexOptions) -> Flat:
    """The live text of the paper whose main document is `main`."""
    walk = Walk(tree, main, options, _handle)
    walk.run_file(main)
    flat = walk.writer.finish()
    flat.macros = walk.macros
    flat.files, flat.sources = walk.inputs.files, walk.inputs.sources
    flat.main_folder = walk.inputs.main_folder
    if walk.writer.full or walk.budget <= 0:
        walk.note("the LaTeX grows past max_source_chars; what comes after was not read")
    flat.notes = walk.notes
    return flat


def _handle(walk: Walk, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    kind = match.lastgroup
    if kind is None:  # a comment
        walk.before(buffer, match)
        return match.end()
    if kind == "name":
        name = match.group("name")
        action = _ACTIONS.get(name)
        return action(walk, name, buffer, match, end) if action else calls.call(walk, name, buffer, match)
    if kind == "test":
        return branches.test(walk, match.group("test"), buffer, match, end)
    if kind == "kind":
        return raw_text.environment(walk, match.group("side"), match.group("kind"), buffer, match)
    return raw_text.verb(walk, buffer, match)


_Action = Callable[[Walk, str, Buffer, "re.Match[str]", int], "int | None"]


def _actions(*pairs: tuple[Iterable[str], _Action]) -> dict[str, _Action]:
    return {name: action for names, action in pairs for name in names}


_ACTIONS = _actions(
    (DEFINERS, calls.define),
    (IMAGE_COMMANDS, reading.image_path),
    ((*SWITCH_MAKERS, *SWITCH_SETTERS, "newif"), branches.switch),
    (("else", "fi", "or"), branches.alternative),
    (("@ifundefined", "IfFileExists"), branches.choose),
    (("url", "href", "nolinkurl"), raw_text.web_address),
    (("lstinline", "mintinline"), raw_text.inline_code),
    (("usepackage", "RequirePackage", "documentclass"), reading.package),
    (("endinput",), reading.end_input),
    (("maketitle", "@maketitle"), calls.title),
    (("DeclareOption",), class_options.declare),
    (("ExecuteOptions",), class_options.execute),
    (("ProcessOptions",), class_options.process),
    (("InputIfFileExists",), reading.read_if_there),
    (("foreach",), loops.foreach),
    (OWN_ENVIRONMENTS, raw_text.own),
    (
        ("input", "include", "subfile", "subfileinclude", "import", "subimport", "includefrom", "subincludefrom",
         "includeonly"), reading.read_input,
    ),
)  # fmt: skip
