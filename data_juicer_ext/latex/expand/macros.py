"""The paper's own macros: definitions read, calls parsed, bodies filled with their arguments."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from data_juicer_ext.latex.expand.tex_buffer import Buffer, Piece

_CORE_ENVIRONMENT_NAMES = (
    "document figure figure* table table* wrapfigure sidewaysfigure subfigure minipage center algorithm verbatim "
    "abstract equation itemize enumerate description thebibliography teaserfigure SCfigure comment lstlisting"
)
# Commands that the extraction itself understands: never replaced by a paper's redefinition.
_CORE_NAMES = (
    "ref eqref cref Cref autoref vref subref nameref pageref hyperref label caption captionof includegraphics "
    "begin end section subsection subsubsection chapter part paragraph subparagraph appendix input include item "
    "subfigure subfloat subcaptionbox par cite footnote emph textbf textit title author maketitle "
    "def let newcommand renewcommand if else fi documentclass usepackage figurename tablename "
    "captionbox subcaption epsfig psfig plotone plottwo epsfbox includesvg url import subimport verb teaser"
)
CORE = frozenset(_CORE_NAMES.split())
CORE_ENVIRONMENTS = frozenset(_CORE_ENVIRONMENT_NAMES.split())
DEFINERS = (
    "newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newrobustcmd", "renewrobustcmd",
    "def", "gdef", "edef", "xdef", "let", "NewDocumentCommand", "RenewDocumentCommand", "ProvideDocumentCommand",
    "DeclareDocumentCommand", "newenvironment", "renewenvironment", "NewDocumentEnvironment",
    "RenewDocumentEnvironment", "NewEnviron", "RenewEnviron",
)  # fmt: skip
_NAME = re.compile(r"\*?\s*(?:\{\s*\\([A-Za-z@]+|.)\s*\}|\\([A-Za-z@]+|.))", re.DOTALL)
_ENVIRONMENT = re.compile(r"\*?\s*\{([^{}\\]{1,60})\}")
_COUNT = re.compile(r"\s*\[\s*([0-9])\s*\]")
_PARAMETERS = re.compile(r"(?:[^{}\\%\n]|\\[A-Za-z@]+|\\.){0,200}")
_LET = re.compile(r"\s*=?\s*(\\(?:[A-Za-z@]+|.)|[^\s\\])", re.DOTALL)
_HASH = re.compile(r"#([1-9])")
_CONTROL = re.compile(r"\\([A-Za-z@]+|.)", re.DOTALL)
_CALL_COST = 100  # characters that a call counts for, besides those that it gives
_BLANKS = re.compile(r"[ \t]+")
_SPECIFIER = re.compile(r"[+!>\s]*(?:\{[^{}]*\})?\s*([mosvOdDrRtgGbe])")


@dataclass(frozen=True)
class Argument:
    """How one argument is read: "m" braced or one token, "o" in brackets, "s" a star, "d" up to `until`,
    and "l", which is no argument but the text `until` that a call must have there.
    """

    kind: str
    default: str = ""
    until: str = ""


@dataclass(frozen=True)
class Macro:
    """A macro or one side of an environment: its arguments and its body with #1 to #9."""

    name: str
    arguments: tuple[Argument, ...]
    body: str
    end_body: str = ""
    environment: bool = False


class Macros(dict[str, Macro]):
    """A paper's macros by name, and how many characters `expand_text` may still put in place of calls."""

    left = 5_000_000


def read_definition(kind: str, buffer: Buffer, position: int) -> tuple[Macro, int] | None:
    """The definition whose defining command `kind` ends at `position`, and the offset after it."""
    if kind.endswith(("environment", "Environment", "Environ")):
        return _read_environment(kind, buffer, position)
    match = _NAME.match(buffer.text, position)
    if match is None:
        return None
    name, after = match.group(1) or match.group(2), match.end()
    if kind == "let":
        target = _LET.match(buffer.text, after)
        return None if target is None else (Macro(name, (), target.group(1)), target.end())
    if kind.endswith("def"):
        arguments, after = _plain_parameters(buffer, after)
    elif kind.endswith("DocumentCommand"):
        arguments, after = _specified(buffer, after)
    else:
        arguments, after = _counted(buffer, after)
    body = buffer.group(after)
    if body is None:
        return None
    return Macro(name, arguments, buffer.text[body[0] : body[1]]), body[2]


