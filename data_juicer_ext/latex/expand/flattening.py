"""From source files to the live text: inputs, comments, conditionals, verbatim text and macros.

What never reaches the page is left out, and what the page shows as it is typed (verbatim text) is
kept but blotted out of the searchable mask.
"""

import re
from collections.abc import Callable, Iterable

from data_juicer_ext.latex.expand import (
    class_options,
    conditional_branches,
    file_reading,
    foreach_loops,
    macro_calls,
    verbatim_environments,
)
from data_juicer_ext.latex.expand.flat_text import Flat
from data_juicer_ext.latex.expand.macros import DEFINERS
from data_juicer_ext.latex.expand.source_walk import (
    IMAGE_COMMANDS,
    OWN_ENVIRONMENTS,
    SWITCH_MAKERS,
    SWITCH_SETTERS,
    Walk,
)
from data_juicer_ext.latex.expand.tex_buffer import Buffer
from data_juicer_ext.latex.options import LatexOptions
from data_juicer_ext.latex.source.paper_files import SourceTree


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
        return action(walk, name, buffer, match, end) if action else macro_calls.call(walk, name, buffer, match)
    if kind == "test":
        return conditional_branches.test(walk, match.group("test"), buffer, match, end)
    if kind == "kind":
        return verbatim_environments.environment(walk, match.group("side"), match.group("kind"), buffer, match)
    return verbatim_environments.verb(walk, buffer, match)


_Action = Callable[[Walk, str, Buffer, "re.Match[str]", int], "int | None"]


def _actions(*pairs: tuple[Iterable[str], _Action]) -> dict[str, _Action]:
    return {name: action for names, action in pairs for name in names}


_ACTIONS = _actions(
    (DEFINERS, macro_calls.define),
    (IMAGE_COMMANDS, file_reading.image_path),
    ((*SWITCH_MAKERS, *SWITCH_SETTERS, "newif"), conditional_branches.switch),
    (("else", "fi", "or"), conditional_branches.alternative),
    (("@ifundefined", "IfFileExists"), conditional_branches.choose),
    (("url", "href", "nolinkurl"), verbatim_environments.web_address),
    (("lstinline", "mintinline"), verbatim_environments.inline_code),
    (("usepackage", "RequirePackage", "documentclass"), file_reading.package),
    (("endinput",), file_reading.end_input),
    (("maketitle", "@maketitle"), macro_calls.title),
    (("DeclareOption",), class_options.declare),
    (("ExecuteOptions",), class_options.execute),
    (("ProcessOptions",), class_options.process),
    (("InputIfFileExists",), file_reading.read_if_there),
    (("foreach",), foreach_loops.foreach),
    (OWN_ENVIRONMENTS, verbatim_environments.own),
    (
        ("input", "include", "subfile", "subfileinclude", "import", "subimport", "includefrom", "subincludefrom",
         "includeonly"), file_reading.read_input,
    ),
)  # fmt: skip
