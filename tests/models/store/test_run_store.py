"""The store of a run folder, by where that lies and who runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.event_loop import run
from data_juicer_ext.models.store import run_store
from data_juicer_ext.models.store.administration import stats, stores_at
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.run_store import RunStore, start_for_workers
from data_juicer_ext.models.store.store_actor import ActorStore
from data_juicer_ext.storage import file_access
from tests.fake_openai import FakeServer
from tests.models.calling import answered, config_for, question
from tests.models.storing import ABOUT, answer_of, key_of
from tests.s3_server import S3


def put(store: RunStore, *numbers: int) -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(store.put_async(key_of(number), answer_of(number), ABOUT) for number in numbers))

    asyncio.run(all_of_them())


def held(store: RunStore, *numbers: int) -> list[bool]:
    return [asyncio.run(store.get_async(key_of(number))) is not None for number in numbers]


@pytest.mark.parametrize("on_ray", [False, True])
def test_each_executor_finds_what_the_other_has_left_in_a_folder(on_ray: bool, tmp_path: Path) -> None:
    first = RunStore(tmp_path, on_ray)
    put(first, 1)
    first.close()
    then = RunStore(f"file://{tmp_path}", not on_ray)
    put(then, 2)
    assert held(then, 1, 2, 3) == [True, True, False]
    then.close()
    assert len(stores_at(tmp_path)) == 2


def test_workers_of_a_shared_folder_see_each_other_after_a_refresh(tmp_path: Path) -> None:
    one, other = RunStore(tmp_path, True), RunStore(tmp_path, True)
    put(one, 1)
    assert held(other, 1) == [False]
    other.refresh()
    assert held(other, 1) == [True]
    one.close()
    other.close()


def test_on_ray_a_folder_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not see the run folder"):
        RunStore(tmp_path / "nowhere", True)


def test_a_run_folder_on_object_storage(s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = RunStore(s3.at("a/run"), False)
    put(store, *range(100))
    store.refresh()
    assert held(store, 0, 99, 100) == [True, True, False]
    store.close()
    again = RunStore(s3.at("a/run/"), False)
    assert held(again, 0, 99, 100) == [True, True, False]
    again.close()
    assert stores_at(s3.at("a/run")) == [s3.at("a/run/store/segments")]
    assert 0 < len(file_access.listed(s3.at("a/run/store/segments"))) < 50
    assert not list(tmp_path.iterdir())


def test_a_client_stores_into_a_run_folder_on_object_storage(s3: S3, server: FakeServer) -> None:
    model = get_model(config_for(server), RunPlace(s3.at("run")))
    model.refresh()  # type: ignore[attr-defined]
    assert not answered(run(model.ask(question()))).from_store
    assert answered(run(model.ask(question()))).from_store
    assert len(server.requests) == 1
    [held_there] = stats(s3.at("run")).values()
    assert held_there.answers == 1


def test_workers_of_a_ray_leave_object_storage_to_the_actor() -> None:
    store = RunStore("s3://no-such-bucket/run", True)  # nothing is opened
    store.refresh()
    store.close()
    assert isinstance(store._own, ActorStore)


def test_a_folder_needs_no_actor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(run_store, "start", started.append)
    start_for_workers(tmp_path)
    assert started == []
    start_for_workers("s3://bucket/run")
    assert started == ["s3://bucket/run/store/segments"]
