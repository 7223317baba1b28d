"""The folder that arXiv papers are taken into: rows, refusals, source files, and what is there already."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.ingest.appended_lines import JsonLines
from data_juicer_ext.ingest.arxiv.ids import ArxivId
from data_juicer_ext.ingest.arxiv.records import Choice
from data_juicer_ext.rows import to_json
from data_juicer_ext.runs.folder_lock import BusyError, locked
from data_juicer_ext.storage.atomic_file import replace_text

PAPERS = "papers.jsonl"
REFUSED = "refused.jsonl"
SOURCES = "papers"
INDEX = "metadata.sqlite"
_CHOICE = "ingest.json"


class ArxivFolder:
    """An output folder that is held open. It belongs to one choice of papers; tars and metadata may follow each other.

    What stands in `papers.jsonl` and `refused.jsonl` is the truth; ids are looked up in a temporary
    database, which SQLite keeps on disk beyond a few MB.
    """

    def __init__(self, path: Path, choice: Choice) -> None:
        """Raises UsageError if the folder was filled by another choice, or another process works in it."""
        self.path = path
        self._open = contextlib.ExitStack()
        try:
            self._open.enter_context(locked(path))
            _check_choice(path / _CHOICE, choice)
            self._papers, self._refused = JsonLines(path / PAPERS), JsonLines(path / REFUSED)
            self._known = self._open.enter_context(contextlib.closing(sqlite3.connect("")))
            self._known.execute("CREATE TABLE taken (paper_id TEXT PRIMARY KEY) WITHOUT ROWID")
            self._known.execute("CREATE TABLE refused (name TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID")
            self._known.executemany(
                "INSERT OR IGNORE INTO taken VALUES (?)", ((str(row.get("paper_id")),) for row in self._papers.rows())
            )
            self._known.executemany("INSERT OR REPLACE INTO refused VALUES (?, ?)", map(_key, self._refused.rows()))
        except BusyError as error:
            raise UsageError(f"{path}: another process works in this folder; wait for it") from error
        except BaseException:
            self._open.close()
            raise
        self._outdated = False

    def has(self, paper_id: str) -> bool:
        """Whether the paper was taken, now or by an earlier run."""
        found = self._known.execute("SELECT 1 FROM taken WHERE paper_id = ?", (paper_id,)).fetchone()
        return found is not None

    @contextlib.contextmanager
    def part_file(self) -> Iterator[Path]:
        """A place for a file that is not known to be wanted yet; gone afterwards, unless it was taken."""
        part = self.path / SOURCES / ".part"
        part.parent.mkdir(exist_ok=True)
        try:
            yield part
        finally:
            part.unlink(missing_ok=True)

    def take(self, paper: ArxivId, row: dict[str, str], part: Path, suffix: str) -> None:
        """Take a paper: its source file first, so that no row is without one."""
        name = f"{SOURCES}/{paper.month}/{paper.file_name}{suffix}"
        (self.path / name).parent.mkdir(exist_ok=True)
        part.replace(self.path / name)
        self._papers.add({**row, "paper_path": name})
        self._known.execute("INSERT INTO taken VALUES (?)", (paper.text,))
        self._outdated = self._outdated or self._reason(paper.text) is not None

    def refuse(self, row: dict[str, str]) -> None:
        """Write a refusal down, unless it stands there already."""
        name, reason = _key(row)
        before = self._reason(name)
        if before == reason:
            return
        self._refused.add(row)
        self._known.execute("INSERT OR REPLACE INTO refused VALUES (?, ?)", (name, reason))
        self._outdated = self._outdated or before is not None

    def _reason(self, name: str) -> str | None:
        found = self._known.execute("SELECT reason FROM refused WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else None

    def _is_current(self, row: dict[str, Any]) -> bool:
        name, reason = _key(row)
        return self._reason(name) == reason and not self.has(name)

    def __enter__(self) -> "ArxivFolder":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the folder; refusals that no longer hold (newer metadata) are left out of the file."""
        with self._open:
            if self._outdated:
                self._refused.keep(self._is_current)
            self._papers.close()
            self._refused.close()


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return str(row.get("paper_id") or row.get("member")), str(row.get("reason"))


def _check_choice(path: Path, choice: Choice) -> None:
    """Note the choice of a new folder. Raises UsageError if the folder has another one."""
    if not path.exists():
        replace_text(path, to_json({"choice": choice.words}) + "\n")
        return
    try:
        before = json.loads(path.read_text(encoding="utf-8"))["choice"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} does not say what {path.parent} was filled by; name another folder") from error
    if before != choice.words:
        raise UsageError(
            f"{path.parent} was filled by {before}, this is {choice.words}; name another folder, "
            "or choose as before, so that its rows all follow one rule"
        )
