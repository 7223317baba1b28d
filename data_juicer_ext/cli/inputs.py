"""What the parts of `dj-ext evaluate` read: files of rows, exports, and run folders with the rows left undecided."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.runs.exported_rows import export_files, read_rows
from data_juicer_ext.storage.json_lines import leave_out, read_json_lines

if TYPE_CHECKING:
    from data_juicer_ext.ratings.rating_file import Rating

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Input:
    """The rows of a file, a folder of shards or a run; `name` is what the user calls it, or "".

    `undecided` are rows of a run that an operator could not decide, as their calls failed.
    """

    place: str
    rows: Rows
    undecided: Rows = field(default_factory=list)
    name: str = ""

    @property
    def called(self) -> str:
        """What tables call it: its name, else its file's."""
        return self.name or Path(self.place).stem


def rows_of(path: Path) -> Rows:
    """All rows of a file or a folder of shards, repeated ones too. Raises UsageError where there is no such file."""
    if not export_files(path):
        raise UsageError(f"there is no file {path}")
    return list(read_rows(path, lambda row: ("",)))


def is_run_folder(path: Path) -> bool:
    """Whether a folder is a run's, with its notes, ledger and undecided rows, and no folder of shards."""
    return path.is_dir() and (path / "runs").is_dir()


def read_input(text: str, operator: str) -> Input:
    """What `[NAME=]PATH` names: a file, a folder of shards, or a run with the rows that `operator` left undecided.

    Raises UsageError where there is nothing, or the run has no export on this machine.
    """
    name, path = _named(text)
    if not is_run_folder(path):
        return Input(str(path), rows_of(path), name=name)
    undecided = path / "undecided.jsonl"
    found = [row for row in read_rows(undecided, lambda row: ("",)) if _of(row, operator)]
    export = _export(path)
    if export is None and not found:
        raise UsageError(f"{path}: the export of this run is not there; give its file")
    return Input(str(path), rows_of(export) if export is not None and export_files(export) else [], found, name)


def ratings_of(path: Path) -> list[Rating] | None:
    """The ratings of a `ratings.jsonl` or a run folder; None for a file that holds other rows.

    Raises UsageError where there is no such file.
    """
    from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings

    if is_run_folder(path):
        path = ratings_path(path)
    if not export_files(path):
        raise UsageError(f"there is no file {path}")
    is_text = path.is_file() and path.suffix != ".parquet"
    return read_ratings(path) if is_text and _begins_as_rating(path) else None


def _begins_as_rating(path: Path) -> bool:
    return {"form", "ratings"} <= next(read_json_lines(path, leave_out), {}).keys()


def names_of(inputs: Sequence[Input]) -> list[str]:
    """What the models of several inputs are called: as the user says, else by their files.

    Raises UsageError where two have one name.
    """
    names = [read.called for read in inputs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two inputs are called {', '.join(twice)}; name them apart: --pred first=... second=...")
    return names


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    return ("", Path(text)) if not equals or not name or Path(text).exists() else (name.strip(), Path(path))


def _export(run_dir: Path) -> Path | None:
    from data_juicer_ext.report.run_selection import last_selection

    return last_selection(run_dir).export


def _of(row: dict[str, Any], operator: str) -> bool:
    about = row.get("undecided")
    return isinstance(about, dict) and about.get("operator") == operator


def add_resampling(part: argparse.ArgumentParser) -> None:
    """Add the options of bootstrap intervals."""
    part.add_argument(
        "--resamples", type=int, default=1000, metavar="N", help="bootstrap draws, 0 for no intervals (default: 1000)"
    )
    part.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn (default: 0)")


def add_predictions(part: argparse.ArgumentParser, what: str) -> None:
    """Add the option that names what models or judges said, several times over if need be."""
    part.add_argument("--pred", nargs="+", action="extend", required=True, metavar="[NAME=]PATH", help=what)


def add_out(part: argparse.ArgumentParser, name: str) -> None:
    """Add the option of the folder for JSON and CSV."""
    part.add_argument(
        "--out", type=Path, default=Path("evaluation") / name, metavar="FOLDER",
        help="for JSON and CSV (default: %(default)s)",
    )  # fmt: skip


def show(text: str, paths: list[Path]) -> int:
    """Print the tables and the files written; the exit code."""
    print(text)
    print("\n" + "\n".join(str(path) for path in paths))
    return 0
