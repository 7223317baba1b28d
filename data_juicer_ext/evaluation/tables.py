"""Tables of an evaluation: aligned columns for the screen, CSV and JSON on disk."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.evaluation.statistics.value_with_interval import flat
from data_juicer_ext.rows import to_json
from data_juicer_ext.text_table import aligned

_WIDEST = 60


def printable(text: str, width: int = _WIDEST) -> str:
    """`text` on one line for the screen: without control characters, and cut to `width`.

    What models and papers say may hold line feeds and the commands of a terminal.
    """
    line = " ".join("".join(character if character.isprintable() else " " for character in text[: 4 * width]).split())
    return line[: width - 3] + "..." if len(line) > width else line


def columns(table: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: the first column to the left, the others to the right. The rows are of one length."""
    return aligned(([printable(cell) for cell in row] for row in table), "<>")


def refused_lines(refused: Sequence[str], most: int = 10, width: int = 160) -> list[str]:
    """What was refused, a line each, `most` at the most; [] for nothing."""
    more = [f"... and {len(refused) - most} more"] * (len(refused) > most)
    return [*(f"refused: {printable(reason, width)}" for reason in refused[:most]), *more]


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write `rows` with the columns `names`, "" where a row has none; returns `path`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_table(path: Path, table: Sequence[Sequence[str]]) -> Path:
    """Write a table as it is shown, its first row being the head; returns `path`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(table)
    return path


def write_measures(path: Path, rows: Sequence[Mapping[str, Any]], empty: Sequence[str] = ()) -> Path:
    """Write rows with measures, each as its value, ends and note; `empty` are the columns where there are no rows."""
    flattened = [flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flattened for name in row)) or list(empty)
    return write_csv(path, names, flattened)


def write_json(path: Path, found: Any) -> Path:
    """Write a dataclass, or what JSON knows, indented; a number that is not finite becomes null."""
    whole = asdict(found) if is_dataclass(found) and not isinstance(found, type) else found
    clean = json.loads(to_json(whole))
    path.write_text(json.dumps(clean, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path


def folder_for(path: Path) -> Path:
    """`path` as a folder that is there."""
    path.mkdir(parents=True, exist_ok=True)
    return path
