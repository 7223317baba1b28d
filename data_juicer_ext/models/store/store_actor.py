"""The response store of a run folder on object storage, for a Ray job: one actor has it, all workers ask that.

So the segments are read once and not by every worker, and what many workers store at the same time
is one object. The driver starts it and it ends with the job; Ray starts it anew where it dies, and
repeats what was asked of it: an answer that is put twice is stored once.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.models.event_loop import Microbatch
from data_juicer_ext.models.governor.governor_actor import on_ray
from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.models.store.segments.line_format import line_of, stored_in
from data_juicer_ext.models.store.segments.segment_store import SegmentStore
from data_juicer_ext.models.types import Answer

WAIT_S = 120.0  # without a sign of life from the actor, or for the storage to take answers
PING_S = 20.0
RETRY_S = 0.5
MOST_ENTRIES = 256  # in one call
_MOST_CALLS = 10_000  # at once to the actor


@dataclass(frozen=True)
class Trouble:
    """What the actor says instead of an answer: what failed, and what to do."""

    text: str


class StoreActor:
    """The store at an address, opened when it is first asked for anything. Nothing here raises StoreError."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opening: asyncio.Task[SegmentStore] | None = None

    async def ping(self) -> None:
        """Answer at once, however long other calls take."""

    async def get(self, keys: Sequence[str]) -> list[bytes | None] | Trouble:
        """The lines of the stored answers under `keys`, None where there is none."""
        try:
            return await asyncio.to_thread((await self._store()).lines, keys)
        except StoreError as error:
            return Trouble(str(error))

    async def put(self, entries: Sequence[tuple[str, bytes]]) -> list[None] | Trouble:
        """Store lines by key; they are on the storage when this returns, or it says why not."""
        try:
            store = await self._store()
            writing = asyncio.ensure_future(store.put_lines(entries))
            await asyncio.wait({writing}, timeout=WAIT_S)
            if not writing.done():
                writing.add_done_callback(_seen)
                return Trouble(f"the response store {self._address} has taken nothing for {WAIT_S:.0f} s: try again")
            await writing
        except StoreError as error:
            return Trouble(str(error))
        return [None] * len(entries)

    async def _store(self) -> SegmentStore:
        # Opened once for all who wait, and again by who asks after that has failed.
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.ensure_future(asyncio.to_thread(SegmentStore, self._address))
        return await asyncio.shield(self._opening)


