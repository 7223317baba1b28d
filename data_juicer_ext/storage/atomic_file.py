"""Files of this machine that are replaced as a whole: a reader, or a kill in between, meets the old or the new one."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


def part_of(path: Path) -> Path:
    """A hidden name beside `path` that no other process or thread uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Within the block, a file to be written; at its end this takes the place of `path`, or is gone if it raises."""
    part = part_of(path)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Replace a file by `text`. Raises OSError."""
    replace_lines(path, (text,))


def replace_lines(path: Path, lines: Iterable[str], synced: bool = False) -> None:
    """Replace a file by lines, which bring their line feeds; `synced`: a power cut does not lose them either."""
    with replacing(path) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(lines)
        if synced:
            file.flush()
            os.fsync(file.fileno())
