from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.ingest.arxiv.index import MetadataIndex, open_index
from data_juicer_ext.ingest.arxiv.records import Choice

DEFAULT = Choice()
CC0 = "http://creativecommons.org/publicdomain/zero/1.0/"


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def opened(folder: Path, metadata: Path, choice: Choice = DEFAULT) -> tuple[MetadataIndex, list[str]]:
    said: list[str] = []
    return open_index(folder / "index.sqlite", metadata, choice, said.append), said


def test_records_are_found_by_id(tmp_path: Path) -> None:
    metadata = write(
        tmp_path / "m.jsonl",
        {"id": "2301.00001", "license": CC0, "title": "Old"}, "broken", {"id": "math/0501001", "license": None},
        {"id": "2301.00001", "license": CC0, "title": "New"},
    )  # fmt: skip
    index, _ = opened(tmp_path, metadata)
    found, refused = index.find("2301.00001"), index.find("math/0501001")
    assert found is not None and found.row["title"] == "New" and found.reason == ""
    assert refused is not None and refused.reason == "no_licence" and refused.row == {}
    assert index.find("2301.00002") is None
    assert (index.records, index.unreadable) == (2, 1)
    index.close()


def test_metadata_is_read_once_and_again_when_it_or_the_choice_changed(tmp_path: Path) -> None:
    metadata = write(tmp_path / "m.jsonl", {"id": "2301.00001", "license": CC0})
    assert opened(tmp_path, metadata)[1]
    assert not opened(tmp_path, metadata)[1]
    index, said = opened(tmp_path, metadata, Choice(("cc-by",)))
    assert said and index.find("2301.00001").reason == "licence"  # type: ignore[union-attr]
    write(metadata, {"id": "2301.00001", "license": CC0}, {"id": "2301.00002", "license": CC0})
    index, said = opened(tmp_path, metadata, Choice(("cc-by",)))
    assert said and index.records == 2


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    metadata = write(tmp_path / "m.jsonl", {"id": "2301.00001", "license": CC0})
    for damage in (b"", b"no database" * 100):
        (tmp_path / "index.sqlite").write_bytes(damage)
        assert opened(tmp_path, metadata)[0].find("2301.00001") is not None


def test_metadata_of_something_else_is_refused(tmp_path: Path) -> None:
    metadata = write(tmp_path / "m.jsonl", {"name": "no arXiv"})
    with pytest.raises(ValueError, match="no record with an arXiv id"):
        opened(tmp_path, metadata)
    assert not (tmp_path / "index.sqlite").exists()
