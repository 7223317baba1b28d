"""The response store of one machine: a SQLite file in WAL mode that several processes may share."""

import asyncio
import atexit
import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from data_juicer_ext.models.store.interface import (
    SCHEMA_VERSION,
    GroupCommit,
    GroupStats,
    PerProcess,
    Selection,
    Stored,
    StoreError,
    StoreStats,
    about_to_json,
    answer_from_json,
    answer_to_json,
    check_key,
)
from data_juicer_ext.models.types import Answer
from data_juicer_ext.storage.atomic_file import part_of

BUSY_TIMEOUT_S = 60.0
CHECKED_AT_OPENING = 32_000_000  # bytes; larger files show damage when the damaged place is read
_APPLICATION_ID = 0x646A6578  # "djex", in the header of the file
_SCHEMA = f"""
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE responses (
    key TEXT PRIMARY KEY, answer TEXT NOT NULL, about TEXT NOT NULL, created REAL NOT NULL,
    checksum INTEGER NOT NULL, model TEXT NOT NULL, asked TEXT NOT NULL, task TEXT NOT NULL,
    prompt_version TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL
);
CREATE INDEX responses_created ON responses (created);
PRAGMA journal_mode = WAL;
"""
_PUT = f"INSERT INTO responses VALUES ({', '.join('?' * 13)}) ON CONFLICT (key) DO NOTHING"
_GET = "SELECT answer, about, checksum FROM responses WHERE key = ?"
_ALL = "SELECT key, answer, about, created, checksum FROM responses ORDER BY created, key"
_STATS = "SELECT count(*), coalesce(min(created), 0.0), coalesce(max(created), 0.0) FROM responses"
_GROUPS = """
SELECT model, task, count(*),
    sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), sum(reasoning_tokens)
FROM responses GROUP BY model, task ORDER BY model, task
"""
_SELECTED = """
(:before IS NULL OR created < :before)
    AND (:model = '' OR :model IN (model, asked)) AND (:task = '' OR task = :task)
"""


class SqliteStore:
    """Stored answers in the SQLite file at `path`, made if it is missing (its folder too).

    Reads take microseconds and never wait for writers. Writes are forced to disk before they are
    reported as done, all that wait at once in one transaction. The file must lie on a local disk:
    WAL mode needs memory that processes share. Raises StoreError.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with _explained(self.path):
            if not self.path.exists():
                _create(self.path)
            with closing(_connect(self.path)) as connection:
                _check(connection, self.path)
        self._here = PerProcess(lambda: _Connections(self.path))
        atexit.register(self.close)

    def get(self, key: str) -> Answer | None:
        """The answer under `key`, marked `from_store`; None if there is none."""
        row = self._here.get().read(_GET, (key,))
        return self._decoded(key, row[0]) if row else None

    def put(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """Store an answer; on disk when this returns. The first answer under a key stays."""
        self._here.get().commits.submit(_row(key, answer, about)).result()

    async def put_async(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """As `put`, without blocking the event loop. Written even if the caller is cancelled."""
        await asyncio.wrap_future(self._here.get().commits.submit(_row(key, answer, about)))

    def entries(self) -> Iterator[Stored]:
        """All stored answers, oldest first."""
        with _explained(self.path), closing(_connect(self.path)) as connection:
            for key, answer, about, created, checksum in connection.execute(_ALL):
                yield Stored(key, self._decoded(key, (answer, about, checksum)), json.loads(about), created)

    def stats(self) -> StoreStats:
        """How much is stored, for which models and tasks."""
        here = self._here.get()
        answers, oldest, newest = here.read(_STATS, ())[0]
        groups = tuple(GroupStats(*row) for row in here.read(_GROUPS, ()))
        return StoreStats(answers, _size(self.path), oldest, newest, groups)

    def prune(self, selection: Selection) -> int:
        """Delete the selected answers for good and give back their space; how many there were."""
        chosen = {"before": selection.before, "model": selection.model, "task": selection.task}
        with _explained(self.path), closing(_connect(self.path)) as connection:
            removed = connection.execute(f"DELETE FROM responses WHERE {_SELECTED}", chosen).rowcount
            connection.executescript("PRAGMA incremental_vacuum")  # `execute` would end after one page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return removed

    def close(self) -> None:
        """Write what is still waiting and let go of the file."""
        atexit.unregister(self.close)
        self._here.get().close()

    def _decoded(self, key: str, row: tuple[Any, ...]) -> Answer:
        answer, about, checksum = row
        if _checksum(answer, about) != checksum:
            raise StoreError(_damaged(self.path, f"the answer {key[:12]} does not match its checksum"))
        return answer_from_json(json.loads(answer))


class _Connections:
    """What one process holds of a store: a connection that reads, one that writes, both made on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._closed = False
        self.commits = GroupCommit(self._write)

    def read(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock, _explained(self._path):
            if self._closed:
                raise StoreError(f"the response store {self._path} was closed")
            if self._reader is None:
                self._reader = _connect(self._path)
            return self._reader.execute(statement, values).fetchall()

    def _write(self, rows: list[tuple[Any, ...]]) -> None:
        with _explained(self._path):
            if self._writer is None:
                self._writer = _connect(self._path)
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                self._writer.executemany(_PUT, rows)
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def close(self) -> None:
        self.commits.close()
        with self._lock:
            self._closed = True
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()
            self._reader = self._writer = None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_explanation(path, error)) from error


