"""Exports of zero rows on Ray: an empty folder, with nothing of an earlier run left in it.

Data-Juicer writes a 0-byte file in place of the folder then. Where the folder of an earlier run
stands, that ends the run with an error and leaves the old rows as if they were the new ones; and
the file itself would end the next run, after all its calls.
"""

from pathlib import Path
from typing import Any

from data_juicer_ext.ops.host import remote_export
from data_juicer_ext.ops.host.host_patch import wrap


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
        remote_export.clear(self.s3_filesystem or self.hdfs_filesystem, export_path)
    return None


def leave_empty(folder: Path, overwrite: bool) -> None:
    """Make `folder`, and with `overwrite` take the data files of an earlier export out of it."""
    if folder.is_file() and folder.stat().st_size == 0:
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if overwrite and path.is_file() and path.suffix in remote_export.DATA:
            path.unlink()
