"""A new folder that is there whole or not at all."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MARKER = "export.json"
"""The file that lists what an export wrote; a folder without it is none, and is never touched."""

_MADE_BY = "dj-ext export"


def check_target(target: Path, overwrite: bool) -> None:
    """Raise ValueError where nothing may be written to `target`.

    That is a file, or a folder with something in it. With `overwrite` it may be an earlier export, as long as it holds
    nothing else.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ValueError(f"--out {target} is no folder; name a new one")
    if not target.exists() or not any(target.iterdir()):
        return
    written = _written(target)
    if written is None:
        raise ValueError(f"--out {target} holds files that no export wrote; name a new folder")
    if not overwrite:
        raise ValueError(f"--out {target} holds an export already; name a new folder, or take --overwrite")
    there = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_symlink() or not path.is_dir()}
    if strangers := sorted(there - written - {MARKER}):
        told = ", ".join(strangers[:5]) + (", ..." if len(strangers) > 5 else "")
        raise ValueError(f"--out {target} holds files that are not the export's: {told}; move them away first")


@contextmanager
def whole_folder(target: Path, overwrite: bool, about: Mapping[str, Any]) -> Iterator[Path]:
    """An empty folder beside `target` that takes its place when the block ends well, and is gone when it does not.

    The marker is written last: `about`, which may be filled in the block, and the files. Raises as `check_target`.
    """
    check_target(target, overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    part.mkdir()
    try:
        yield part
        _mark(part, about)
        check_target(target, overwrite)  # an export takes its time
        _put_in_place(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _mark(folder: Path, about: Mapping[str, Any]) -> None:
    files = {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}
    told = {"made_by": _MADE_BY, **about, "files": files}
    (folder / MARKER).write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _written(target: Path) -> set[str] | None:
    """The files of an earlier export, None where there is none."""
    try:
        told = json.loads((target / MARKER).read_text(encoding="utf-8"))
        return set(told["files"]) if told["made_by"] == _MADE_BY else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _put_in_place(part: Path, target: Path) -> None:
    """Rename `part` to `target`; an earlier export is gone only after that."""
    old = target.with_name(f"{part.name.removesuffix('.part')}.old")
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
