import pytest

from data_juicer_ext.export.folder import MARKER, whole_folder


def write(target, text, overwrite=False):
    with whole_folder(target, overwrite) as folder:
        (folder / "file").write_text(text)


def test_a_folder_is_whole_or_not_there(tmp_path):
    target = tmp_path / "new" / "out"
    with pytest.raises(RuntimeError), whole_folder(target, False) as folder:
        (folder / "half").write_text("x")
        raise RuntimeError
    assert not target.exists() and not list(target.parent.iterdir())
    write(target, "one")
    assert {path.name for path in target.iterdir()} == {"file", MARKER}


def test_only_an_export_is_overwritten_and_only_if_asked(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    write(target, "one")  # an empty folder is no obstacle
    with pytest.raises(ValueError, match="holds an export already"):
        write(target, "two")
    (target / "stale").write_text("x")
    write(target, "two", overwrite=True)
    assert (target / "file").read_text() == "two" and not (target / "stale").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_somebody_else_is_never_touched(tmp_path):
    (tmp_path / "mine").write_text("x")
    for overwrite in (False, True):
        with pytest.raises(ValueError, match="no export made"):
            write(tmp_path, "two", overwrite)
    with pytest.raises(ValueError, match="is a file"):
        write(tmp_path / "mine", "two", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_failed_overwrite_leaves_the_old_export(tmp_path):
    target = tmp_path / "out"
    write(target, "one")
    with pytest.raises(RuntimeError), whole_folder(target, True):
        raise RuntimeError
    assert (target / "file").read_text() == "one"