def _read_environment(kind: str, buffer: Buffer, position: int) -> tuple[Macro, int] | None:
    match = _ENVIRONMENT.match(buffer.text, position)
    if match is None:
        return None
    read = _specified if "Document" in kind else _counted
    arguments, after = read(buffer, match.end())
    begin = buffer.group(after)
    text = buffer.text
    if begin is not None and kind.endswith("Environ"):  # one body, in which \BODY stands for what is inside
        before, _, behind = text[begin[0] : begin[1]].partition("\\BODY")
        return Macro(match.group(1), arguments, before, behind, True), begin[2]
    end = buffer.group(begin[2]) if begin else None
    if begin is None or end is None:
        return None
    return Macro(match.group(1), arguments, text[begin[0] : begin[1]], text[end[0] : end[1]], True), end[2]


def _counted(buffer: Buffer, position: int) -> tuple[tuple[Argument, ...], int]:
    count = _COUNT.match(buffer.text, position)
    if count is None:
        return (), position
    number = int(count.group(1))
    default = buffer.bracket(count.end())
    if default is None or number == 0:
        return (Argument("m"),) * number, count.end()
    first = Argument("o", buffer.text[default[0] : default[1]])
    return (first, *(Argument("m"),) * (number - 1)), default[2]


def _plain_parameters(buffer: Buffer, position: int) -> tuple[tuple[Argument, ...], int]:
    match = _PARAMETERS.match(buffer.text, position)
    if match is None or "#" not in match.group():
        return (), match.end() if match else position
    before, *rest = _HASH.split(match.group())
    prefix = (Argument("l", until=before.strip()),) if before.strip() else ()
    arguments = [Argument("d" if part else "m", until=" ".join(_BLANKS.split(part))) for part in rest[1::2]]
    return (*prefix, *arguments), match.end()


def _specified(buffer: Buffer, position: int) -> tuple[tuple[Argument, ...], int]:
    group = buffer.group(position)
    if group is None:
        return (), position
    arguments: list[Argument] = []
    at = group[0]
    while at < group[1] and len(arguments) < 9:
        match = _SPECIFIER.match(buffer.text, at, group[1])
        if match is None:
            break
        kind, at = match.group(1), match.end()
        default = buffer.group(at) if kind in "ODGRe" else None
        if default is not None:
            at = default[2]
        text = buffer.text[default[0] : default[1]] if default is not None else ""
        arguments.append(Argument({"O": "o", "o": "o", "s": "s"}.get(kind, "m"), text))
    return tuple(arguments), group[2]


def read_arguments(macro: Macro, buffer: Buffer, position: int) -> tuple[list[tuple[int, int] | str], int] | None:
    """The arguments of a call: spans of `buffer`, or default texts; None if the call is broken."""
    found: list[tuple[int, int] | str] = []
    for argument in macro.arguments:
        if argument.kind == "s":
            star = buffer.text.startswith("*", position)
            found.append("")
            position += star
            continue
        if argument.kind == "l":
            if not buffer.text.startswith(argument.until, position):
                return None
            position += len(argument.until)
            continue
        if argument.kind == "o":
            bracket = buffer.bracket(position)
            found.append(argument.default if bracket is None else (bracket[0], bracket[1]))
            position = position if bracket is None else bracket[2]
            continue
        if argument.kind == "d" and not found:  # TeX skips the space after the name
            position = buffer.skip_space(position)
        span = _until(argument.until, buffer, position) if argument.kind == "d" else _one(buffer, position)
        if span is None:
            return None
        found.append((span[0], span[1]))
        position = span[2]
    return found, position


def argument_texts(macro: Macro, buffer: Buffer, position: int) -> list[str]:
    """The arguments of a call as they are written; none if the call is broken."""
    call = read_arguments(macro, buffer, position)
    return [part if isinstance(part, str) else buffer.text[part[0] : part[1]] for part in call[0]] if call else []


def with_texts(body: str, texts: list[str]) -> str:
    """`body` with `texts` for #1, #2 and so on; those that there are not are left out."""
    return _HASH.sub(lambda match: "".join(texts[int(match.group(1)) - 1 : int(match.group(1))]), body)


