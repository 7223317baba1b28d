"""The actor of a response store on object storage, on a real Ray: many workers, its death, and its owner's."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from data_juicer_ext.models import event_loop
from data_juicer_ext.models.client import RunPlace
from data_juicer_ext.models.store import store_actor
from data_juicer_ext.models.store.administration import stats
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.run_store import RunStore, start_for_workers
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.storage import file_access
from tests.cluster.hammering import hammer
from tests.cluster.ray_cluster import title
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import config_for
from tests.models.storing import ABOUT, answer_of, key_of
from tests.s3_server import S3

pytestmark = [pytest.mark.ray, pytest.mark.slow]

WORKERS = 3
WAIT_S = 60.0


@pytest.fixture(scope="module")
def bucket() -> S3:
    return S3()


@pytest.fixture(scope="module")
def ray(bucket: S3) -> Iterator[Any]:
    """A Ray of three CPUs whose workers reach the bucket."""
    module = pytest.importorskip("ray")
    folder = Path(tempfile.mkdtemp(prefix="r", dir=tempfile.gettempdir()))  # short: sockets lie in it
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {**bucket.env, "DJ_EXT_CACHE": str(folder / "cache")}.items():
            patched.setenv(name, value)
        try:
            module.init(num_cpus=WORKERS, include_dashboard=False, _temp_dir=str(folder), log_to_driver=False)
            yield module
        finally:
            module.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def reached(bucket: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in bucket.env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def run_dir(bucket: S3, request: pytest.FixtureRequest) -> str:
    return bucket.at(request.node.name)


def putting(ray: Any) -> Any:
    """A task that stores answers unless they are there, as operators do; its process, what is stored, problems."""

    @ray.remote(num_cpus=1, max_retries=0)
    def put(run_dir: str, first: int, number: int) -> tuple[int, list[int], list[str]]:
        from data_juicer_ext.models.store.run_store import RunStore

        store = event_loop.shared(("store", run_dir), lambda: RunStore(run_dir, True))

        async def one(number: int) -> int:
            if await store.get_async(key_of(number)) is None:
                await store.put_async(key_of(number), answer_of(number, text="x" * 3000), ABOUT)
            return number

        done = event_loop.drive(range(first, first + number), one, lambda _, error: error, width=64)
        problems = [str(one) for one in done if not isinstance(one, int)]
        return os.getpid(), [one for one in done if isinstance(one, int)], problems

    return put


def getting(ray: Any) -> Any:
    """A task that gives those numbers whose answers it does not find."""

    @ray.remote(num_cpus=1)
    def get(run_dir: str, numbers: list[int]) -> list[int]:
        from data_juicer_ext.models.store.run_store import RunStore

        store = event_loop.shared(("store", run_dir), lambda: RunStore(run_dir, True))

        async def one(number: int) -> bool:
            return await store.get_async(key_of(number)) is not None

        found = event_loop.drive(numbers, one, lambda _, error: False, width=256)
        return [number for number, there in zip(numbers, found, strict=True) if not there]

    return get


def actors(bucket: S3) -> list[psutil.Process]:
    """The processes of store actors that write to the bucket's server."""
    found = []
    for process in psutil.process_iter():
        if title(process).startswith("ray::StoreActor"):
            try:
                ours = process.environ().get("AWS_ENDPOINT_URL") == bucket.endpoint
            except psutil.Error:
                continue
            found += [process] if ours else []
    return found


def objects(run_dir: str) -> dict[str, int]:
    return file_access.listed(f"{run_dir}/store/segments")


def missing_afresh(run_dir: str, numbers: list[int]) -> list[int]:
    """What a process finds missing that knows nothing but the bucket."""
    store = SegmentStore(f"{run_dir}/store/segments", read_only=True)
    try:
        return [number for number in numbers if store.get(key_of(number)) is None]
    finally:
        store.close()


def end(ray: Any, run_dir: str) -> None:
    actor = store_actor._actor(f"{run_dir}/store/segments")
    ray.kill(actor)
    store_actor._forget(actor)


