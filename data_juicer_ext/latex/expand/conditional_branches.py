"""Conditionals met on the walk: the live branch is read, the other one passed over."""

import re

from data_juicer_ext.latex.expand.macro_calls import call
from data_juicer_ext.latex.expand.macros import expand_text
from data_juicer_ext.latex.expand.source_walk import MAX_DEPTH, SWITCH_MAKERS, Walk
from data_juicer_ext.latex.expand.tex_buffer import CONDITIONAL, NOT_CONDITIONAL, Buffer, is_conditional

_NEAR = 500  # characters of a branch that are looked at before it is chosen
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
    if name not in CONDITIONAL and name[2:] not in walk.switches.state:  # of a class that is not there
        live = buffer.text[after : min(after + _NEAR, parts.end if parts.other < 0 else parts.other)]
        outcome = outcome and "\\includeonly" not in live  # set for drafts of a chapter
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
    tested = 2 if name == "ifstrequal" else 1
    while len(groups) < tested + 2:
        group = buffer.group(groups[-1][2] if groups else match.end())
        if group is None:
            return None
        groups.append(group)
    subject, other = (buffer.text[start:stop] for start, stop, _ in (groups[0], groups[tested - 1]))
    if name == "ifthenelse":
        outcome = walk.switches.test_expression(expand_text(subject, walk.macros, 2000))
    elif name in ("ifbool", "iftoggle"):
        outcome = walk.switches.state.get(subject.strip(), False)
    elif name == "ifstrequal":
        outcome = subject.strip() == other.strip()
    elif name in ("ifstrempty", "ifblank", "ifnotblank"):
        outcome = bool(subject.strip()) == (name == "ifnotblank")
    elif name in ("@ifundefined", "IfFileExists"):
        known = subject.strip() in walk.macros if name[0] == "@" else _is_there(walk, subject.strip())
        outcome = known == (name[0] == "I")
    else:
        return None
    walk.before(buffer, match)
    chosen = groups[tested] if outcome else groups[tested + 1]
    if walk.depth <= MAX_DEPTH:
        walk.run_part(buffer, chosen[0], chosen[1])
    return groups[-1][2]


def _is_there(walk: Walk, name: str) -> bool:
    """Whether the paper has the file `name`; what lies outside its folder it does not have."""
    try:
        return walk.inputs.find(name) is not None
    except PermissionError:
        return False


def switch(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A switch is declared or set."""
    if name == "newif":
        named = _IF_NAME.match(buffer.text, match.end())
        if named is None:
            return None
        walk.declare(named.group(1))
        walk.before(buffer, match)
        return named.end()
    group = buffer.group(match.end())
    if group is None:
        return None
    switch = buffer.text[group[0] : group[1]].strip()
    value = buffer.group(group[2]) if name.startswith("set") else None
    state = buffer.text[value[0] : value[1]].strip() == "true" if value else name.endswith("true")
    walk.look_again()
    if name in SWITCH_MAKERS:
        walk.switches.declare(switch)
    else:
        walk.switches.state[switch] = state
    walk.before(buffer, match)
    return value[2] if value else group[2]


def choose(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A test whose branches are braced arguments and whose name does not begin with "if"."""
    return braced_test(walk, name, buffer, match)
