from __future__ import annotations

import os
from pathlib import Path

import pytest

from data_juicer_ext.report.run_selection import NoRunError, export_here, last_selection, select_runs
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.shard_manifest import Manifest, ShardEntry
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


def test_a_file_is_no_run_folder(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").touch()
    with pytest.raises(NoRunError, match="is a file; name the run folder"):
        last_selection(tmp_path / "pairs.jsonl")


def test_run_folders_nearby_are_named_the_latest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoRunError, match="run a recipe first"):
        last_selection(tmp_path / "none")
    for place in ("a", "b/deep", "c", "d", "outputs/e"):
        run_records.begin(tmp_path / place, {})
    with pytest.raises(NoRunError) as error:
        last_selection(tmp_path / "none")
    assert "there is one in outputs/e: name it" in str(error.value)
    with pytest.raises(NoRunError) as error:
        select_runs(tmp_path)
    assert f"there is one in {tmp_path}/outputs/e and in outputs/e and in {tmp_path}/d: name it" in str(error.value)


@pytest.mark.parametrize("copy", ["export", "pairs.jsonl"])
def test_an_export_on_object_storage_is_read_from_its_copy(tmp_path: Path, copy: str) -> None:
    made = RunFolder(tmp_path, export_path="s3://bucket/out")
    made.note("vision_vote", "a")
    made.end()
    place = made.path / copy
    if copy == "export":
        place.mkdir()
        place = place / "0.json"
    place.write_text('{"row_id": "a"}\n')
    scope = select_runs(made.path)
    assert scope.export == made.path / copy and scope.notes == ()
    assert export_here(made.path, "") is None and export_here(made.path, "/x/y.jsonl") == Path("/x/y.jsonl")


@pytest.mark.parametrize(("late", "is_its_own"), [(0, True), (-1, True), (-3, False)])
def test_an_export_may_seem_a_little_older_than_its_run(tmp_path: Path, late: int, is_its_own: bool) -> None:
    made = RunFolder(tmp_path)
    made.note("vision_vote", "a")
    made.end([qa_row(1)])
    started = run_records.about(made.path, made.run.run_id)["started"]
    os.utime(made.export, (started + late,) * 2)
    scope = select_runs(made.path)
    assert (scope.export == made.export) is is_its_own
    assert scope.notes == (
        () if is_its_own else (f"There is no export {made.export} of this run: name it by --export.",)
    )


@pytest.mark.parametrize(
    ("states", "ended", "notes"),
    [
        (["done", "undecided"], True, ()),
        (["done", "pending"], True, ("1 of 2 shards have been run; the kept rows are theirs.",)),
        (["running", "done"], False, ("1 of 2 shards have been run; the kept rows are theirs.",)),
    ],
)
def test_a_run_in_shards_has_ended_when_none_is_at_work(
    tmp_path: Path, states: list[str], ended: bool, notes: tuple[str, ...]
) -> None:
    made = RunFolder(tmp_path)
    made.note("vision_vote", "a")
    made.end([qa_row(1)])
    scope = select_runs(made.path, [made.run.run_id], states)
    assert scope.ended is ended and scope.notes == notes and scope.shards == {s: states.count(s) for s in states}


def test_the_last_selection_is_the_shards_unless_a_plain_run_came_after(tmp_path: Path) -> None:
    made = RunFolder(tmp_path, shard="shard-00000")
    made.note("vision_vote", "a")
    made.end([qa_row(1)])
    whole = made.run.run_id
    shards = [
        ShardEntry("shard-00000", "i", 1, "done", run_id="later", whole_run_id=whole),
        ShardEntry("shard-00001", "j", 1),
    ]
    Manifest("/r", "f", "/d", "g", 1, 0, shards).save(made.path)
    scope = last_selection(made.path)
    assert scope.run_ids == (whole,) and scope.shards == {"done": 1, "pending": 1}
    made.about.pop("shard")
    made.begin()
    made.note("vision_vote", "a")
    assert last_selection(made.path).run_ids == (made.run.run_id,) and last_selection(made.path).shards == {}
