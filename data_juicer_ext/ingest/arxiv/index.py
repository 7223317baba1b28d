"""arXiv's metadata by paper id, on disk: millions of records are read once and never held together in memory."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.ingest.arxiv.records import Choice, Record, read_lines, read_record

_LAYOUT = 1  # of the file; another number makes it anew
_TOLD_EVERY = 500_000
_SCHEMA = """
CREATE TABLE record (paper_id TEXT PRIMARY KEY, reason TEXT, detail TEXT, row TEXT) WITHOUT ROWID;
CREATE TABLE made_from (stamp TEXT, records INTEGER, unreadable INTEGER);
"""


class MetadataIndex:
    """Records by id. `records` and `unreadable` count the lines that it was made from."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)
        self.stamp, self.records, self.unreadable = self._db.execute("SELECT * FROM made_from").fetchone()

    def find(self, paper_id: str) -> Record | None:
        """The record of a paper; None if the metadata does not have it."""
        found = self._db.execute("SELECT * FROM record WHERE paper_id = ?", (paper_id,)).fetchone()
        return Record(found[0], found[1], found[2], json.loads(found[3])) if found else None

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def open_index(path: Path, metadata: Path, choice: Choice, say: Callable[[str], None]) -> MetadataIndex:
    """The index of `metadata` judged by `choice`, kept at `path`; made anew if the metadata or the choice changed.

    Raises UsageError if `metadata` is no JSON Lines file of arXiv records, OSError if it cannot be read.
    """
    about = metadata.stat()
    stamp = json.dumps([_LAYOUT, str(metadata.absolute()), about.st_size, about.st_mtime_ns, choice.words])
    if path.exists():
        with contextlib.suppress(sqlite3.DatabaseError, TypeError):
            index = MetadataIndex(path)
            if index.stamp == stamp:
                return index
            index.close()
    say(f"reading {metadata} ({about.st_size / 1e6:.0f} MB); this is done once")
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(fresh)) as db:
        _fill(db, metadata, stamp, choice, say)
    fresh.replace(path)
    return MetadataIndex(path)


def _fill(db: sqlite3.Connection, metadata: Path, stamp: str, choice: Choice, say: Callable[[str], None]) -> None:
    # Nothing is lost if the machine stops here: the file is made anew.
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
    unreadable = 0

    def columns() -> Iterator[tuple[str, str, str, str]]:
        nonlocal unreadable
        for number, line in enumerate(read_lines(metadata), 1):
            record = read_record(line, choice) if line is not None else None
            if record is None:
                unreadable += 1
                continue
            if number % _TOLD_EVERY == 0:
                say(f"  {number:,} records")
            row = "{}" if record.reason else json.dumps(record.row, ensure_ascii=False)
            yield record.paper_id, record.reason, record.detail, row

    db.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", columns())
    (records,) = db.execute("SELECT count(*) FROM record").fetchone()
    if not records:
        raise UsageError(f"{metadata} has no record with an arXiv id; it is arXiv's metadata snapshot that is expected")
    db.execute("INSERT INTO made_from VALUES (?, ?, ?)", (stamp, records, unreadable))
    db.commit()
