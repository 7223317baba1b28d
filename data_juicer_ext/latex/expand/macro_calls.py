"""Macros met on the walk: definitions taken in, calls written out where it matters."""

import re
from dataclasses import replace

from data_juicer_ext.latex.expand.macros import CORE, CORE_ENVIRONMENTS, fill, read_definition
from data_juicer_ext.latex.expand.source_walk import Walk
from data_juicer_ext.latex.expand.tex_buffer import Buffer

_INTERNAL = re.compile(r"@|\\csname|\\noexpand|\\protect\s*\\begin|\\(?:Class|Package)(?:Error|Warning)")


def define(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A macro or environment of the paper is defined."""
    found = read_definition(name, buffer, match.end())
    if found is None:
        return None
    macro, after = found
    if walk.switches.alias(macro.name, macro.body):
        walk.before(buffer, match)
        return after
    meant = walk.macros.get(macro.body[1:]) if name == "let" else None
    if meant is not None and not meant.environment:
        macro = replace(meant, name=macro.name)  # what it means now, whatever becomes of the other
    internal = walk.muted and _INTERNAL.search(macro.body) is not None
    kept = name.lower().startswith("provide") and macro.name in walk.macros
    shielded = CORE_ENVIRONMENTS if macro.environment else CORE
    if macro.name not in shielded and not internal and not kept:
        walk.define(macro)
    if macro.name.startswith("the") or macro.name == "@captype":  # how counters print, what a caption is of
        return None if after <= end else after
    walk.before(buffer, match)
    return after


def title(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\maketitle: the title that the paper itself defines (\\@maketitle) may hold a figure."""
    macro = walk.macros.get("@maketitle")
    if name == "@maketitle" or walk.titled or macro is None or not walk.worth.holds("@maketitle"):
        return None
    walk.titled = True
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), match.end())
    body = fill(macro.body, [], buffer, match.start())
    walk.run_part(body, 0, len(body.text))
    return match.end()


def call(walk: Walk, name: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """A call of the paper's own macro, or of a switch (\\footrue)."""
    macro = walk.macros.get(name)
    if walk.switches.set_by_command(name):
        walk.before(buffer, match)
        return match.end()
    if macro is None or macro.environment or not walk.worth.holds(name):
        walk.ignore(name)
        return None
    return walk.replace(macro, macro.body, buffer, match)
