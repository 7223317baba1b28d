"""A new folder that is there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARKER = ".dj-ext-export.json"
"""The file that tells a folder made here, which alone may be overwritten."""


@contextmanager
def whole_folder(target: Path, overwrite: bool) -> Iterator[Path]:
    """An empty folder beside `target` that takes its place when the block ends well, and is gone when it does not.

    Raises ValueError where `target` is a file, or a folder with something in it, unless it carries the marker and
    `overwrite` is set.
    """
    _check(target, overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.mkdir()
    try:
        yield part
        (part / MARKER).write_text(json.dumps({"made_by": "dj-ext export"}) + "\n", encoding="utf-8")
        _put_in_place(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check(target: Path, overwrite: bool) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ValueError(f"--out {target} is a file; name a new folder")
    if not any(target.iterdir()):
        return
    if not (target / MARKER).is_file():
        raise ValueError(f"--out {target} holds files that no export made; name a new folder")
    if not overwrite:
        raise ValueError(f"--out {target} holds an export already; name a new folder, or take --overwrite")


def _put_in_place(part: Path, target: Path) -> None:
    if not target.exists():
        part.rename(target)
        return
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    target.rename(old)
    try:
        part.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
