"""What the actor of a store does, in this process; test_ray_actor_on_ray.py has it on a Ray."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from data_juicer_ext.models.store import store_actor
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.line_format import line_of, stored_in
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.store.store_actor import ActorStore, StoreActor, Trouble
from data_juicer_ext.storage import file_access
from tests.models.storing import ABOUT, answer_of, key_of


@pytest.fixture
def url() -> str:
    return f"memory://{uuid.uuid4().hex}/segments"


def entry(number: int, text: str = "") -> tuple[str, bytes]:
    return key_of(number), line_of(key_of(number), answer_of(number, text=text), ABOUT)


def away(*given: object) -> None:
    raise OSError(5, "the storage is away")


def test_lines_come_back_and_the_first_stays(url: str) -> None:
    async def main() -> None:
        actor = StoreActor(url)
        await actor.ping()
        assert await actor.get([key_of(1)]) == [None]
        first = [entry(number) for number in range(5)]
        assert await actor.put(first) == [None] * 5
        assert await actor.put([entry(3, "another"), entry(5)]) == [None] * 2
        lines = await actor.get([key_of(number) for number in (3, 9, 5)])
        assert isinstance(lines, list) and lines[:2] == [first[3][1], None]
        assert lines[2] is not None and stored_in(lines[2], "here").answer.text == "answer 5"
        assert len(file_access.listed(url)) < 7
        # As Ray repeats what was under way when the actor died.
        successor = StoreActor(url)
        assert await successor.put(first) == [None] * 5
        assert await successor.get([key_of(3)]) == lines[:1]

    asyncio.run(main())
    reader = SegmentStore(url, read_only=True)
    assert reader.stats().answers == 6


def test_it_is_opened_once_and_again_after_a_failure(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    make: Callable[[str], SegmentStore] = SegmentStore

    def opening(address: str) -> SegmentStore:
        opened.append(address)
        return make(address)

    monkeypatch.setattr(store_actor, "SegmentStore", opening)

    async def main() -> None:
        actor = StoreActor(url)
        with monkeypatch.context() as patched:
            patched.setattr(file_access, "listed", away)
            for said in await asyncio.gather(*(actor.get([key_of(1)]) for _ in range(9))):
                assert isinstance(said, Trouble) and "the storage is away" in said.text
        assert opened == [url]
        assert await asyncio.gather(*(actor.get([key_of(1)]) for _ in range(9))) == [[None]] * 9
        assert opened == [url] * 2

    asyncio.run(main())


def test_what_cannot_be_written_is_said_in_words(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        actor = StoreActor(url)
        with monkeypatch.context() as patched:
            patched.setattr(file_access, "write", away)
            said = await actor.put([entry(1)])
            assert isinstance(said, Trouble) and "check the place" in said.text
        assert await actor.get([key_of(1)]) == [None]
        assert await actor.put([entry(1)]) == [None]

    asyncio.run(main())


def test_storage_that_takes_nothing_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_actor, "WAIT_S", 0.05)

    async def main() -> None:
        actor, go_on = StoreActor(url), asyncio.Event()
        await actor.get([key_of(1)])
        with monkeypatch.context() as patched:

            async def hangs(*given: object) -> None:
                await go_on.wait()
                raise StoreError("too late for anybody")

            patched.setattr(SegmentStore, "put_lines", hangs)
            said = await actor.put([entry(1)])
            assert isinstance(said, Trouble) and "has taken nothing" in said.text
            go_on.set()
        assert await actor.put([entry(1)]) == [None]

    asyncio.run(main())


class Remote:
    """An actor's handle whose calls run here."""

    def __init__(self, actor: StoreActor) -> None:
        self._actor = actor
        self.calls: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._actor, name)

        class Method:
            @staticmethod
            def remote(*given: Any) -> Any:
                self.calls.append((name, len(given[0]) if given else 0))
                return method(*given)

        return Method


@pytest.fixture
def handle(url: str, monkeypatch: pytest.MonkeyPatch) -> Remote:
    pytest.importorskip("ray")
    made = Remote(StoreActor(url))
    monkeypatch.setattr(store_actor, "on_ray", lambda: True)
    monkeypatch.setattr(store_actor, "_actor", lambda address: made)
    return made


def test_a_worker_asks_for_many_at_once(url: str, handle: Remote) -> None:
    async def main() -> None:
        store = ActorStore(url)
        await asyncio.gather(*(store.put_async(key_of(number), answer_of(number), ABOUT) for number in range(600)))
        found = await asyncio.gather(*(store.get_async(key_of(number)) for number in range(601)))
        assert found == [*(replace(answer_of(number), from_store=True) for number in range(600)), None]
        store.close()

    asyncio.run(main())
    assert handle.calls == [("put", 256), ("put", 256), ("put", 88), ("get", 256), ("get", 256), ("get", 89)]


def test_trouble_is_raised_where_it_is_asked(url: str, handle: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_access, "listed", away)
    with pytest.raises(StoreError, match="the storage is away"):
        asyncio.run(ActorStore(url).get_async(key_of(1)))


def test_a_defect_of_the_actor_names_the_store(url: str, handle: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def broken(*given: object) -> None:
        raise ray.exceptions.RayTaskError("get", "traceback", ZeroDivisionError("it broke"))

    monkeypatch.setattr(StoreActor, "get", broken)
    with pytest.raises(StoreError, match=r"failed in its actor: ZeroDivisionError\('it broke'\)"):
        asyncio.run(ActorStore(url).get_async(key_of(1)))


def test_an_actor_that_takes_long_is_waited_for_while_it_gives_signs_of_life(
    url: str, handle: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_actor, "PING_S", 0.01)
    listed = file_access.listed

    def slow(address: str) -> dict[str, int]:
        while handle.calls.count(("ping", 0)) < 3:
            pass
        return listed(address)

    monkeypatch.setattr(file_access, "listed", slow)
    assert asyncio.run(ActorStore(url).get_async(key_of(1))) is None


def test_an_actor_that_says_nothing_is_given_up(url: str, handle: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_actor, "PING_S", 0.01)
    monkeypatch.setattr(store_actor, "WAIT_S", 0.05)

    async def nothing(*given: object) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(StoreActor, "get", nothing)
    monkeypatch.setattr(StoreActor, "ping", nothing)
    with pytest.raises(StoreError, match=r"does not answer.*run the same command again"):
        asyncio.run(ActorStore(url).get_async(key_of(1)))


def test_without_ray_it_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_actor, "on_ray", lambda: False)
    with pytest.raises(StoreError, match="Ray was shut down"):
        asyncio.run(ActorStore(url).get_async(key_of(1)))
