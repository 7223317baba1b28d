"""The run folder that a command is given: a path, or an address of object storage and the copy that is read here."""

import argparse
import sys
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.storage.addresses import is_remote


class RunAddress(str):
    """A run folder on object storage, as it was named on the command line."""


def run_place(text: str) -> Path | RunAddress:
    """The type of an argument that names a run folder: a path, or an address."""
    return RunAddress(text.rstrip("/")) if is_remote(text) else Path(text.removeprefix("file://"))


def use_local_copy(given: argparse.Namespace) -> None:
    """Put a copy in the place of a run folder on object storage that an argument names. Raises OSError, ValueError.

    Commands that keep something in the run folder say so by `keeps`, and are refused.
    """
    address = getattr(given, "run_dir", None)
    if not isinstance(address, RunAddress):
        return
    if getattr(given, "keeps", ""):
        raise UsageError(
            f"{address} is on object storage, and {given.keeps} are kept in the run folder. Copy it first: "
            f"dj-ext fetch {address} FOLDER"
        )
    from data_juicer_ext.runs.fetched_run import fetch_run
    from data_juicer_ext.storage.cache import cache_folder

    print(f"Fetching {address} ...", file=sys.stderr)
    given.run_dir = cache_folder(f"{address}#read")  # apart from the copy of a run that may be at work here
    fetch_run(address, given.run_dir, images=False)
