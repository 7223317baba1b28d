"""How a file of JSON Lines is read: an object per line, and what becomes of a line that is none."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError

Broken = Callable[[str], None]


class JsonLinesError(DjExtError, ValueError):
    """A line that is not a JSON object; the message names file and line."""


def leave_out(said: str) -> None:
    """For lines that may be anything, such as the last one of a process that was killed: take no notice of them."""


def read_json_lines(path: Path, broken: Broken | None = None, most: int | None = None) -> Iterator[dict[str, Any]]:
    """The objects in a file; see `json_objects`. Raises OSError.

    Characters that are not UTF-8 are replaced where there is `broken`, else their line is no JSON.
    """
    with path.open("rb") as file:
        lines: Iterable[str | bytes] = file if broken is None else (line.decode("utf-8", "replace") for line in file)
        for _, row in json_objects(lines, path, broken, most):
            yield row


def json_objects(
    lines: Iterable[str | bytes], where: object, broken: Broken | None = None, most: int | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number, from 1, and the object of each line that is not blank, up to the line that goes beyond `most`.

    A line that is not a JSON object is told to `broken` ("pairs.jsonl:2: not JSON (...)", by `where`) and left out;
    without `broken` it raises JsonLinesError.
    """
    read = 0
    for number, line in enumerate(lines, 1):
        read += len(line)
        if most is not None and read > most:
            return
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            problem = "" if isinstance(row, dict) else "not a JSON object"
        except (ValueError, RecursionError) as error:
            problem = f"not JSON ({error})"
        if not problem:
            yield number, row
        elif broken is None:
            raise JsonLinesError(f"{where}:{number}: {problem}")
        else:
            broken(f"{where}:{number}: {problem}")
