"""What is noted of a batch before and after it is created."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data_juicer_ext.models.batch.records import BatchRecords, Submission
from data_juicer_ext.models.store.interface import StoreError


def test_a_batch_is_noted_from_before_it_is_created_until_it_is_forgotten(tmp_path: Path) -> None:
    records = BatchRecords(tmp_path / "batches")
    assert records.load("here") == []
    begun = records.begin("here", ["a", "b"], 2)
    assert len(begun.token) == 32 and begun == Submission(begun.token, "here", ("a", "b"), "", 2, ())
    assert BatchRecords(tmp_path / "batches").load("here") == [begun]
    created = records.created(begun, "batch-1")
    assert records.load("here") == [created] and created.batch_id == "batch-1" and created.attempt == 2
    records.forget(created)
    records.forget(created)
    assert records.load("here") == [] and not list((tmp_path / "batches").iterdir())


def test_requests_that_brought_no_answer_are_out_of_it_each_once(tmp_path: Path) -> None:
    records = BatchRecords(tmp_path)
    released = records.release(records.release(records.begin("here", ["a", "b", "c"], 1), ["b"]), ["a", "b"])
    assert released.released == ("b", "a") and records.load("here") == [released]


def test_batches_of_another_endpoint_are_not_its_own(tmp_path: Path) -> None:
    records = BatchRecords(tmp_path)
    here, there = records.begin("here", ["a"], 1), records.begin("there", ["a"], 1)
    assert here.token != there.token and records.load("here") == [here] and records.load("there") == [there]


def test_a_note_of_an_earlier_version_has_nothing_released(tmp_path: Path) -> None:
    records = BatchRecords(tmp_path)
    begun = records.begin("here", ["a"], 1)
    path = tmp_path / f"{begun.token}.json"
    value = json.loads(path.read_text())
    del value["released"]
    path.write_text(json.dumps(value))
    assert records.load("here") == [begun]


@pytest.mark.parametrize("text", ["{broken", "[]", "{}", '{"keys": [], "strange": 1}', '{"keys": 5}'])
def test_a_note_that_can_not_be_read_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(StoreError, match=r"x\.json does not read as a record .*move it away"):
        BatchRecords(tmp_path).load("here")


def test_a_note_that_can_not_be_written_is_a_failure_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        BatchRecords(tmp_path / "file" / "batches").begin("here", ["a"], 1)
