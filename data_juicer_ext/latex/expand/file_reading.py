"""Files met on the walk: inputs and packages are read, image paths written out."""

import re

from data_juicer_ext.latex.expand.class_options import option_names
from data_juicer_ext.latex.expand.macros import expand_text
from data_juicer_ext.latex.expand.source_walk import MAX_DEPTH, ClassOptions, Walk
from data_juicer_ext.latex.expand.tex_buffer import Buffer, Piece


def read_input(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """An \\input or one of its kin; the file is walked over in its place."""
    call = walk.inputs.call(name, buffer, match.end(), walk.macros)
    if call is None:
        return None
    walk.before(buffer, match)
    if name == "includeonly":
        walk.inputs.only = {part.strip() for part in call.name.split(",")}
    elif walk.inputs.wanted(name, call.name):
        read(walk, call.folder, call.name, buffer, match.start())
    return call.after


def read_if_there(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\InputIfFileExists: the file and what is said for that case, or what is said for the other."""
    file = buffer.group(match.end())
    then = buffer.group(file[2]) if file else None
    other = buffer.group(then[2]) if then else None
    if file is None or then is None or other is None or walk.depth > MAX_DEPTH:
        return None
    path = expand_text(buffer.text[file[0] : file[1]].strip(), walk.macros, 500)
    try:
        there = walk.inputs.virtual(path) is not None or walk.inputs.find(path) is not None
    except PermissionError:
        there = False
    walk.before(buffer, match)
    if there:
        read(walk, None, path, buffer, match.start())
    chosen = then if there else other
    walk.run_part(buffer, chosen[0], chosen[1])
    return other[2]


def read(walk: Walk, folder: str | None, name: str, buffer: Buffer, at: int) -> None:
    """Walk over the file `name`: one that the paper wrote itself, or one of its own."""
    virtual = walk.inputs.virtual(name)
    if virtual is not None:
        if walk.afford(len(virtual.text), again=True):
            walk.run(virtual, 0, len(virtual.text))
        else:
            walk.note(f"input of {name[:200]!r} not followed: it reads itself, or too much was read already")
        return
    try:
        path = walk.inputs.find(name, folder)
    except PermissionError:
        walk.note(f"input refused: {name[:200]!r} leaves the paper's folder")
        return
    if path is None:
        walk.note(lambda: f"input not found: {name[:200]!r} ({walk.inputs.place(buffer, at)})")
        return
    if folder is not None:
        walk.inputs.folders.append(folder)
        walk.writer.flat.folders.append((walk.writer.length, folder))
    walk.run_file(path)
    if folder is not None:
        walk.inputs.folders.pop()
        outer = walk.inputs.folders[-1] if walk.inputs.folders else ""
        walk.writer.flat.folders.append((walk.writer.length, outer))


def end_input(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """\\endinput: the rest of the file is not read."""
    walk.before(buffer, match)
    walk.file_ended = True
    return match.end()


def package(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """A class or packages: those that the paper brings are searched for its macros."""
    options = buffer.bracket(match.end())
    group = buffer.group(options[2] if options else match.end())
    if group is None or walk.depth > MAX_DEPTH:
        return None
    if name == "documentclass" and options:
        walk.switches.two_columns = "twocolumn" in buffer.text[options[0] : options[1]]
    suffix = ".cls" if name == "documentclass" else ".sty"
    given = frozenset(option_names(buffer.text[options[0] : options[1]]) if options else ())
    if name == "documentclass":
        walk.class_options = given  # they are given to every package too
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), group[2])
    for package in buffer.text[group[0] : group[1]].split(",")[:50]:
        path = walk.inputs.find_package(package.strip(), suffix)
        if path is not None:
            muted, walk.muted = walk.muted, True
            outer, walk.options = walk.options, ClassOptions(given | walk.class_options)
            walk.run_file(path)
            walk.muted, walk.options = muted, outer
    return group[2]


def image_path(walk: Walk, name: str, buffer: Buffer, match: re.Match[str], end: int) -> int | None:
    """An image whose path holds macros: they mean what they mean here."""
    at = match.end() + buffer.text.startswith("*", match.end())
    while (bracket := buffer.bracket(at, 1000)) is not None:
        at = bracket[2]
    group = buffer.group(at)
    if group is None or "\\" not in buffer.text[group[0] : group[1]]:
        return None
    path = expand_text(buffer.text[group[0] : group[1]], walk.macros, 2000)
    walk.before(buffer, match)
    walk.emit(buffer, match.start(), group[0])
    file, offset = buffer.origin(group[0])
    walk.emit(Buffer(path, [Piece(0, file, offset, False)]), 0, len(path))
    return group[1]
