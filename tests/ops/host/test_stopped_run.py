from __future__ import annotations

import errno
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.run_store import RunStore
from data_juicer_ext.ops.host import running_recipe, stopped_run
from data_juicer_ext.ops.host.stopped_run import RunStoppedError, message_of, storage_trouble
from tests.fake_openai import FakeServer
from tests.host import run_here

CALLS_AT_ONCE = 4


def test_the_process_that_runs_the_recipe_says_it_and_ends(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        running_recipe.stop("the disk is full")
    assert ended.value.code == 2
    assert capfd.readouterr().err == "\ndata_juicer_ext: the disk is full\n\n"


def _stop_and_tell(queue: Any) -> None:
    try:
        running_recipe.stop("the disk\nis full")
    except BaseException as error:
        queue.put((type(error).__name__, str(error)))


def test_a_forked_worker_leaves_that_to_its_parent() -> None:
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_stop_and_tell, args=(queue,))
    child.start()
    told = queue.get(timeout=10)
    child.join()
    assert told == ("RunStoppedError", "the disk is full")


def test_the_message_is_found_among_causes_and_in_the_text_that_ray_makes_of_them() -> None:
    try:
        try:
            raise RunStoppedError("why")
        except RunStoppedError as error:
            raise RuntimeError("a layer above") from error
    except RuntimeError as error:
        assert message_of(error) == "why"
    text = "ray::Map() (pid=1)\ndata_juicer_ext.ops.stopped.RunStoppedError: op: full. Make room.\n\nThe above"
    assert message_of(OSError(text)) == "op: full. Make room."
    assert message_of(ValueError("RunStoppedErrors are another thing")) == message_of(None) == ""
    looped = ValueError("a")
    looped.__cause__ = ValueError("b")
    looped.__cause__.__cause__ = looped
    assert message_of(looped) == ""


def test_what_ends_the_process_is_noted_and_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: shown.append(error))
    monkeypatch.setattr(stopped_run, "_said", "")
    stopped_run.watch(lambda trouble: f"explained: {trouble}")
    errors = [RunStoppedError("why"), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/a/file")]
    for error, said in zip(errors, ("why", "explained: [Errno 28] No space left on device: '/a/file'"), strict=True):
        with pytest.raises(SystemExit) as ended:
            sys.excepthook(type(error), error, None)
        assert ended.value.code == 2 and stopped_run.said() == said
    other = ValueError("something else")
    sys.excepthook(ValueError, other, None)
    assert shown == [*errors, other] and stopped_run.said() == ""


def test_trouble_with_storage_is_found_among_causes_and_in_the_text_that_ray_makes_of_them() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert storage_trouble(full) == "[Errno 28] No space left on device"
    above = RuntimeError("a layer above")
    above.__cause__ = full
    assert storage_trouble(above) == "[Errno 28] No space left on device"
    assert storage_trouble(RuntimeError("ray::Write() OSError: Read-only file system")) == "Read-only file system"
    assert storage_trouble(ValueError("x")) == storage_trouble(FileNotFoundError(errno.ENOENT, "gone")) == ""


def test_operators_do_not_skip_errors_whatever_the_recipe_says(run_dir: Path) -> None:
    from data_juicer.ops import load_ops

    steps: list[dict[str, Any]] = [
        {name: {"run_dir": str(run_dir), "skip_op_error": True}}
        for name in ("latex_figure_context_mapper", "figure_rows_mapper", "vision_vote_filter")
    ]
    assert [op.skip_op_error for op in load_ops(steps)] == [False, False, False]


def test_an_answer_that_cannot_be_stored_ends_the_run(
    server: FakeServer,
    papers: list[dict[str, Any]],
    process: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    stored = 0
    put = RunStore.put_async

    async def full(self: RunStore, *given: Any) -> None:
        nonlocal stored
        stored += 1
        if stored > 5:
            raise StoreError("the response store cannot be used (No space left on device)")
        await put(self, *given)

    monkeypatch.setattr(RunStore, "put_async", full)
    for step in process[1].values():
        step["model_params"]["max_concurrency"] = CALLS_AT_ONCE
    with pytest.raises(SystemExit):
        run_here(papers, process[:2])
    said = capfd.readouterr().err
    assert "could not be stored" in said and "No space left" in said and "run the same command again" in said
    assert server.count <= 5 + 1 + 2 * CALLS_AT_ONCE
