"""Looking after response stores: how much they hold, deleting what is old, exporting it all.

Every function takes a place: a store itself (a SQLite file, a folder of segments), or a run folder,
whose `store/` may hold one of each kind. All but SQLite files may lie on object storage.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

from data_juicer_ext.errors import UsageError
from data_juicer_ext.models.store.interface import Selection, StoreError, StoreStats, answer_fields
from data_juicer_ext.models.store.segments.files import SUFFIX
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.store.sqlite import SqliteStore
from data_juicer_ext.storage.addresses import as_path, is_remote, under
from data_juicer_ext.storage.atomic_file import replacing
from data_juicer_ext.storage.file_access import listed

Store: TypeAlias = SqliteStore | SegmentStore

FOLDER = "store"  # in a run folder
SQLITE_FILE = "responses.sqlite"
SEGMENTS_FOLDER = "segments"


@dataclass(frozen=True)
class Pruned:
    """What `prune` did to the store at `place`; sizes are in bytes on disk."""

    place: str
    removed: int
    kept: int
    size_before: int
    size_after: int


@dataclass(frozen=True)
class Exported:
    """What `export` wrote."""

    path: Path
    answers: int


def stores_at(place: str | Path) -> list[str]:
    """The stores at a place. Raises StoreError if there is none."""
    if is_remote(place):
        return [_remote_store(str(place))]
    path = as_path(place)
    if path.is_file():
        return [str(path)]
    for folder in (path / FOLDER, path):
        found = [inside for inside in (folder / SQLITE_FILE, folder / SEGMENTS_FOLDER) if inside.exists()]
        if found:
            return [str(inside) for inside in found]
    if path.is_dir() and any(entry.name.endswith(SUFFIX) for entry in path.iterdir()):
        return [str(path)]
    raise StoreError(
        f"no response store at {place}: name a run folder, a {SQLITE_FILE} or a folder of segments (*{SUFFIX})"
    )


def remote_segments(run_dir: str) -> str:
    """The address of the segments of a run folder on object storage."""
    return under(run_dir, f"{FOLDER}/{SEGMENTS_FOLDER}")


def _remote_store(address: str) -> str:
    try:
        for folder in (remote_segments(address), under(address, SEGMENTS_FOLDER), address):
            if any(name.endswith(SUFFIX) for name in listed(folder)):
                return folder
    except OSError as error:
        raise StoreError(f"{address} can't be listed ({error}): check the address, its rights and the keys") from error
    raise StoreError(
        f"no response store at {address}: name a run folder that answers were stored in, or one of segments (*{SUFFIX})"
    )


@contextmanager
def opened(place: str, read_only: bool = True) -> Iterator[Store]:
    """The store at `place`, one of those that `stores_at` gives; closed at the end."""
    store: Store = SqliteStore(place) if Path(place).is_file() else SegmentStore(place, read_only)
    try:
        yield store
    finally:
        store.close()


def stats(place: str | Path) -> dict[str, StoreStats]:
    """How much each store at `place` holds, for which models and tasks. Raises StoreError."""
    result = {}
    for found in stores_at(place):
        with opened(found) as store:
            result[found] = store.stats()
    return result


def prune(
    place: str | Path, older_than: timedelta | None = None, model: str = "", task: str = "", dry_run: bool = False
) -> list[Pruned]:
    """Delete the answers that meet all given criteria, for good; they would be paid for again.

    `model` is meant as asked for or as answered, `task` names a prompt template. `dry_run` only
    counts. On object storage nothing tells whether a run is going on: see that none is. Raises
    ValueError if no criterion is given, StoreError.
    """
    if older_than is None and not model and not task:
        raise UsageError("prune: give at least one of older_than, model and task")
    before = None if older_than is None else time.time() - older_than.total_seconds()
    selection = Selection(before, model, task)
    return [_prune(found, selection, dry_run) for found in stores_at(place)]


def _prune(place: str, selection: Selection, dry_run: bool) -> Pruned:
    with opened(place, read_only=dry_run) as store:
        held = store.stats()
        if dry_run:
            removed = sum(selection.takes(stored) for stored in store.entries())
            return Pruned(place, removed, held.answers - removed, held.size, held.size)
        removed = store.prune(selection)
        left = store.stats()
        return Pruned(place, removed, left.answers, held.size, left.size)


def export(place: str | Path, path: str | Path) -> Exported:
    """Write all stored answers to `path` as JSON Lines: key, created, answer, about.

    The file is there only when it is whole. An answer that lies in two stores is written once.
    Raises StoreError, OSError.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    with replacing(target) as part, part.open("w", encoding="ascii") as lines:
        for found in stores_at(place):
            with opened(found) as store:
                _export(store, lines.write, written)
    return Exported(target, len(written))


def _export(store: Store, write: Callable[[str], object], written: set[str]) -> None:
    for stored in store.entries():
        if stored.key not in written:
            written.add(stored.key)
            answer = answer_fields(stored.answer)
            entry = {"key": stored.key, "created": stored.created, "answer": answer, "about": stored.about}
            write(json.dumps(entry) + "\n")
