"""`dj-ext fetch`: a run folder on object storage, copied to a folder of this machine."""

import argparse
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.storage.addresses import is_remote


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    part = commands.add_parser("fetch", help="copy a run folder from object storage, for all that works in a folder")
    part.add_argument("address", metavar="ADDRESS", help="the run folder, such as s3://bucket/run")
    part.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where to; what is there already is not fetched again"
    )
    part.add_argument("--no-images", action="store_true", help="without the figures")
    part.set_defaults(run=_fetch)


def _fetch(given: argparse.Namespace) -> int:
    from data_juicer_ext.runs.fetched_run import fetch_run

    if not is_remote(given.address):
        raise UsageError(f"{given.address} is no address such as s3://bucket/run; a folder needs no fetching")
    files = fetch_run(given.address, given.folder, not given.no_images)
    print(f"{given.folder}: {files:,} files")
    return 0
