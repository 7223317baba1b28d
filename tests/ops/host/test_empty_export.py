from __future__ import annotations

from pathlib import Path

import pytest

from data_juicer_ext.ops.host import exports
from data_juicer_ext.ops.host.exports import leave_empty


def test_the_rows_of_an_earlier_run_go_and_all_else_stays(tmp_path: Path) -> None:
    for name in ("a.json", "b.jsonl", "notes.txt"):
        (tmp_path / name).write_text("x")
    leave_empty(tmp_path, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_overwrite_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("x")
    leave_empty(tmp_path, overwrite=False)
    assert (tmp_path / "a.json").exists()


@pytest.mark.parametrize("before", ["nothing", "zero_bytes"])
def test_the_folder_is_there(tmp_path: Path, before: str) -> None:
    folder = tmp_path / "deep" / "out"
    if before == "zero_bytes":
        folder.parent.mkdir()
        folder.write_text("")
    leave_empty(folder, overwrite=True)
    assert folder.is_dir() and not list(folder.iterdir())


@pytest.mark.host
@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_zero_rows_to_object_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    from data_juicer.core.ray_exporter import RayExporter
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    monkeypatch.setattr(RayExporter, "_export_impl", RayExporter._export_impl)  # put back at the end
    monkeypatch.chdir(tmp_path)
    exports.install()
    exporter = RayExporter("s3://bucket/out", export_type="jsonl", mode=mode)
    exporter.s3_filesystem = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    earlier = tmp_path / "bucket" / "out" / "earlier.json"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("{}")
    exporter.export(NoRows())
    assert earlier.exists() == (mode == "append")
    assert [path.name for path in tmp_path.iterdir()] == ["bucket"]


class NoRows:
    """A dataset of Ray without rows, as far as an exporter asks."""

    def columns(self) -> None:
        return None
