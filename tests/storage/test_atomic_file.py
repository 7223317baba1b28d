from collections.abc import Iterator
from pathlib import Path

import pytest

from data_juicer_ext.storage.atomic_file import part_of, replace_lines, replace_text, replacing


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    replace_text(path, "old\n")

    def lines() -> Iterator[str]:
        yield "new\n"
        assert path.read_text("utf-8") == "old\n"
        yield "é\n"

    replace_lines(path, lines(), synced=True)
    assert path.read_bytes() == "new\né\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_half_way_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("old", "utf-8")
    with pytest.raises(KeyError), replacing(path) as part:
        part.write_text("half", "utf-8")
        raise KeyError
    assert path.read_text("utf-8") == "old" and list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_have_files_of_their_own(tmp_path: Path) -> None:
    parts = {part_of(tmp_path / "a.json") for _ in range(50)}
    assert len(parts) == 50
    assert all(part.parent == tmp_path and part.name.startswith(".a.json.") for part in parts)
