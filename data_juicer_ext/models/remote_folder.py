"""A run folder on object storage, and the copy of its small files that a process keeps.

What grows line by line in a folder is written in pieces there, an object each (see `line_pieces`). The ledger of a run
that has ended is one object, `<run_id>.all.jsonl`; pieces that may still lie beside it are in it.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from data_juicer_ext.storage import places
from data_juicer_ext.storage.cache import cache_folder

JOINED = "all"


class RemoteFolder:
    """The run folder at `url`, with a copy at `here`. All methods raise OSError."""

    def __init__(self, url: str, here: Path) -> None:
        self.url, self.here = url.rstrip("/"), here

    def fetch(self, part: str, run_id: str = "") -> None:
        """Make the copy of the folder `part` what there is now, of one run where it is named."""
        begins = f"{run_id}." if run_id else ""
        there = _current(places.listed(self._at(part)))
        there = {name: size for name, size in there.items() if name.startswith(begins)}
        here = self.here / part
        here.mkdir(parents=True, exist_ok=True)
        have = {path.name: path.stat().st_size for path in here.iterdir() if path.is_file()}
        lacking = [name for name, size in there.items() if have.get(name) != size]
        places.fetch({self._at(f"{part}/{name}"): here / name for name in lacking})
        for name in have:
            if name.startswith(begins) and name not in there:
                (here / name).unlink(missing_ok=True)

    def fetch_tree(self, part: str) -> None:
        """Make the copy of all that is below `part` ("": the folder itself) what there is now."""
        address, here = self._at(part) if part else self.url, self.here / part
        there = {name: size for name, size in places.tree(address).items() if places.is_below(name)}
        have = {path.relative_to(here).as_posix(): path.stat().st_size for path in here.rglob("*") if path.is_file()}
        lacking = [name for name, size in there.items() if have.get(name) != size]
        places.fetch({places.under(address, name): here / name for name in lacking})
        for name in have.keys() - there.keys():
            (here / name).unlink(missing_ok=True)

    def fetch_file(self, name: str) -> None:
        """Make the copy of one file what there is now, or none."""
        with contextlib.suppress(FileNotFoundError):
            return places.fetch({self._at(name): self.here / name})
        (self.here / name).unlink(missing_ok=True)

    def send(self, name: str) -> None:
        """Put the copy of one file there, as a whole."""
        places.send(self.here / name, self._at(name))

    def send_tree(self, part: str) -> None:
        """Make what is below `part` there what the copy holds."""
        here = self.here / part
        have = sorted(path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file())
        for name in have:
            self.send(f"{part}/{name}")
        gone = places.tree(self._at(part)).keys() - set(have)
        places.delete([self._at(f"{part}/{name}") for name in sorted(gone)])

    def delete_tree(self, part: str) -> None:
        """Remove all that is below `part` there."""
        places.delete([self._at(f"{part}/{name}") for name in places.tree(self._at(part))])

    def join(self, part: str, run_id: str) -> None:
        """Make one object of what a run that has ended left in `part`, of which the copy holds all."""
        here = self.here / part
        pieces = sorted(path for path in here.glob(f"{run_id}.*.jsonl") if path.name != _joined(run_id))
        if not pieces:
            return
        if not (here / _joined(run_id)).exists():
            made = here / f".{_joined(run_id)}"
            with made.open("wb") as out:
                for piece in pieces:
                    with piece.open("rb") as lines:
                        shutil.copyfileobj(lines, out)
            places.send(made, self._at(f"{part}/{_joined(run_id)}"))
            made.replace(here / _joined(run_id))
        self.drop(part, run_id)

    def drop(self, part: str, run_id: str) -> None:
        """Remove the pieces of a run in `part`, there and here; what they were joined to stays."""
        names = {*places.listed(self._at(part)), *(path.name for path in (self.here / part).glob("*.jsonl"))}
        pieces = [name for name in sorted(names) if name.startswith(f"{run_id}.") and name != _joined(run_id)]
        places.delete([self._at(f"{part}/{name}") for name in pieces])
        for name in pieces:
            (self.here / part / name).unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        """Remove one file, there and here."""
        places.delete([self._at(name)])
        (self.here / name).unlink(missing_ok=True)

    def _at(self, name: str) -> str:
        return places.under(self.url, name)


def working_copy(url: str) -> RemoteFolder:
    """The run folder at an address with the copy that runs of this machine keep. Raises OSError."""
    return RemoteFolder(url, cache_folder(url))


def _joined(run_id: str) -> str:
    return f"{run_id}.{JOINED}.jsonl"


def _current(names: Mapping[str, int]) -> dict[str, int]:
    """The files that count: without the pieces of what was joined."""
    ended = {name.split(".", 1)[0] for name in names if name.split(".", 1)[-1] == f"{JOINED}.jsonl"}
    return {
        name: size for name, size in names.items()
        if (run_id := name.split(".", 1)[0]) not in ended or name == _joined(run_id)
    }  # fmt: skip
