"""Conditionals met on the walk: the live branch is read, the other one passed over."""

from __future__ import annotations

import re

from data_juicer_ext.latex.buffer import NOT_CONDITIONAL, Buffer, is_conditional
from data_juicer_ext.latex.calls import call
from data_juicer_ext.latex.macros import expand_text
from data_juicer_ext.latex.walk import MAX_DEPTH, SWITCH_MAKERS, Walk

_IF_NAME = re.compile(r"\s*\\if([A-Za-z@]+)")


def test(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """An \\if: go on in the branch that lives."""
    after = match.end()
    if name in walk.macros:
        return call(walk, name, buffer, match)
    if name in NOT_CONDITIONAL or not is_conditional(name, buffer.text, after, buffer.declared):
        return braced_test(walk, name, buffer, match)
    parts = buffer.conditional(match.start())
    walk.before(buffer, match)
    if parts is None:
        return after
    outcome, after = walk.switches.test(name[2:], buffer.text, after, walk.macros)
    closing = parts.end + len("\\fi")
    if outcome:
        if parts.other >= 0:
            buffer.skips[parts.other] = closing
        return after
    return closing if parts.other < 0 else parts.other + len("\\else")


def alternative(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\else, \\or or \\fi: the end of a branch."""
    walk.before(buffer, match)
    return buffer.skips.get(match.start(), match.end())


def braced_test(walk: Walk, name: str, buffer: Buffer, match: re.Match[str]) -> int | None:
    """A test whose branches are braced arguments: walk over the one that lives."""
    groups: list[tuple[int, int, int]] = []
    while len(groups) < 3:
        group = buffer.group(groups[-1][2] if groups else match.end())
        if group is None:
            return None
        groups.append(group)
    subject = buffer.text[groups[0][0] : groups[0][1]]
    if name == "ifthenelse":
        outcome = walk.switches.test_expression(expand_text(subject, walk.macros, 2000))
    elif name in ("ifbool", "iftoggle"):
        outcome = walk.switches.state.get(subject.strip(), False)
    elif name in ("@ifundefined", "IfFileExists"):
        known = subject.strip() in walk.macros if name[0] == "@" else walk.inputs.find(subject.strip())
        outcome = bool(known) == (name[0] == "I")
    else:
        return None
    walk.before(buffer, match)
    chosen = groups[1] if outcome else groups[2]
    if walk.depth <= MAX_DEPTH:
        walk.run(buffer, chosen[0], chosen[1])
    return groups[2][2]


def switch(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A switch is declared or set."""
    if name == "newif":
        named = _IF_NAME.match(buffer.text, match.end())
        if named is None:
            return None
        walk.switches.declare(named.group(1))
        walk.before(buffer, match)
        return named.end()
    group = buffer.group(match.end())
    if group is None:
        return None
    switch = buffer.text[group[0] : group[1]].strip()
    value = buffer.group(group[2]) if name.startswith("set") else None
    state = buffer.text[value[0] : value[1]].strip() == "true" if value else name.endswith("true")
    if name in SWITCH_MAKERS:
        walk.switches.declare(switch)
    else:
        walk.switches.state[switch] = state
    walk.before(buffer, match)
    return value[2] if value else group[2]


def choose(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A test whose branches are braced arguments and whose name does not begin with "if"."""
    return braced_test(walk, name, buffer, match)
