"""A new folder that is there whole or not at all."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import UsageError

MARKER = "export.json"
"""The file that lists what an export wrote; a folder without it is none, and is never touched."""

_MADE_BY = "dj-ext export"
_PART, _OLD = ".part", ".old"
_SETTLED = 60.0  # seconds: a folder that is younger may not be locked yet by the export that made it


def check_target(target: Path, overwrite: bool) -> None:
    """Raises UsageError where nothing may be written to `target`.

    That is a file, or a folder with something in it. With `overwrite` it may be an earlier export, as long as it holds
    nothing else, and nothing that has become longer or shorter since.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"--out {target} is no folder; name a new one")
    if not target.exists() or not any(target.iterdir()):
        return
    written = _written(target)
    if written is None:
        raise UsageError(f"--out {target} holds files that no export wrote; name a new folder")
    if not overwrite:
        raise UsageError(f"--out {target} holds an export already; name a new folder, or take --overwrite")
    there = (path for path in target.rglob("*") if path.is_symlink() or not path.is_dir())
    found = {str(path.relative_to(target)): path.lstat().st_size for path in there}
    if strangers := sorted(name for name, size in found.items() if name != MARKER and written.get(name) != size):
        told = ", ".join(strangers[:5]) + (", ..." if len(strangers) > 5 else "")
        raise UsageError(
            f"--out {target} holds files that are not the export's, or have been changed since: {told}; "
            "move them away first"
        )


@contextmanager
def whole_folder(target: Path, overwrite: bool, about: Mapping[str, Any]) -> Iterator[Path]:
    """An empty folder beside `target` that takes its place when the block ends well, and is gone when it does not.

    What exports to `target` that were killed have left there goes first. The marker is written last: `about`, which
    may be filled in the block, and the files. Raises as `check_target`.
    """
    _tidy(target)
    check_target(target, overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}{_PART}")
    part.mkdir()
    with _held(part):
        try:
            _mark(part, {})
            yield part
            _mark(part, about)
            check_target(target, overwrite)  # an export takes its time
            _put_in_place(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def content_digest(folder: Path, files: Mapping[str, Sequence[str]]) -> str:
    """The SHA-256 of the files of each split with their names, in hex digits."""
    digest = hashlib.sha256()
    for name in (name for names in files.values() for name in names):
        digest.update(f"{name}\0{(folder / name).stat().st_size}\0".encode())
        with (folder / name).open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()


def _tidy(target: Path) -> None:
    """Delete what killed exports to `target` have left; where one was replacing an export, that comes back."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}(?:{re.escape(_PART)}|{re.escape(_OLD)})")
    left = [path for path in target.parent.glob(".*") if ours.fullmatch(path.name)] if target.parent.is_dir() else []
    for old in sorted(path for path in left if path.suffix == _OLD):
        part = old.with_suffix(_PART)
        if _written(old) is None or (part.exists() and not _is_left(part)):
            continue
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(target)
    for part in left:
        if part.suffix == _PART and _written(part) is not None and _is_left(part):
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _held(part: Path) -> Iterator[None]:
    """Lock a folder for as long as this process lives, where folders can be locked."""
    folder = os.open(part, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(folder)


def _is_left(part: Path) -> bool:
    """Whether no process works in a folder any more."""
    folder = os.open(part, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return time.time() - part.stat().st_mtime > _SETTLED
    except OSError:  # held, or a file system without locks
        return False
    finally:
        os.close(folder)


def _mark(folder: Path, about: Mapping[str, Any]) -> None:
    there = (path for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / MARKER)
    files = {str(path.relative_to(folder)): path.stat().st_size for path in there}
    told = {"made_by": _MADE_BY, **about, "files": files}
    (folder / MARKER).write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _written(target: Path) -> dict[str, Any] | None:
    try:
        told = json.loads((target / MARKER).read_text(encoding="utf-8"))
        return dict(told["files"]) if told["made_by"] == _MADE_BY else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _put_in_place(part: Path, target: Path) -> None:
    """Rename `part` to `target`; an earlier export is gone only after that."""
    old = part.with_suffix(_OLD)
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
