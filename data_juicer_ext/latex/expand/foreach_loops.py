"""\\foreach loops met on the walk: written out where the loop names images or files."""

import re

from data_juicer_ext.latex.expand.relevant_macros import carries, commands_in
from data_juicer_ext.latex.expand.source_walk import MAX_DEPTH, Walk
from data_juicer_ext.latex.expand.tex_buffer import Buffer, Piece

MOST_ITEMS = 100
_MOST_LIST = 5000
_MOST_PATH = 2000
_HEAD = re.compile(r"\s*\\([A-Za-z@]+)\s*(?:\[[^\[\]\n]{0,200}\]\s*)?in\s*")
_INTEGER = re.compile(r"-?\d{1,9}")
_LETTER = re.compile(r"[A-Za-z]")
_BRACE_OR_COMMA = re.compile(r"[{},]")


def foreach(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A loop of one variable over a literal list of at most 100 items: its body once for each item.

    Any other loop, and one whose body holds nothing that the extraction needs, is copied as it stands.
    """
    head = _HEAD.match(buffer.text, match.end())
    listed = buffer.group(head.end()) if head else None
    body = (buffer.group(listed[2]) or _to_semicolon(buffer, listed[2], end)) if listed else None
    if head is None or listed is None or body is None or walk.depth > MAX_DEPTH:
        return None
    items = literal_items(buffer.text[listed[0] : listed[1]])
    if not items or not _matters(walk, buffer.text[body[0] : body[1]]):
        return None
    walk.before(buffer, match)
    for item in items:
        turn = _turn(buffer, body[0], body[1], head.group(1), item)
        if not walk.afford(len(turn.text), again=True):
            walk.note("\\foreach not written out: loops within loops too deep or too large")
            break
        walk.run(turn, 0, len(turn.text))
    return body[2]


def _to_semicolon(buffer: Buffer, start: int, end: int) -> tuple[int, int, int] | None:
    """The body of a loop over one path of TikZ: it has no braces and ends with a semicolon."""
    stop = buffer.text.find(";", start, min(end, start + _MOST_PATH)) + 1
    return (start, stop, stop) if stop > 0 else None


def literal_items(text: str) -> list[str] | None:
    """The items of a list as \\foreach reads it, dots written out; None if it is no literal list or too long."""
    if len(text) > _MOST_LIST or "\\" in text or "%" in text:
        return None
    items: list[str] = []
    parts = iter(_split(text))
    for part in parts:
        if part != "...":
            items.append(part)
            continue
        reached = _up_to(items, next(parts, ""))
        if reached is None:
            return None
        items += reached
    return items if len(items) <= MOST_ITEMS else None


def _split(text: str) -> list[str]:
    """The parts between the commas outside braces, without space and outer braces."""
    parts, start, depth = [], 0, 0
    for match in _BRACE_OR_COMMA.finditer(text):
        if match.group() == "," and depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
        else:
            depth += {"{": 1, "}": -1}.get(match.group(), 0)
    stripped = [part.strip() for part in (*parts, text[start:])]
    return [part[1:-1] if part.startswith("{") and part.endswith("}") else part for part in stripped]


def _up_to(before: list[str], last: str) -> list[str] | None:
    """What dots stand for after the items `before` them, up to `last`, which counts if a step meets it."""
    known = [*before[-2:], last]
    letters = all(_LETTER.fullmatch(item) for item in known)
    if not before or not (letters or all(_INTEGER.fullmatch(item) for item in known)):
        return None
    numbers = [ord(item) if letters else int(item) for item in known]
    start, stop = numbers[-2], numbers[-1]
    step = numbers[1] - numbers[0] if len(numbers) == 3 else (1 if stop >= start else -1)
    if step == 0 or abs(stop - start) // abs(step) > MOST_ITEMS:
        return None
    return [
        chr(value) if letters else str(value) for value in range(start + step, stop + (1 if step > 0 else -1), step)
    ]


def _matters(walk: Walk, body: str) -> bool:
    return carries(body) or any(map(walk.worth.holds, commands_in(body)))


def _turn(buffer: Buffer, start: int, end: int, variable: str, item: str) -> Buffer:
    """buffer[start:end] with `item` for the loop's variable; all else keeps its place."""
    texts: list[str] = []
    pieces: list[Piece] = []
    length = 0

    def copy(begin: int, stop: int) -> None:
        nonlocal length
        for first, after, piece in buffer.origins(begin, stop):
            offset = piece.offset + (first - piece.start if piece.moves else 0)
            pieces.append(Piece(length, piece.file, offset, piece.moves))
            texts.append(buffer.text[first:after])
            length += after - first

    for match in re.compile(rf"\\{re.escape(variable)}(?![A-Za-z@])[ \t]*").finditer(buffer.text, start, end):
        copy(start, match.start())
        file, offset = buffer.origin(match.start())
        pieces.append(Piece(length, file, offset, False))
        texts.append(item)
        length += len(item)
        start = match.end()
    copy(start, end)
    return Buffer("".join(texts), pieces, buffer.declared)
