"""The files of a paper's folder: no link out of it, nothing that is no file, at most so many."""

import os
import stat
from pathlib import Path

from data_juicer_ext.latex.source.reading_notes import Refusals


def list_files(folder: Path, limit: int) -> tuple[dict[str, str], list[str]]:
    """The files below `folder` and notes on what was refused.

    Paths are relative to `folder`: as text, and as the system knows them (they differ where a name
    is no UTF-8). Hidden folders are left out, links to folders are not followed.
    """
    files: dict[str, str] = {}
    refusals = Refusals("file")
    root, seen, todo = os.path.realpath(folder), 0, [""]
    while todo:
        inner = todo.pop()
        try:
            with os.scandir(folder / inner) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            refusals.add(inner, f"the folder can't be read ({error.strerror})")
            continue
        inside = []
        for entry in entries:
            seen += 1
            if seen > limit:
                return files, [*refusals.lines, f"the folder holds more than {limit} files; the rest was not looked at"]
            relative = f"{inner}/{entry.name}" if inner else entry.name
            if entry.is_dir(follow_symlinks=False):
                inside += [] if entry.name.startswith(".") else [relative]
            elif reason := _refusal(entry, root):
                refusals.add(_as_text(relative), reason)
            else:
                files[_as_text(relative)] = relative
        todo += reversed(inside)
    return files, refusals.lines


def _refusal(entry: os.DirEntry[str], root: str) -> str:
    try:
        if not entry.is_symlink():
            return "" if entry.is_file(follow_symlinks=False) else "it is a device, a pipe or a socket"
        target = os.path.realpath(entry.path, strict=True)
        mode = os.stat(target).st_mode  # noqa: PTH116 - a path as text
    except OSError:
        return "it is a link that leads nowhere"
    if os.path.commonpath((root, target)) != root:
        return "it is a link out of the paper's folder"
    if stat.S_ISDIR(mode):
        return "it is a link to a folder"
    return "" if stat.S_ISREG(mode) else "it is a link to a device, a pipe or a socket"


def _as_text(path: str) -> str:
    """A path without the surrogates that stand for bytes that are no UTF-8: those are read as Latin-1."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1") if _is_odd(path) else path


def _is_odd(path: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in path)