def _explanation(path: Path, error: sqlite3.Error) -> str:
    text, store = str(error), f"the response store {path}"
    if "locked" in text:
        return f"{store} was locked by another process for {BUSY_TIMEOUT_S:g} s: end that one"
    if "readonly" in text or "unable to open" in text:
        return f"{store} cannot be written ({text}): check the rights of the file and its folder"
    if "full" in text or "disk I/O" in text:
        return f"{store} cannot be written ({text}): make room on the disk"
    return _damaged(path, text)


def _damaged(path: Path, what: str) -> str:
    return (
        f"the response store {path} is damaged ({what}). Nothing was changed. Restore the file from a copy; "
        f"or save what can be read with `sqlite3 {path.name} .recover | sqlite3 saved.sqlite`; or move it "
        f"away together with {path.name}-wal and {path.name}-shm to start an empty one, whose answers will "
        "be paid for again"
    )


def _connect(path: Path) -> sqlite3.Connection:
    # mode=rw never makes a file: one that has gone since is an error, not an empty store.
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None,
        check_same_thread=False,
    )  # fmt: skip
    connection.execute("PRAGMA synchronous = FULL")  # in WAL mode the default does not outlive a power cut
    return connection


def _create(path: Path) -> None:
    """Make an empty store under another name, then link it into place: nobody sees half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.with_name(f"{path.name}-wal").exists() and not path.exists():
        raise StoreError(f"{path} is missing beside {path.name}-wal: put it back, or move the other away")
    part = part_of(path)
    try:
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript(_SCHEMA)
        _place(part, path)
    finally:
        part.unlink(missing_ok=True)


def _place(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        pass  # another process was first
    except OSError:  # a file system without hard links
        if not path.exists():
            part.replace(path)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if path.stat().st_size == 0:
        raise StoreError(_damaged(path, "the file is empty"))
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != _APPLICATION_ID:
        raise StoreError(f"{path} is a SQLite file of another program: name another place for the store")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the response store {path} has version {version}, this program reads {SCHEMA_VERSION}: use the "
            "program that wrote it, or move the file away"
        )
    if path.stat().st_size <= CHECKED_AT_OPENING:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreError(_damaged(path, found))


def _row(key: str, answer: Answer, about: Mapping[str, Any]) -> tuple[Any, ...]:
    answer_text, about_text, usage = answer_to_json(answer), about_to_json(about), answer.usage
    names = (answer.model, *(str(about.get(name) or "") for name in ("model", "task", "prompt_version")))
    return (
        check_key(key), answer_text, about_text, time.time(), _checksum(answer_text, about_text),
        *(name.encode("utf-8", "replace").decode() for name in names),
        usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens,
    )  # fmt: skip


def _checksum(answer: str, about: str) -> int:
    return zlib.crc32(f"{answer}\n{about}".encode("ascii", "replace"))


def _size(path: Path) -> int:
    parts = (path, path.with_name(f"{path.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())
