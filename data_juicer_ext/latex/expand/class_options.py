"""Options that a class or package of the paper declares: done where they are given, left alone where not."""

import re

from data_juicer_ext.latex.expand.source_walk import MAX_DEPTH, Walk
from data_juicer_ext.latex.expand.tex_buffer import Buffer

_MOST = 200  # options of one class
_STAR = re.compile(r"\s*\*")


def declare(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\DeclareOption{option}{what to do}: kept until it is known whether the option is given."""
    starred = _STAR.match(buffer.text, match.end())
    option = None if starred else buffer.group(match.end())
    body = buffer.group(starred.end() if starred else option[2] if option else match.end())
    if body is None:
        return None
    walk.before(buffer, match)
    if option is not None and len(walk.options.declared) < _MOST:
        walk.options.declared[buffer.text[option[0] : option[1]].strip()] = (buffer, body[0], body[1])
    return body[2]


def execute(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\ExecuteOptions{options}: what they do is done, given or not."""
    listed = buffer.group(match.end())
    if listed is None:
        return None
    walk.before(buffer, match)
    for option in option_names(buffer.text[listed[0] : listed[1]]):
        _do(walk, option)
    return listed[2]


def process(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\ProcessOptions: what the given ones do is done, in the order in which they were declared."""
    walk.before(buffer, match)
    for option in list(walk.options.declared):
        if option in walk.options.given:
            _do(walk, option)
    walk.options.declared.clear()
    return match.end()


def option_names(text: str) -> list[str]:
    """The names in a list of options, values left out."""
    return [part.partition("=")[0].strip() for part in text.split(",")[:_MOST]]


def _do(walk: Walk, option: str) -> None:
    found = walk.options.declared.pop(option, None)  # once: what it does may name it again
    if found is not None and walk.depth <= MAX_DEPTH:
        walk.run(*found)
