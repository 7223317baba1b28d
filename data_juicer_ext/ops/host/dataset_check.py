"""A dataset file looked over before a run: what in it would end the run, or go missing without a word."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host.running_recipe import RecipeError
from data_juicer_ext.storage.json_lines import JsonLinesError, json_objects

_TABLES = (".jsonl", ".json")
# A look at a file of tens of gigabytes must not take minutes; what lies beyond is checked row by row.
_LOOK_BYTES = 256 * 1024 * 1024
_SHOWN = 5


@dataclass
class Look:
    """What was found: columns of the first row, lines (from 1) without an id, and ids in several lines."""

    columns: tuple[str, ...] = ()
    without_id: list[int] = field(default_factory=list)
    repeated: dict[str, list[int]] = field(default_factory=dict)


def look(dataset_path: str, id_key: str = "paper_id") -> Look | None:
    """Look over a local JSON Lines file; None where it is another kind of dataset.

    Raises RecipeError if the file is missing, empty, or a line is no JSON object.
    """
    path = Path(dataset_path)
    if "://" in dataset_path or path.is_dir() or path.suffix not in _TABLES:
        if dataset_path and "://" not in dataset_path and not path.exists() and not re.search(r"\s", dataset_path):
            raise RecipeError(f"dataset_path: there is no file or folder {dataset_path}")
        return None
    if re.search(r"\s", dataset_path):
        if not path.exists():
            return None  # the host's own way to name several files, with weights
        raise RecipeError(
            f"dataset_path: {dataset_path!r} has a space in it, where the host splits it; rename the file"
        )
    if not path.is_file():
        raise RecipeError(f"dataset_path: there is no file {dataset_path}")
    found, lines_of = Look(), {}  # type: Look, dict[str, list[int]]
    for number, row in _rows(path):
        found.columns = found.columns or tuple(row)
        value = row.get(id_key)
        if value is None:
            found.without_id.append(number)
        elif value != "":
            lines_of.setdefault(str(value), []).append(number)
    if not found.columns:
        raise RecipeError(f"dataset_path: {dataset_path} is empty; it needs one row per paper")
    found.repeated = {value: lines for value, lines in lines_of.items() if len(lines) > 1}
    return found


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        with path.open("rb") as lines:
            yield from json_objects(lines, path, most=_LOOK_BYTES)
    except JsonLinesError as error:
        if path.suffix != ".json":  # which may be one JSON text over several lines: the host reads it as well
            raise RecipeError(f"dataset_path: {error}") from error


def missing_columns(columns: Sequence[str], one_of: Sequence[str], all_of: Sequence[str] = ()) -> str:
    """What the dataset lacks, as a sentence; "" if nothing. It needs all of one list and one of the other."""
    lacking = [name for name in all_of if name not in columns]
    if lacking:
        return f"the dataset has no column {', '.join(lacking)} (it has: {', '.join(columns) or 'none'})"
    if one_of and not any(name in columns for name in one_of):
        return f"the dataset has none of the columns {', '.join(one_of)} (it has: {', '.join(columns) or 'none'})"
    return ""


def repeated_ids(found: Look, id_key: str) -> str:
    """Which ids stand in several lines, as a sentence; "" if none."""
    if not found.repeated:
        return ""
    shown = [f"{value!r} in lines {', '.join(map(str, lines[:4]))}" for value, lines in found.repeated.items()]
    more = f", and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return (
        f"the dataset has the same {id_key} more than once: {'; '.join(shown[:_SHOWN])}{more}. Their rows would be "
        "mixed up; leave repeated papers out, and give each an id of its own"
    )
