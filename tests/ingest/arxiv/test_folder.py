"""The folder that papers are taken into: what it knows, who may work in it, and what it leaves."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from data_juicer_ext.errors import UsageError
from data_juicer_ext.ingest.arxiv.folder import PAPERS, REFUSED, SOURCES, ArxivFolder
from data_juicer_ext.ingest.arxiv.ids import ArxivId, read_id
from data_juicer_ext.ingest.arxiv.records import Choice

ONE, TWO = "2401.00001", "2401.00002"


def paper(text: str) -> ArxivId:
    found = read_id(text)
    assert found is not None
    return found


def take(folder: ArxivFolder, text: str) -> None:
    with folder.part_file() as part:
        part.write_bytes(b"source")
        folder.take(paper(text), {"paper_id": text}, part, ".tar.gz")


def rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_paper_is_there_with_its_source_and_known_afterwards(tmp_path: Path) -> None:
    with ArxivFolder(tmp_path, Choice()) as folder:
        assert not folder.has(ONE)
        take(folder, ONE)
        assert folder.has(ONE) and not folder.has(TWO)
    with ArxivFolder(tmp_path, Choice()) as folder:
        assert folder.has(ONE) and not folder.has(TWO)
    [row] = rows(tmp_path / PAPERS)
    assert row["paper_id"] == ONE and (tmp_path / row["paper_path"]).read_bytes() == b"source"
    assert row["paper_path"].startswith(f"{SOURCES}/2401/") and row["paper_path"].endswith(".tar.gz")


def test_what_was_not_taken_leaves_no_file(tmp_path: Path) -> None:
    with ArxivFolder(tmp_path, Choice()) as folder:
        for _ in range(2):
            with pytest.raises(ValueError, match="no"), folder.part_file() as part:
                part.write_bytes(b"source")
                raise ValueError("no")
        with folder.part_file():
            pass
        assert not list((tmp_path / SOURCES).iterdir())


def test_a_refusal_stands_there_once_and_the_last_reason_counts(tmp_path: Path) -> None:
    for reasons in (["a", "a"], ["a"], ["b", "b"]):
        with ArxivFolder(tmp_path, Choice()) as folder:
            for reason in reasons:
                folder.refuse({"paper_id": ONE, "reason": reason})
                folder.refuse({"member": "odd.gz", "reason": "broken"})
    assert rows(tmp_path / REFUSED) == [
        {"member": "odd.gz", "reason": "broken"}, {"paper_id": ONE, "reason": "b"},
    ]  # fmt: skip


def test_a_refused_paper_that_is_taken_later_is_refused_no_more(tmp_path: Path) -> None:
    with ArxivFolder(tmp_path, Choice()) as folder:
        folder.refuse({"paper_id": ONE, "reason": "withdrawn"})
        folder.refuse({"paper_id": TWO, "reason": "withdrawn"})
    with ArxivFolder(tmp_path, Choice()) as folder:
        take(folder, ONE)
        assert len(rows(tmp_path / REFUSED)) == 2
    assert [row["paper_id"] for row in rows(tmp_path / REFUSED)] == [TWO]


def test_one_process_at_a_time_and_one_choice_for_good(tmp_path: Path) -> None:
    with ArxivFolder(tmp_path, Choice()):
        child = os.fork()
        if not child:
            try:
                ArxivFolder(tmp_path, Choice())
            except UsageError as error:
                os._exit(0 if "another process works in this folder" in str(error) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(UsageError):
        ArxivFolder(tmp_path, Choice(categories=("cs.*",)))
    with ArxivFolder(tmp_path, Choice()) as folder:
        pass
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        folder.has(ONE)
    (tmp_path / PAPERS).unlink()
    (tmp_path / PAPERS).mkdir()
    for _ in range(2):
        with pytest.raises(IsADirectoryError):
            ArxivFolder(tmp_path, Choice())
