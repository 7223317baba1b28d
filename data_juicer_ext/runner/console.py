"""Where Data-Juicer, Ray and their libraries print while a run talks to its user: a file, not the screen."""

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


class Console(io.TextIOBase):
    """A stream that keeps what is written until it has a file, and forgets it when that is closed or full.

    Libraries hold on to the stream that they find when they are imported, which is before the run
    folder is known, and until the process ends.
    """

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._file: TextIO | None = None
        self._over = False

    def write(self, text: str) -> int:
        if self._file is not None:
            with contextlib.suppress(OSError):  # what a library says must not be what ends a run
                self._file.write(text)
        elif not self._over:
            self._kept.append(text)
        return len(text)

    def flush(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.flush()

    def fileno(self) -> int:
        return (self._file or sys.__stderr__ or sys.stderr).fileno()

    def into(self, path: Path) -> None:
        """Write to the end of a file from now on, and what was kept first."""
        path.parent.mkdir(parents=True, exist_ok=True)
        # Line by line, so that forked workers inherit no unwritten text.
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._file.write("".join(self._kept))
        self._kept.clear()

    def end(self) -> None:
        """Close the file; whatever is still written is forgotten."""
        file, self._file, self._over = self._file, None, True
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


@contextlib.contextmanager
def instead_of_screen() -> Iterator[Console]:
    """Within it `sys.stdout` and `sys.stderr` are a console."""
    console, before = Console(), (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = console
    try:
        yield console
    finally:
        sys.stdout, sys.stderr = before
        console.end()
