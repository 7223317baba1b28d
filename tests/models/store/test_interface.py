"""What the two kinds of store share: keys, selections, sums, and writing together."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from typing import Any

import pytest

from data_juicer_ext.models.store.interface import (
    GroupCommit,
    GroupStats,
    PerProcess,
    Selection,
    Stored,
    StoreError,
    StoreStats,
    about_to_json,
    answer_fields,
    answer_from_json,
    answer_to_json,
    check_key,
)
from data_juicer_ext.models.types import Usage
from tests.locks import waits_for
from tests.models.storing import answer_of, key_of

STORED = Stored(key_of(1), answer_of(1, model="dated"), {"model": "asked", "task": "claims", "empty": None}, 100.0)


@pytest.mark.parametrize("key", ["", "0" * 63, "0" * 65, "0" * 63 + "G", "A" * 64, "0" * 64 + "\n"])
def test_a_key_has_64_hexadecimal_digits(key: str) -> None:
    assert check_key("0" * 64) == "0" * 64
    with pytest.raises(ValueError, match="is no request key"):
        check_key(key)


def test_what_an_answer_was_asked_for_is_text() -> None:
    assert [STORED.said(name) for name in ("model", "task", "empty", "other")] == ["asked", "claims", "", ""]


@pytest.mark.parametrize(
    ("selection", "taken"),
    [
        (Selection(), True), (Selection(before=100.0), False), (Selection(before=100.1), True),
        (Selection(before=0.0), False), (Selection(model="asked"), True), (Selection(model="dated"), True),
        (Selection(model="other"), False), (Selection(task="claims"), True), (Selection(task="claim"), False),
        (Selection(200.0, "asked", "mcq"), False), (Selection(200.0, "asked", "claims"), True),
    ],
)  # fmt: skip
def test_a_selection_takes_what_fits_all_that_it_names(selection: Selection, taken: bool) -> None:
    assert selection.takes(STORED) is taken


def test_a_group_sums_answers_and_tokens() -> None:
    answer = replace(answer_of(1), usage=Usage(10, 20, 3, 4))
    group = GroupStats("m", "t").plus(answer).plus(answer)
    usage = answer.usage
    assert group == GroupStats(
        "m", "t", 2, 2 * usage.prompt_tokens, 2 * usage.completion_tokens, 2 * usage.cached_tokens,
        2 * usage.reasoning_tokens,
    )  # fmt: skip
    assert GroupStats("m", "t") == GroupStats("m", "t", 0, 0, 0, 0, 0)
    assert StoreStats() == StoreStats(0, 0, 0.0, 0.0, ())


def test_an_answer_comes_back_whole_and_nothing_of_how_it_was_asked_is_kept() -> None:
    answer = replace(answer_of(1), from_store=True, image_flags=("cut",))
    kept = answer_fields(answer)
    assert not {"from_store", "image_flags", "top_logprobs"} & kept.keys()
    assert answer_from_json(json.loads(answer_to_json(answer))) == replace(answer, image_flags=())
    scored = replace(answer, top_logprobs=((("A", -0.1), ("B", -2.5)), (("C", -1.0),)), image_flags=())
    assert answer_from_json(json.loads(answer_to_json(scored))) == scored


@pytest.mark.parametrize("value", [{}, {"usage": {}}, {"usage": {"x": 1}, "text": "t"}, {"usage": None}])
def test_another_shape_is_no_answer(value: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        answer_from_json(value)


def test_nothing_that_was_asked_for_stops_an_answer_from_being_stored() -> None:
    assert json.loads(about_to_json({"task": "t", "odd": {1}, (1, 2): "left out"})) == {"task": "t", "odd": "{1}"}


def test_each_process_makes_its_own_value() -> None:
    made = PerProcess(lambda: [os.getpid()])
    assert made.get() is made.get() and made.get() == [os.getpid()]
    child = os.fork()
    if not child:
        os._exit(0 if made.get() == [os.getpid()] else 1)
    assert os.waitpid(child, 0)[1] == 0


class Disk:
    """Takes what is committed, once it may go on."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.begun, self.free = threading.Semaphore(0), threading.Event()
        self.error: Exception | None = None

    def write(self, batch: list[int]) -> None:
        self.begun.release()
        assert self.free.wait(30)
        self.batches.append(batch)
        if self.error is not None:
            raise self.error


def test_what_comes_during_a_commit_goes_into_the_next() -> None:
    disk = Disk()
    commits = GroupCommit(disk.write)
    first = commits.submit(1)
    assert disk.begun.acquire(timeout=30)
    others = [commits.submit(number) for number in (2, 3)]
    assert not first.done() and not first.cancel() and not others[0].cancel()
    disk.free.set()
    assert [future.result(30) for future in (first, *others)] == [None] * 3
    assert disk.batches == [[1], [2, 3]]
    commits.close()


def test_an_error_is_that_of_its_commit_alone() -> None:
    disk = Disk()
    disk.free.set()
    commits = GroupCommit(disk.write)
    disk.error = OSError("full")
    with pytest.raises(OSError, match="full"):
        commits.submit(1).result(30)
    disk.error = None
    assert commits.submit(2).result(30) is None
    commits.close()


def test_the_end_writes_what_waits_and_takes_no_more() -> None:
    disk = Disk()
    commits = GroupCommit(disk.write)
    commits.submit(1)
    assert disk.begun.acquire(timeout=30)
    late = commits.submit(2)
    closing = threading.Thread(target=commits.close)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive(), "it waits for what is being written"
    disk.free.set()
    closing.join(30)
    assert late.done() and disk.batches == [[1], [2]]
    with pytest.raises(StoreError, match="was closed"):
        commits.submit(3)
    commits.close()


def test_who_submits_and_who_ends_wait_for_one_another() -> None:
    commits = GroupCommit[int](lambda batch: None)
    assert waits_for(commits._wake, lambda: commits.submit(1))
    assert waits_for(commits._wake, commits.close)


def test_a_commit_may_end_its_own_writer() -> None:
    ended = []
    commits = GroupCommit[int](lambda batch: ended.append(commits.close()))
    commits.submit(1).result(30)
    assert ended == [None]