def test_workers_share_what_they_store(ray: Any, bucket: S3, run_dir: str) -> None:
    start_for_workers(run_dir)
    put, each = putting(ray), 1500
    begun = time.monotonic()
    done = ray.get([put.remote(run_dir, each * worker, each) for worker in range(WORKERS)])
    seconds = time.monotonic() - begun
    assert len({process for process, *_ in done}) == WORKERS
    assert [problems for *_, problems in done] == [[]] * WORKERS
    numbers = [number for _, stored, _ in done for number in stored]
    assert numbers == list(range(each * WORKERS))
    [found, nothing] = ray.get([getting(ray).remote(run_dir, part) for part in (numbers, [10**6, 10**6 + 1])])
    assert found == [] and nothing == [10**6, 10**6 + 1]
    assert len(actors(bucket)) == 1
    assert missing_afresh(run_dir, numbers) == []
    print(f"{len(numbers) / seconds:.0f} puts a second, {len(objects(run_dir))} objects of {len(numbers)} puts")
    assert len(objects(run_dir)) < len(numbers) / 10
    end(ray, run_dir)


def test_clients_of_all_workers_store_through_it(ray: Any, bucket: S3, run_dir: str) -> None:
    with FakeServer(lambda body: Reply("B", delay=0.05), record=False) as server:
        done = hammer(ray, config_for(server, max_concurrency=64), 64, 4.0, WORKERS, RunPlace(run_dir, on_ray=True))
    assert [one.problems for one in done] == [{}] * WORKERS and len({one.process for one in done}) > 1
    assert len(actors(bucket)) == 1
    [held] = stats(run_dir).values()
    assert held.answers == sum(one.answered for one in done) == server.count > 0
    print(f"{held.answers} calls, {len(objects(run_dir))} objects")
    end(ray, run_dir)


def test_the_actor_is_killed_again_and_again(ray: Any, bucket: S3, run_dir: str) -> None:
    start_for_workers(run_dir)
    put, each, kills = putting(ray), 2000, 0
    jobs = [put.remote(run_dir, each * worker, each) for worker in range(WORKERS)]
    until, seen = time.monotonic() + WAIT_S, set[str]()
    while kills < 3 and time.monotonic() < until:
        fresh = objects(run_dir).keys() - seen
        if len(fresh) > 2 and (alive := actors(bucket)):
            seen |= fresh
            alive[0].kill()
            kills += 1
        assert ray.wait(jobs, num_returns=len(jobs), timeout=0.05)[1], "all was stored before it was killed"
    assert kills == 3
    done = ray.get(jobs)
    assert [problems for *_, problems in done] == [[]] * WORKERS
    numbers = [number for _, stored, _ in done for number in stored]
    assert numbers == list(range(each * WORKERS))
    assert ray.get(getting(ray).remote(run_dir, numbers)) == []
    assert missing_afresh(run_dir, numbers) == []
    held = sum(objects(run_dir).values())
    print(f"{len(objects(run_dir))} objects of {len(numbers)} puts, {held / len(numbers):.0f} bytes each")
    assert len(objects(run_dir)) < len(numbers) / 10
    end(ray, run_dir)


def test_the_worker_that_made_the_actor_dies(ray: Any, bucket: S3, run_dir: str) -> None:
    [(creator, stored, problems)] = ray.get([putting(ray).remote(run_dir, 0, 50)])
    assert problems == [] and len(actors(bucket)) == 1
    job = putting(ray).remote(run_dir, 100, 300)
    psutil.Process(creator).kill()
    try:
        numbers = stored + ray.get(job)[1]
    except ray.exceptions.WorkerCrashedError:  # it ran in that same process
        numbers = stored + ray.get(putting(ray).remote(run_dir, 100, 300))[1]
    assert len(numbers) == 350
    assert ray.get(getting(ray).remote(run_dir, numbers)) == []
    assert missing_afresh(run_dir, numbers) == []


def test_storage_that_refuses_is_said_to_every_worker(ray: Any, bucket: S3) -> None:
    run_dir = bucket.at("run").replace("bucket", "no-bucket")
    _, stored, problems = ray.get(putting(ray).remote(run_dir, 0, 20))
    assert stored == [] and len(problems) == 20
    assert all("no-bucket" in problem and "check the place" in problem for problem in problems)
    end(ray, run_dir)


def test_an_actor_that_cannot_be_made_is_said(ray: Any, run_dir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, address: str) -> None:
            raise ImportError("the node has no such package")

        async def get(self, keys: list[str]) -> None: ...

        async def ping(self) -> None: ...

    monkeypatch.setattr(store_actor, "StoreActor", Broken)
    monkeypatch.setattr(store_actor, "WAIT_S", 3.0)
    monkeypatch.setattr(store_actor, "PING_S", 1.0)
    store = RunStore(run_dir, True)
    with pytest.raises(StoreError, match=r"the actor that has .* does not answer .*no such package"):
        event_loop.run(store.get_async(key_of(1)))
