"""`dj-ext fetch`: a run folder on object storage copied here; and the copies that other commands read by themselves."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from data_juicer_ext.storage.addresses import is_remote, own_name
from data_juicer_ext.storage.places import fetch, listed, size

_PARTS = ("runs", "ledger", "undecided")
_FILES = ("manifest.json", "undecided.jsonl", "pairs.jsonl")
_TREES = ("images", "review", "exports", "shards", "claims")


class RunAddress(str):
    """A run folder on object storage, as it was named on the command line."""


def run_place(text: str) -> Path | RunAddress:
    """The type of an argument that names a run folder: a path, or an address."""
    return RunAddress(text.rstrip("/")) if is_remote(text) else Path(text.removeprefix("file://"))


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    part = commands.add_parser("fetch", help="copy a run folder from object storage, for all that works in a folder")
    part.add_argument("address", metavar="ADDRESS", help="the run folder, such as s3://bucket/run")
    part.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where to; what is there already is not fetched again"
    )
    part.add_argument("--no-images", action="store_true", help="without the figures")
    part.set_defaults(run=_fetch)


def _fetch(given: argparse.Namespace) -> int:
    if not is_remote(given.address):
        raise ValueError(f"{given.address} is no address such as s3://bucket/run; a folder needs no fetching")
    files = fetched(given.address, given.folder, not given.no_images)
    print(f"{given.folder}: {files:,} files")
    return 0


def resolve(given: argparse.Namespace) -> None:
    """Put a copy in the place of a run folder on object storage that an argument names. Raises OSError, ValueError.

    Commands that keep something in the run folder say so by `keeps`, and are refused.
    """
    address = getattr(given, "run_dir", None)
    if not isinstance(address, RunAddress):
        return
    if getattr(given, "keeps", ""):
        raise ValueError(
            f"{address} is on object storage, and {given.keeps} are kept in the run folder. Copy it first: "
            f"dj-ext fetch {address} FOLDER"
        )
    from data_juicer_ext.storage.cache import cache_folder

    print(f"Fetching {address} ...", file=sys.stderr)
    given.run_dir = cache_folder(f"{address}#read")  # apart from the copy of a run that may be at work here
    fetched(address, given.run_dir, images=False)


def fetched(address: str, folder: Path, images: bool) -> int:
    """Copy a run folder, without its response store, and the rows that its last run kept; the number of files.

    Raises ValueError if there is no run at the address, and OSError.
    """
    from data_juicer_ext.models import runs
    from data_juicer_ext.models.remote_folder import RemoteFolder
    from data_juicer_ext.report.scope import FETCHED_EXPORT

    address = address.rstrip("/")
    remote = RemoteFolder(address, folder)
    if not listed(f"{address}/runs"):
        raise ValueError(f"{address} holds no run; name the address that the recipe has as run_dir")
    for part in _PARTS:
        remote.fetch(part)
    ids = runs.run_ids(folder)
    for name in _FILES:
        remote.fetch_file(name)
    for tree in _TREES if images else _TREES[1:]:
        remote.fetch_tree(tree)
    named = str(runs.about(folder, ids[-1]).get("export_path") or "")
    if is_remote(named):
        _fetch_export(named, folder / FETCHED_EXPORT)
    return sum(1 for path in folder.rglob("*") if path.is_file())


def _fetch_export(address: str, folder: Path) -> None:
    """The rows at an address: a folder's, or those of one file."""
    from data_juicer_ext.models.remote_folder import RemoteFolder

    if size(address) is None:
        RemoteFolder(address, folder).fetch_tree("")
    else:
        fetch({address: folder / own_name(address)})
