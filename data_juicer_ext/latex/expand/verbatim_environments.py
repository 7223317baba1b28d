"""Environments met on the walk: hidden ones, verbatim text, files that the paper writes, its own."""

import re

from data_juicer_ext.latex.expand.macros import Macro, argument_texts, expand_text, with_texts
from data_juicer_ext.latex.expand.source_walk import Walk
from data_juicer_ext.latex.expand.tex_buffer import Buffer, end_of_verb

_FILE_NAME = re.compile(r"\s*(?:\[[^\]\n]{0,100}\])?\s*\{([^{}\n]{1,300})\}")
_OWN_NAME = re.compile(r"(?:\[[^\]\n]{0,500}\])?\s*\{([A-Za-z0-9]{1,60}\*?)\}")
_ADDRESS = re.compile(r"\s*\{[^{}\n]*\}")


def environment(walk: Walk, side: str, kind: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """A \\begin or \\end of an environment that is looked at."""
    if kind == "document":
        return document(walk, side, buffer, match)
    if kind in walk.hidden or kind in walk.verbatim or kind.startswith(("filecontents", "verbatimwrite")):
        return raw(walk, kind, buffer, match) if side == "begin" else None
    macro = walk.macros.get(kind)
    if macro is None or not macro.environment or not walk.worth.holds(kind):
        return None
    if side == "begin":
        if "#" in macro.end_body:
            walk.open_arguments.setdefault(kind, []).append(argument_texts(macro, buffer, match.end()))
        return walk.replace(macro, macro.body, buffer, match)
    opened = walk.open_arguments.get(kind)
    end_body = with_texts(macro.end_body, opened.pop()) if opened else macro.end_body
    return walk.replace(Macro(kind, (), "", environment=True), end_body, buffer, match)


def document(walk: Walk, side: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """\\begin and \\end of the document; nothing after the end is read."""
    if side == "begin":
        return None
    walk.before(buffer, match)
    if len(walk.inputs.stack) > 1 and walk.inputs.is_document(walk.inputs.stack[-1]):
        walk.file_ended = True
    else:
        walk.ended = True
    return match.end()


def raw(walk: Walk, kind: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """An environment that is not read as LaTeX: left out, quoted, or kept as a file."""
    needle = f"\\end{{{kind}}}"
    stop = buffer.find_end(needle, match.end())
    if stop < 0:
        return None
    walk.before(buffer, match)
    if kind in walk.verbatim:
        walk.emit(buffer, match.start(), stop + len(needle), protected=True)
    elif kind not in walk.hidden:
        name = _FILE_NAME.match(buffer.text, match.end(), stop)
        if name is not None:
            walk.inputs.write(expand_text(name.group(1), walk.macros, 500), buffer, name.end(), stop)
    return stop + len(needle)


def own(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """An environment is declared whose text is not read as LaTeX, or not at all."""
    named = _OWN_NAME.match(buffer.text, match.end())
    if named is not None:
        (walk.hidden if name.startswith("exclude") else walk.verbatim).add(named.group(1))
        walk.environments.add(named.group(1))
    return None


def verb(walk: Walk, buffer: Buffer, match: re.Match[str]) -> int | None:
    """\\verb and the text between its bars."""
    stop = end_of_verb(buffer.text, match.group("bar"), match.end())
    if stop < 0:
        return None
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), stop + 1, protected=True)
    return stop + 1


def inline_code(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\lstinline, \\mintinline and their text."""
    options = buffer.bracket(match.end(), 500)
    at = options[2] if options else match.end()
    language = buffer.group(at) if name == "mintinline" else None
    at = language[2] if language else at
    group = buffer.group(at) if buffer.text.startswith("{", at) else None
    stop = group[2] if group else buffer.text.find(buffer.text[at : at + 1] or "\n", at + 1, at + 500) + 1
    if stop <= 0:
        return None
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), stop, protected=True)
    return stop


def web_address(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """An address, in which a % is no comment."""
    # A % in an address is no comment.
    found = _ADDRESS.match(buffer.text, match.end())
    if found is None:
        return None
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), found.end())
    return found.end()
