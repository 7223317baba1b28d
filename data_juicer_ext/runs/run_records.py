"""What a run leaves in its run folder beside the ledger: who it was, and its undecided rows.

<run_dir>/runs/<run_id>.json    recipe, executor, export path, start and end
<run_dir>/ledger/               see `ledger.py`
<run_dir>/undecided/            undecided rows, one file per process, while the run goes on
<run_dir>/undecided.jsonl       the undecided rows of the last run that ended
<run_dir>/images/               figures as images that a vision model can read

A run folder may lie on object storage. What is read of it comes from a copy then, which the functions here bring up to
date, and what they write goes there too.
"""

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_juicer_ext.rows import to_json
from data_juicer_ext.runs.ledger import Ledger, LineWriter, announcement, line_writer, read_lines
from data_juicer_ext.runs.remote_folder import RemoteFolder, working_copy
from data_juicer_ext.runs.remote_lines import PieceWriter
from data_juicer_ext.storage.addresses import is_remote, under
from data_juicer_ext.storage.atomic_file import replace_lines, replace_text
from data_juicer_ext.storage.json_lines import read_json_lines


@dataclass(frozen=True)
class Run:
    """One run into a run folder; may be pickled to other processes.

    Where the run folder is on object storage, `url` is its address, and `run_dir` the copy of what is small that the
    process which began the run keeps of it.
    """

    run_dir: Path
    run_id: str
    ledger: Ledger = field(compare=False)
    undecided: LineWriter | PieceWriter = field(compare=False)
    url: str = ""

    @property
    def place(self) -> str:
        """The run folder: its path, or its address on object storage."""
        return self.url or str(self.run_dir)

    @property
    def images(self) -> str:
        """Where figures are kept as images, a path or an address."""
        return under(self.place, "images")

    @property
    def remote(self) -> RemoteFolder | None:
        """The run folder on object storage; None where it is a folder."""
        return RemoteFolder(self.url, self.run_dir) if self.url else None

    def bring(self, part: str, run_id: str = "") -> None:
        """Have in `run_dir` what is in the folder `part` now, of one run where it is named. Raises OSError."""
        if self.remote is not None:
            self.remote.fetch(part, run_id)

    def flush(self) -> None:
        """Have all that this process has recorded there. Raises OSError."""
        self.ledger.flush()
        self.undecided.flush()


def new_run_id() -> str:
    """An id that sorts by start: nanoseconds since 1970, then four random bytes."""
    return f"{time.time_ns():019d}-{secrets.token_hex(4)}"


def begin(place: str | Path, about: dict[str, Any]) -> Run:
    """A new run in the folder or at the address `place`, announced in `runs/`. Raises OSError where that fails."""
    run_id = new_run_id()
    url = str(place) if is_remote(place) else ""
    run_dir = working_copy(url).here if url else Path(place)
    run = Run(run_dir, run_id, Ledger(place, run_id), line_writer(place, "undecided", run_id), url)
    (run_dir / "runs").mkdir(parents=True, exist_ok=True)
    _announce(run, {"run_id": run_id, "started": time.time(), **about})
    return run


def has_begun(run_dir: Path, run_id: str) -> bool:
    """Whether a run has decided anything; one that was refused at its start has not."""
    return any((run_dir / "ledger").glob(f"{run_id}.*.jsonl"))


def forget(run: Run) -> None:
    """Leave no trace of a run that never began."""
    announcement(run.run_dir, run.run_id).unlink(missing_ok=True)
    if run.remote is not None:
        run.remote.delete(f"runs/{run.run_id}.json")


def end(run: Run) -> list[dict[str, Any]]:
    """Mark the run as ended and gather its undecided rows into `undecided.jsonl`, which it returns.

    Each is a whole row with `undecided` (operator, tag, reason, message) beside its columns.
    """
    run.bring("ledger", run.run_id)
    run.bring("undecided", run.run_id)
    rows = take_undecided(run.run_dir, run.run_id)
    if run.remote is not None:
        run.remote.fetch_file(f"runs/{run.run_id}.json")  # the copy may have been removed meanwhile
    write_rows(run.run_dir / "undecided.jsonl", rows)
    if run.remote is not None:
        run.remote.send("undecided.jsonl")
        run.remote.drop("undecided", run.run_id)
        run.remote.join("ledger", run.run_id)
    mark_ended(run)
    return rows


def take_undecided(run_dir: Path, run_id: str) -> list[dict[str, Any]]:
    """Take a run's undecided rows, each (row, tag) once, out of the files of its processes.

    A row that was decided after all, by a task that Ray ran again when a worker had died, is none.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in read_lines(run_dir / "undecided", run_id):
        rows[row["row_id"], row["undecided"]["tag"]] = row
    for key in _decided(run_dir, run_id, rows):
        del rows[key]
    for part in (run_dir / "undecided").glob(f"{run_id}.*.jsonl"):
        part.unlink()
    return list(rows.values())


def _decided(run_dir: Path, run_id: str, rows: Mapping[tuple[str, str], Any]) -> list[tuple[str, str]]:
    last: dict[tuple[str, str], tuple[float, str]] = {}
    for entry in read_lines(run_dir / "ledger", run_id) if rows else ():
        key, when = (entry["row_id"], entry["tag"]), float(entry["time"])
        if key in rows and when >= last.get(key, (0.0, ""))[0]:
            last[key] = when, str(entry["verdict"])
    return [key for key, (_, verdict) in last.items() if verdict != "undecided"]


def mark_ended(run: Run) -> None:
    """Note the end of a run in its `runs/<run_id>.json`."""
    note(run, ended=time.time())


def note(run: Run, **more: Any) -> None:
    """Add to what `runs/<run_id>.json` says of a run. Raises OSError."""
    _announce(run, {**about(run.run_dir, run.run_id), **more})


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Replace `path` by rows as JSON Lines."""
    replace_lines(path, (to_json(row).replace("\n", " ") + "\n" for row in rows))


def about(run_dir: Path, run_id: str) -> dict[str, Any]:
    """What `runs/<run_id>.json` says. Raises OSError or JsonLinesError if it is not there or broken."""
    return next(read_json_lines(announcement(run_dir, run_id)), {})


def run_ids(run_dir: Path) -> list[str]:
    """The ids of all runs in a run folder, oldest first."""
    return sorted(path.stem for path in (run_dir / "runs").glob("*.json"))


def _announce(run: Run, value: dict[str, Any]) -> None:
    replace_text(announcement(run.run_dir, run.run_id), to_json(value))
    if run.remote is not None:
        run.remote.send(f"runs/{run.run_id}.json")
