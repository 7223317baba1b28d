"""The ledger of a run: one JSON line a decision, for kept and refused rows alike.

Every process appends to a file of its own in `<run_dir>/ledger/` and flushes line by line, so that the ledger can be
read while the run goes on and a killed run loses at most a line (on object storage, some seconds: see `remote_lines`).
Ray may execute a task twice: what counts is the last line of a (row, operator, tag) within a run.
"""

import errno
import os
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from data_juicer_ext.models.types import Usage, Verdict
from data_juicer_ext.rows import to_json
from data_juicer_ext.runs.remote_lines import PieceWriter
from data_juicer_ext.storage.addresses import is_remote, under
from data_juicer_ext.storage.json_lines import leave_out, read_json_lines

LedgerLine = Mapping[str, Any]  # an `Entry` as it was read, with `time` and `run_id`


@dataclass
class Spending:
    """What one decision took: requests, tokens as the provider counted them, money and seconds.

    `calls` counts answered or failed requests, `tries` what went over the wire for them, `store_hits` those of the
    calls whose answers were on disk already; these cost no tokens and no money. `cost` is in US dollars, without the
    `unpriced` calls, whose model's price is unknown. `estimated`: some tokens were estimated.
    """

    calls: int = 0
    tries: int = 0
    store_hits: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0

    def add(self, usage: Usage, cost: float | None) -> None:
        """Count the tokens and the money of one call; `cost` is None where it is unknown."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.estimated |= usage.estimated
        self.cost = round(self.cost + (cost or 0.0), 12)
        self.unpriced += cost is None

    def add_up(self, other: Mapping[str, Any]) -> None:
        """Add what another one says, as `vars` or a line of the ledger has it."""
        for name, value in vars(self).items():
            more = other.get(name) or 0
            setattr(self, name, value or bool(more) if name == "estimated" else value + more)


@dataclass
class Entry:
    """One decision about one row by one operator.

    `reason` is a short stable word; `made` counts the rows that went on from it. `detail` holds what it
    rests on (letters of the votes, ids of the rows made, the failure's text). `model` is the name as the
    provider answered it. `by_model` parts `spending` where more than one model was asked, else it is empty.
    """

    row_id: str
    operator: str
    tag: str
    verdict: Verdict
    reason: str
    paper_id: str = ""
    figure_id: str = ""
    model: str = ""
    prompt: str = ""
    parser: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    by_model: dict[str, Spending] = field(default_factory=dict)
    made: int = 0
    detail: dict[str, Any] = field(default_factory=dict)


class LineWriter:
    """Appends JSON lines to a file of this process in a folder of a run folder; opened again after a fork.

    A copy that was sent to another process, perhaps on another machine, writes only where that process sees the run.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self.folder, self.run_id = folder, run_id
        self._pid = 0
        self._file: TextIO | None = None
        self._sent = False

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "run_id": self.run_id, "_pid": 0, "_file": None, "_sent": True}

    def write(self, value: dict[str, Any]) -> None:
        """Append one object as one line and flush it. Raises OSError when the disk does, or where the file is gone."""
        if self._file is None or self._pid != os.getpid():
            self._file, self._pid = self._open(), os.getpid()
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise OSError(errno.ESTALE, "it was removed while the run went on", self._file.name)
        self._file.write(to_json(value).replace("\n", " ") + "\n")
        self._file.flush()

    def flush(self) -> None:
        """All lines are there already."""

    def _open(self) -> TextIO:
        # Else each machine of a cluster would fill a folder of its own, and nobody would miss the others'.
        if self._sent and not announcement(self.folder.parent, self.run_id).exists():
            text = f"{socket.gethostname()} does not see it: it must lie where all nodes of the cluster share it"
            raise FileNotFoundError(errno.ENOENT, text, str(self.folder.parent))
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.run_id}.{socket.gethostname()}.{os.getpid()}.jsonl"
        return (self.folder / name).open("a", encoding="utf-8")


def announcement(run_dir: Path, run_id: str) -> Path:
    """The file that says who a run is; there from before its first decision."""
    return run_dir / "runs" / f"{run_id}.json"


class Ledger:
    """Writes the decisions of one run into the folder or address `place`; may be pickled to other processes."""

    def __init__(self, place: str | Path, run_id: str) -> None:
        self.run_id = run_id
        self._lines = line_writer(place, "ledger", run_id)

    def record(self, entry: Entry) -> None:
        """Append one decision, with the time (seconds since 1970) and the run's id."""
        # `vars`, as `asdict` copies deeply, for each of millions of decisions.
        line = {"time": round(time.time(), 3), "run_id": self.run_id, **vars(entry), "spending": vars(entry.spending),
                "by_model": {name: vars(part) for name, part in entry.by_model.items()}}  # fmt: skip
        self._lines.write(line)

    def flush(self) -> None:
        """Have all decisions there when this returns. Raises OSError."""
        self._lines.flush()


def line_writer(place: str | Path, part: str, run_id: str) -> LineWriter | PieceWriter:
    """What writes the lines of a run into the folder `part` of the run folder at a path or an address."""
    return PieceWriter(under(place, part), run_id) if is_remote(place) else LineWriter(Path(place) / part, run_id)


def read_lines(folder: Path, run_id: str = "") -> Iterator[dict[str, Any]]:
    """The objects of all line files in `folder` (of one run, if named), cut-off lines left out."""
    for path in sorted(folder.glob(f"{run_id or '*'}.*.jsonl")):
        yield from read_json_lines(path, leave_out)


# What a decision is without what it rests on: enough to count with, and small.
_BRIEF = ("time", "run_id", "row_id", "operator", "tag", "verdict", "reason", "paper_id", "figure_id", "made")


def decisions(run_dir: Path, run_id: str, brief: bool = False) -> list[dict[str, Any]]:
    """The last decision of every (row, operator, tag) of a run, in the order they were made.

    `brief` ones have no spending and no detail: a run of millions of decisions fits into memory.
    """
    last: dict[tuple[str, str, str], dict[str, Any]] = {}
    for entry in read_lines(run_dir / "ledger", run_id):
        key = entry["row_id"], entry["operator"], entry["tag"]
        if key not in last or entry.get("time", 0) >= last[key].get("time", 0):
            last[key] = {name: entry.get(name, 0) for name in _BRIEF} if brief else entry
    return sorted(last.values(), key=lambda entry: float(entry.get("time", 0)))


def spent_before(run_dir: Path, run_id: str) -> tuple[float, int]:
    """The US dollars and the paid calls of all runs into a run folder before `run_id`."""
    earlier = {path.name.split(".", 1)[0] for path in (run_dir / "ledger").glob("*.jsonl")}
    sums = [_spent_by(run_dir, other) for other in sorted(earlier) if other < run_id]
    return sum(cost for cost, _ in sums), sum(calls for _, calls in sums)


@cache
def _spent_by(run_dir: Path, run_id: str) -> tuple[float, int]:
    """What one earlier run has spent: it does not change any more, and a process may ask for each shard."""
    spent = spent_by(run_dir, run_id)
    return spent.cost, spent.calls - spent.store_hits


def spent_by(run_dir: Path, run_id: str) -> Spending:
    """What one run has spent until now: every line of its ledger counts, those that a later one replaces as well."""
    spent = Spending()
    for entry in read_lines(run_dir / "ledger", run_id):
        spent.add_up(entry.get("spending") or {})
    return spent
