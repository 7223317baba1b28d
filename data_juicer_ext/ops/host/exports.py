"""Where a run exports to: object storage reached before the first call, nothing of an earlier run left there on Ray.

Data-Juicer writes at the end, after all calls. For zero rows on Ray it writes a 0-byte file in place of a local folder,
which ends the next run, or this one where the folder of an earlier run stands; in place of one on object storage it
makes a folder `s3:` on this machine, and the rows of an earlier run stay.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from data_juicer_ext.ops.host.host_patch import wrap
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


def install() -> None:
    """Let Data-Juicer's Ray exporter leave an empty folder for zero rows."""
    from data_juicer.core.ray_exporter import RayExporter

    wrap(RayExporter, "_export_impl", _export)


def _export(original: Any, self: Any, dataset: Any, export_path: str, columns: Any = None) -> Any:
    if dataset.columns() is not None:
        return original(self, dataset, export_path, columns)
    overwrite = "overwrite" in str((self.export_extra_args or {}).get("mode", "")).lower()
    if "://" not in export_path:
        leave_empty(Path(export_path), overwrite)
    elif overwrite:
        clear(self.s3_filesystem or self.hdfs_filesystem, export_path)
    return None


def leave_empty(folder: Path, overwrite: bool) -> None:
    """Make `folder`, and with `overwrite` take the data files of an earlier export out of it."""
    if folder.is_file() and folder.stat().st_size == 0:
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if overwrite and path.is_file() and path.suffix in DATA:
            path.unlink()