class ActorStore:
    """What a worker has of the store at an address: calls to the actor, many answers in each.

    To be used on one event loop. Raises StoreError if there is no word from the actor for `WAIT_S`
    seconds, or if it can't use the storage.
    """

    def __init__(self, address: str) -> None:
        self.place = address
        self._gets: Microbatch[str, bytes | None] = Microbatch(self._get, MOST_ENTRIES)
        self._puts: Microbatch[tuple[str, bytes], None] = Microbatch(self._put, MOST_ENTRIES)

    async def get_async(self, key: str) -> Answer | None:
        """The answer under `key`, marked `from_store`; None if there is none."""
        line = await self._gets.ask(key)
        return None if line is None else stored_in(line, self.place).answer

    async def put_async(self, key: str, answer: Answer, about: Mapping[str, Any]) -> None:
        """Store an answer; on the storage when this returns, and even if the caller is cancelled."""
        await self._puts.ask((key, line_of(key, answer, about)))

    def close(self) -> None:
        """Nothing: the actor goes on for the other workers."""

    async def _get(self, keys: list[str]) -> Sequence[bytes | None]:
        lines: Sequence[bytes | None] = await self._asked(lambda actor: actor.get.remote(keys))
        return lines

    async def _put(self, entries: list[tuple[str, bytes]]) -> Sequence[None]:
        done: Sequence[None] = await self._asked(lambda actor: actor.put.remote(entries))
        return done

    async def _asked(self, call: Callable[[Any], Awaitable[Any]]) -> Any:
        """The reply to one call, whichever actor gives it. Raises StoreError."""
        loop, until = asyncio.get_running_loop(), None
        while True:
            try:
                reply = await self._once(call)
            except _AwayError as error:
                until = until or loop.time() + WAIT_S
                if loop.time() > until:
                    raise StoreError(self._away(str(error))) from error
                await asyncio.sleep(RETRY_S)
            else:
                if isinstance(reply, Trouble):
                    raise StoreError(reply.text)
                return reply

    async def _once(self, call: Callable[[Any], Awaitable[Any]]) -> Any:
        if not on_ray():  # any call would start a cluster of its own
            raise StoreError(self._away("Ray was shut down"))
        import ray

        actor = None
        try:
            actor = await self._within(asyncio.to_thread(_actor, self.place))
            asked = asyncio.ensure_future(_value(call(actor)))
            asked.add_done_callback(_seen)
            while not asked.done():
                await asyncio.wait({asked}, timeout=PING_S)
                if not asked.done():
                    await self._within(_value(actor.ping.remote()))
            return asked.result()
        except ray.exceptions.RayTaskError as error:
            raise StoreError(f"the response store {self.place} failed in its actor: {error.cause!r}") from error
        except ray.exceptions.ActorDiedError as error:
            _forget(actor)  # another one has its name now, or gets it
            raise _AwayError(_said(error)) from error
        except (ray.exceptions.RayError, ValueError, RuntimeError) as error:
            raise _AwayError(_said(error)) from error

    async def _within(self, waiting: Awaitable[Any]) -> Any:
        task = asyncio.ensure_future(waiting)
        await asyncio.wait({task}, timeout=WAIT_S - PING_S)
        if not task.done():
            task.add_done_callback(_seen)
            raise StoreError(self._away(f"no word for {WAIT_S:.0f} s"))
        return task.result()

    def _away(self, why: str) -> str:
        return (
            f"the actor that has the response store {self.place} does not answer ({why}): see that the cluster has a "
            "node that is alive, and run the same command again"
        )


class _AwayError(DjExtError):
    """There is no such actor at this moment."""


def start(address: str) -> None:
    """Called by the driver of a Ray job before its first task: the actor is then the driver's, on its node.

    Does not wait for it, and may be called again. Raises StoreError if Ray can't make one.
    """
    import ray

    try:
        _actor(address)
    except (ray.exceptions.RayError, ValueError, RuntimeError) as error:
        raise StoreError(f"the actor for the response store {address} can't be started: {_said(error)}") from error


_handles: dict[tuple[str, str], Any] = {}  # the first one that is held keeps the actor alive


def _actor(address: str) -> Any:
    """The handle of a job's actor for an address, which is created where there is none."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    key = _name(address)
    if key not in _handles:
        where = NodeAffinitySchedulingStrategy(key[1], soft=True)
        _handles[key] = (
            ray.remote(StoreActor)
            .options(
                name=key[0], get_if_exists=True, num_cpus=0, max_restarts=-1, max_task_retries=-1,
                max_concurrency=_MOST_CALLS, scheduling_strategy=where,
            )
            .remote(address)
        )  # fmt: skip
    return _handles[key]


def _forget(actor: Any) -> None:
    for key, held in list(_handles.items()):
        if held is actor:
            del _handles[key]


def _name(address: str) -> tuple[str, str]:
    """The actor's name in its job, and this node's id, as job ids repeat from cluster to cluster."""
    import ray

    context = ray.get_runtime_context()
    digest = hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:16]
    return f"dj-ext-store-{context.get_job_id()}-{digest}", context.get_node_id()


async def _value(reference: Awaitable[Any]) -> Any:
    return await reference


def _seen(task: asyncio.Future[Any]) -> None:
    """As nobody may be waiting for it any more, have no complaint about that."""
    if not task.cancelled():
        task.exception()


def _said(error: Exception) -> str:
    """An error of Ray in a line: the last of its text, which is what lay behind it."""
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[-1].strip()}"
