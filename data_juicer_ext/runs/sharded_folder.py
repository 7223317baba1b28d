"""The run folder of a run in shards: a folder, or an address of object storage with a copy here that is worked in.

What a shard leaves is sent as it ends; the files that join all shards at the end of a run, as they grow with each one.
"""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs import shard_manifest as states
from data_juicer_ext.runs.folder_lock import locked
from data_juicer_ext.runs.remote_folder import RemoteFolder, working_copy
from data_juicer_ext.runs.remote_lock import hold_remote
from data_juicer_ext.runs.shard_manifest import Manifest
from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import is_remote, under

_TREES = ("shards", "exports", "undecided")
_JOINED = ("pairs.jsonl", "undecided.jsonl")


class ShardedFolder:
    """The run folder at `place`, a path or an address; `run_dir` is where it is worked in. Methods raise OSError."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.remote: RemoteFolder | None = working_copy(place) if is_remote(place) else None
        self.run_dir = self.remote.here if self.remote else Path(place)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Within it no other run works here, and the copy is what the last one left. Raises BusyError."""
        if self.remote is None:
            with locked(self.run_dir):
                yield
            return
        lock = hold_remote(self.place)
        try:
            self._bring(self.remote)
            yield
        finally:
            lock.release()

    @staticmethod
    def _bring(remote: RemoteFolder) -> None:
        remote.delete_tree("work")  # of a shard that was killed
        for part in ("runs", "ledger"):
            remote.fetch(part)
        for tree in _TREES:
            # The rows of a shard that was run again may be as many bytes as those before.
            shutil.rmtree(remote.here / tree, ignore_errors=True)
            remote.fetch_tree(tree)
        for name in (states.NAME, *_JOINED):
            remote.fetch_file(name)

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        manifest.save(self.run_dir)
        self.send(states.NAME)

    def send(self, *names: str) -> None:
        """Have files or folders, by their names in the run folder, there as they are here."""
        if self.remote is None:
            return
        for name in names:
            if (self.run_dir / name).is_dir():
                self.remote.send_tree(name)
                continue
            self.remote.delete_tree(name)
            if (self.run_dir / name).is_file():
                self.remote.send(name)
            else:
                self.remote.delete(name)

    def send_plan(self) -> None:
        """Have a plan there that was just made."""
        if self.remote is not None:
            # First, so that a kill in between leaves no plan whose shards are gone.
            file_access.delete([under(self.place, states.NAME)])
            self.send(*_TREES, states.NAME)

    def send_joined(self) -> None:
        """Have the joined rows of all shards there."""
        self.send(*_JOINED)

    def made_at(self, made: Path, name: str) -> str:
        """Where Data-Juicer is to write a shard's export on Ray, whose nodes may share no folder."""
        return under(self.place, f"work/{name}") if self.remote is not None else str(made)

    def fetch_made(self, made: Path, name: str) -> None:
        """Have in `made` what was exported to `made_at`, and leave nothing of it there."""
        if self.remote is not None:
            RemoteFolder(self.made_at(made, name), made).fetch_tree("")
            made.mkdir(parents=True, exist_ok=True)
            self.remote.delete_tree(f"work/{name}")

    def take_undecided(self, run_id: str, whole: bool = False) -> list[dict[str, Any]]:
        """Take the undecided rows of one run, out of what its processes have written. Its ledger is here then.

        That of a `whole` run is joined; to that of another one a worker may add for a moment.
        """
        if self.remote is not None:
            self.remote.fetch("ledger", run_id)
            self.remote.fetch("undecided", run_id)
        rows = run_records.take_undecided(self.run_dir, run_id)
        if self.remote is not None:
            self.remote.drop("undecided", run_id)
            if whole:
                self.remote.join("ledger", run_id)
        return rows
