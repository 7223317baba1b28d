"""Where copies of object storage are kept."""

from pathlib import Path

import pytest

from data_juicer_ext.storage.cache import cache_folder


def test_a_folder_an_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DJ_EXT_CACHE", str(tmp_path / "cache"))
    folder = cache_folder("s3://bucket/my run")
    assert folder.parent == tmp_path / "cache" and folder.name.startswith("my-run-") and folder.is_dir()
    assert folder == cache_folder("s3://bucket/my run/") != cache_folder("s3://other/my run")
    assert folder.stat().st_mode & 0o077 == 0


def test_the_users_cache_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DJ_EXT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder("s3://b/r").parent == tmp_path / "x" / "data_juicer_ext"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder("s3://b/r").parent == tmp_path / "home" / ".cache" / "data_juicer_ext"


def test_a_place_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DJ_EXT_CACHE", str(tmp_path / "file"))
    with pytest.raises(PermissionError, match="name another place by DJ_EXT_CACHE"):
        cache_folder("s3://b/r")
