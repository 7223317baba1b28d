"""Exports to object storage: reached before the first call, and on Ray nothing of an earlier run left in them.

Data-Juicer writes there at the end, after all calls. For zero rows on Ray it makes a folder `s3:` on this machine, and
the rows of an earlier run stay.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from data_juicer_ext.ops.host.running_recipe import is_on_ray
from data_juicer_ext.storage import file_access

DATA = (".json", ".jsonl", ".parquet")
REACHED = ("s3",)  # schemes that Data-Juicer makes a file system for from the environment alone


def unreachable(config: Mapping[str, Any]) -> str:
    """Why the export of a run could not be begun, "" if it could or lies on no object storage.

    Asks what the executor asks before it writes.
    """
    address, extra = str(config.get("export_path") or ""), config.get("export_extra_args")
    given = dict(extra) if isinstance(extra, Mapping) else {}
    if urlsplit(address).scheme.lower() not in REACHED:
        return ""
    if is_on_ray(config) or given.get("endpoint_url"):
        problem = _unreachable_by_arrow(address, given)
    else:  # by s3fs, which takes the server's address from the environment
        problem = file_access.unreachable(address)
    return problem and (
        f"export_path: {address} can't be written: {problem}. Credentials are read from AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, the region from AWS_REGION; a server that is not Amazon's is named as "
        "`export_extra_args: {mode: overwrite, endpoint_url: ...}`"
    )


def _unreachable_by_arrow(address: str, given: dict[str, Any]) -> str:
    from data_juicer.utils.fs_utils import create_filesystem_for_path

    try:
        files, _ = create_filesystem_for_path(address, given)
        files.get_file_info(path_in(address))
        return "" if _has_bucket(files, address) else "there is no such bucket"
    except (OSError, ValueError) as error:
        return " ".join(str(error).split())


def _has_bucket(files: Any, address: str) -> bool:
    """Whether the bucket of an address is there; True where the credentials may not look at it."""
    from pyarrow.fs import FileType  # type: ignore[import-untyped]

    try:
        return bool(files.get_file_info(urlsplit(address).netloc).type is not FileType.NotFound)
    except OSError:
        return True


def path_in(address: str) -> str:
    """What an address is within its file system: bucket and key of `s3://...`, the path of `hdfs://...`."""
    parts = urlsplit(address)
    return f"{parts.netloc}{parts.path}".rstrip("/") if parts.scheme.lower() == "s3" else parts.path


def clear(files: Any, address: str) -> None:
    """Take the data files of an earlier export out of the folder at an address, if it is there.

    `files` is a pyarrow file system, or None where the address says all.
    """
    from pyarrow.fs import FileSelector, FileSystem, FileType

    files, folder = (files, path_in(address)) if files else FileSystem.from_uri(address)
    for found in files.get_file_info(FileSelector(folder, allow_not_found=True)):
        if found.type is FileType.File and PurePosixPath(found.path).suffix in DATA:
            files.delete_file(found.path)
