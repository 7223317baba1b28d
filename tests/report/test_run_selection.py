from __future__ import annotations

import os
from pathlib import Path

import pytest

from data_juicer_ext.report.run_selection import NoRunError, select_runs
from tests.report.run_folders import RunFolder, qa_row


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(NoRunError, match="holds no run"):
        select_runs(tmp_path)


def test_the_last_run_that_decided_anything(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.note("vision_vote", "a")
    first = folder.run.run_id
    folder.begin()
    scope = select_runs(folder.path)
    assert scope.run_ids == scope.all_ids == (first,) and not scope.ended


def test_an_export_from_before_the_run_is_another_runs(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.note("vision_vote", "a")
    folder.end([qa_row(1)])
    assert select_runs(folder.path).export == folder.export and select_runs(folder.path).notes == ()
    os.utime(folder.export, (1, 1))
    folder.begin()
    folder.note("vision_vote", "a")
    scope = select_runs(folder.path)
    assert scope.export is None and "Nothing is exported yet" in scope.notes[1] and "not ended" in scope.notes[0]


def test_an_empty_ray_folder_is_an_export_of_no_rows(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    folder = RunFolder(tmp_path, export_path=str(tmp_path / "out"))
    folder.note("vision_vote", "a", "drop")
    folder.end()
    assert select_runs(folder.path).export == tmp_path / "out"


@pytest.mark.parametrize(("named", "said"), [("s3://bucket/out", "not on this machine"), ("/gone/x.jsonl", "no export"),
                                             ("", "named no export")])  # fmt: skip
def test_an_export_that_is_not_there(tmp_path: Path, named: str, said: str) -> None:
    folder = RunFolder(tmp_path, export_path=named)
    folder.note("vision_vote", "a")
    folder.end()
    scope = select_runs(folder.path)
    assert scope.export is None and said in scope.notes[0]
    assert select_runs(folder.path, export=tmp_path / "copy.jsonl").export == tmp_path / "copy.jsonl"


def test_shards_that_are_left_are_said(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, export_path="/moved/pairs.jsonl")
    folder.note("vision_vote", "a")
    (folder.path / "pairs.jsonl").write_text('{"row_id": "a"}\n')
    folder.end()
    scope = select_runs(folder.path, [folder.run.run_id], ["done", "undecided", "running", "pending"])
    assert scope.export == folder.path / "pairs.jsonl" and not scope.ended
    assert scope.notes == ("2 of 4 shards have been run; the kept rows are theirs.",)
