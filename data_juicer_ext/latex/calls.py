"""Macros met on the walk: definitions taken in, calls written out where it matters."""

from __future__ import annotations

import re

from data_juicer_ext.latex.buffer import Buffer
from data_juicer_ext.latex.macros import CORE, CORE_ENVIRONMENTS, read_definition
from data_juicer_ext.latex.walk import Walk


def define(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A macro or environment of the paper is defined."""
    found = read_definition(name, buffer, match.end())
    if found is None:
        return None
    macro, after = found
    if walk.switches.alias(macro.name, macro.body):
        walk.before(buffer, match)
        return after
    internal = walk.muted and ("@" in macro.body or "\\csname" in macro.body)
    kept = name.lower().startswith("provide") and macro.name in walk.macros
    shielded = CORE_ENVIRONMENTS if macro.environment else CORE
    if macro.name not in shielded and not internal and not kept:
        walk.macros[macro.name] = macro
        walk.worth.clear()
    if macro.name.startswith("the"):  # how counters print: needed for the figure numbers
        return None if after <= end else after
    walk.before(buffer, match)
    return after


def call(walk: Walk, name: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """A call of the paper's own macro, or of a switch (\\footrue)."""
    macro = walk.macros.get(name)
    if walk.switches.set_by_command(name):
        walk.before(buffer, match)
        return match.end()
    if macro is None or macro.environment or not walk.is_worth(name):
        return None
    return walk.replace(macro, macro.body, buffer, match)
