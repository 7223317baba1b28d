"""A run folder on object storage, copied to a folder of this machine."""

from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.remote_folder import RemoteFolder
from data_juicer_ext.storage.addresses import is_remote, own_name
from data_juicer_ext.storage.file_access import fetch, listed, size

# In the copy: the rows that the last run kept, where these lay on object storage too.
FETCHED_EXPORT = "export"

_PARTS = ("runs", "ledger", "undecided")
_FILES = ("manifest.json", "undecided.jsonl", "pairs.jsonl")
_TREES = ("images", "review", "exports", "shards", "claims")


def fetch_run(address: str, folder: Path, images: bool) -> int:
    """Copy a run folder, without its response store, and the rows that its last run kept; the number of files.

    Raises UsageError if there is no run at the address, and OSError.
    """

    address = address.rstrip("/")
    remote = RemoteFolder(address, folder)
    if not listed(f"{address}/runs"):
        raise UsageError(f"{address} holds no run; name the address that the recipe has as run_dir")
    for part in _PARTS:
        remote.fetch(part)
    ids = run_records.run_ids(folder)
    for name in _FILES:
        remote.fetch_file(name)
    for tree in _TREES if images else _TREES[1:]:
        remote.fetch_tree(tree)
    named = str(run_records.about(folder, ids[-1]).get("export_path") or "")
    if is_remote(named):
        _fetch_export(named, folder / FETCHED_EXPORT)
    return sum(1 for path in folder.rglob("*") if path.is_file())


def _fetch_export(address: str, folder: Path) -> None:
    if size(address) is None:
        RemoteFolder(address, folder).fetch_tree("")
    else:
        fetch({address: folder / own_name(address)})
