"""A run folder on object storage, and the copy of its small files that a process keeps.

What grows line by line in a folder is written in pieces there, one object each (see `remote_lines`). The ledger of a
run that has ended is one object, `<run_id>.all.jsonl`; pieces that may still lie beside it are in it.
"""

import contextlib
import shutil
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from data_juicer_ext.storage import file_access
from data_juicer_ext.storage.addresses import is_below, under
from data_juicer_ext.storage.atomic_file import replacing
from data_juicer_ext.storage.cache import cache_folder

JOINED = "all"


class RemoteFolder:
    """The run folder at `url`, with a copy at `here`. All methods raise OSError."""

    def __init__(self, url: str, here: Path) -> None:
        self.url, self.here = url.rstrip("/"), here

    def fetch(self, part: str, run_id: str = "") -> None:
        """Make the copy of the folder `part` what there is now, of one run where it is named."""
        begins = f"{run_id}." if run_id else ""
        with _lock_of(self.here):  # another thread, with an older listing, would remove what this one fetched
            there = _current(file_access.listed(self._at(part), begins))
            have = self._copies(part)
            self._fetch(part, [name for name, size in there.items() if have.get(name) != size])
            for name in have.keys() - there.keys():
                if name.startswith(begins):
                    (self.here / part / name).unlink(missing_ok=True)

    def _of(self, part: str, run_id: str) -> dict[str, int]:
        return file_access.listed(self._at(part), f"{run_id}.")

    def _copies(self, part: str) -> dict[str, int]:
        here = self.here / part
        here.mkdir(parents=True, exist_ok=True)
        return {path.name: path.stat().st_size for path in here.iterdir() if path.is_file()}

    def _fetch(self, part: str, names: Sequence[str]) -> None:
        file_access.fetch({self._at(f"{part}/{name}"): self.here / part / name for name in names})

    def fetch_tree(self, part: str) -> None:
        """Make the copy of all that is below `part` ("": the folder itself) what there is now."""
        address, here = self._at(part) if part else self.url, self.here / part
        there = {name: size for name, size in file_access.tree(address).items() if is_below(name)}
        have = {path.relative_to(here).as_posix(): path.stat().st_size for path in here.rglob("*") if path.is_file()}
        lacking = [name for name, size in there.items() if have.get(name) != size]
        file_access.fetch({under(address, name): here / name for name in lacking})
        for name in have.keys() - there.keys():
            (here / name).unlink(missing_ok=True)

    def fetch_file(self, name: str) -> None:
        """Make the copy of one file what there is now, or none."""
        with contextlib.suppress(FileNotFoundError):
            return file_access.fetch({self._at(name): self.here / name})
        (self.here / name).unlink(missing_ok=True)

    def send(self, name: str) -> None:
        """Put the copy of one file there, as a whole."""
        file_access.send(self.here / name, self._at(name))

    def send_tree(self, part: str) -> None:
        """Make what is below `part` there what the copy holds."""
        here = self.here / part
        have = sorted(path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file())
        for name in have:
            self.send(f"{part}/{name}")
        gone = file_access.tree(self._at(part)).keys() - set(have)
        file_access.delete([self._at(f"{part}/{name}") for name in sorted(gone)])

    def delete_tree(self, part: str) -> None:
        """Remove all that is below `part` there."""
        file_access.delete([self._at(f"{part}/{name}") for name in file_access.tree(self._at(part))])

    def join(self, part: str, run_id: str) -> None:
        """Make one object of the pieces that a run which has ended left in `part`."""
        with _lock_of(self.here):
            pieces = {n: size for n, size in self._of(part, run_id).items() if _is_piece(n, run_id)}
            if pieces and file_access.size(self._at(f"{part}/{_joined(run_id)}")) is None:
                self._join(part, run_id, pieces)
            self._delete(part, list(pieces))

    def _join(self, part: str, run_id: str, pieces: Mapping[str, int]) -> None:
        have = self._copies(part)
        self._fetch(part, [name for name, size in pieces.items() if have.get(name) != size])
        with replacing(self.here / part / _joined(run_id)) as made:
            with made.open("wb") as out:
                for name in pieces:
                    with (self.here / part / name).open("rb") as lines:
                        shutil.copyfileobj(lines, out)
            file_access.send(made, self._at(f"{part}/{_joined(run_id)}"))

    def drop(self, part: str, run_id: str) -> None:
        """Remove the pieces of a run in `part`, there and here; what they were joined to stays."""
        with _lock_of(self.here):
            names = {*self._of(part, run_id), *self._copies(part)}
            self._delete(part, sorted(name for name in names if _is_piece(name, run_id)))

    def _delete(self, part: str, names: Sequence[str]) -> None:
        file_access.delete([self._at(f"{part}/{name}") for name in names])
        for name in names:
            (self.here / part / name).unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        """Remove one file, there and here."""
        file_access.delete([self._at(name)])
        (self.here / name).unlink(missing_ok=True)

    def _at(self, name: str) -> str:
        return under(self.url, name)


def working_copy(url: str) -> RemoteFolder:
    """The run folder at an address with the copy that runs of this machine keep. Raises OSError."""
    return RemoteFolder(url, cache_folder(url))


@cache
def _lock_of(here: Path) -> threading.RLock:
    return threading.RLock()


def _is_piece(name: str, run_id: str) -> bool:
    return name.startswith(f"{run_id}.") and name != _joined(run_id)


def _joined(run_id: str) -> str:
    return f"{run_id}.{JOINED}.jsonl"


def _current(names: Mapping[str, int]) -> dict[str, int]:
    ended = {name.split(".", 1)[0] for name in names if name.split(".", 1)[-1] == f"{JOINED}.jsonl"}
    return {
        name: size for name, size in names.items()
        if (run_id := name.split(".", 1)[0]) not in ended or name == _joined(run_id)
    }  # fmt: skip