@lru_cache(maxsize=100)
def _delimiter(text: str) -> re.Pattern[str]:
    """What ends an argument: any blanks for a blank, a blank line for \\par."""
    pattern = r"\s+".join(map(re.escape, text.split(" ")))
    return re.compile(rf"{pattern}(?![A-Za-z])|\n[ \t]*\n" if text == "\\par" else pattern)


def _until(delimiter: str, buffer: Buffer, position: int) -> tuple[int, int, int] | None:
    match = _delimiter(delimiter).search(buffer.text, position, position + 5000)
    return None if match is None else (position, match.start(), match.end())


def _one(buffer: Buffer, position: int) -> tuple[int, int, int] | None:
    group = buffer.group(position)
    if group is not None:
        return group
    start = buffer.skip_space(position)
    if start >= len(buffer.text) or buffer.text[start] in "{}":
        return None
    token = _CONTROL.match(buffer.text, start)
    end = token.end() if token else start + 1
    return start, end, end


def filled_length(body: str, arguments: list[tuple[int, int] | str]) -> int:
    """How long `body` gets when its arguments are put in."""
    if "#" not in body:
        return len(body)
    sizes = [len(part) if isinstance(part, str) else part[1] - part[0] for part in arguments]
    return len(body) + sum(body.count(f"#{number + 1}") * size for number, size in enumerate(sizes))


def fill(body: str, arguments: list[tuple[int, int] | str], buffer: Buffer, call: int) -> Buffer:
    """`body` with its arguments put in; each argument keeps the place that it was written at."""
    file, offset = buffer.origin(call)
    texts: list[str] = []
    pieces: list[Piece] = []
    length = 0
    for index, part in enumerate(_HASH.split(body)):
        if index % 2 == 0:
            if part:
                pieces.append(Piece(length, file, offset, False))
                texts.append(part)
                length += len(part)
            continue
        number = int(part) - 1
        argument = arguments[number] if number < len(arguments) else ""
        if isinstance(argument, str):
            pieces.append(Piece(length, file, offset, False))
            texts.append(argument)
            length += len(argument)
            continue
        for start, end, piece in buffer.origins(*argument):
            moved = piece.offset + (start - piece.start if piece.moves else 0)
            pieces.append(Piece(length, piece.file, moved, piece.moves))
            texts.append(buffer.text[start:end])
            length += end - start
    return Buffer("".join(texts), pieces, buffer.declared)


def expand_text(text: str, macros: Mapping[str, Macro], limit: int = 20_000, depth: int = 8) -> str:
    """`text` with the paper's macros written out, at most `depth` deep and `limit` characters long.

    For short texts: captions and paths. What would grow past the limit, or past what all such texts of
    a paper may grow to, stays as it is.
    """
    for _ in range(depth):
        expanded = _expand_once(text, macros, limit)
        if expanded == text or len(expanded) > limit:
            return text
        text = expanded
    return text


def _expand_once(text: str, macros: Mapping[str, Macro], limit: int) -> str:
    left = macros.left if isinstance(macros, Macros) else Macros.left
    if "\\" not in text or left < 0:
        return text
    buffer = Buffer.of_file(text, 0)
    parts: list[str] = []
    position = length = 0
    for match in _CONTROL.finditer(text):
        macro = macros.get(match.group(1))
        if match.start() < position or macro is None or macro.environment or macro.name in CORE:
            continue
        call = read_arguments(macro, buffer, match.end())
        if call is None:
            continue
        if filled_length(macro.body, call[0]) > limit:
            return text
        filled = fill(macro.body, call[0], buffer, match.start()).text
        left -= len(filled) + _CALL_COST
        word = match.group(1).isalpha() and not macro.arguments
        # TeX drops the spaces after a control word; the body must not grow into the next word.
        after = re.compile(r"[ \t]*\n?[ \t]*").match(text, call[1]) if word else None
        parts += [text[position : match.start()], filled]
        position = after.end() if after and text[call[1] : after.end()].count("\n") < 2 else call[1]
        if text[position : position + 1].isalpha() and filled[filled.rfind("\\") + 1 :].isalpha() and "\\" in filled:
            parts.append(" ")
        length += len(filled)
        if length > limit or left < 0:
            break
    if isinstance(macros, Macros):
        macros.left = left
    return text if length > limit or left < 0 else "".join((*parts, text[position:]))
