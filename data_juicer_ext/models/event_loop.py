"""One asyncio loop per process, in a daemon thread: the place where all model calls of a process run.

Operators are plain synchronous code; `drive` takes a whole batch of them through one loop, whose
connections, limits and caches live on between batches and operators. A forked child starts with a
loop of its own, since neither threads nor sockets may be shared with its parent.
"""

import asyncio
import atexit
import gc
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")

CANCEL_WAIT_S = 5.0  # how long an interrupted run waits for its calls to end
CLOSE_WAIT_S = 2.0  # how long the end of the process waits for connections to close
DRIVE_WIDTH = 1024  # items in progress at once: bounds memory, not calls (the client's limits do that)
WIDTH_PER_SLOT = 4  # items in progress a call in flight: enough for those that wait to be tried again


class _ProcessLoop:
    """The running loop, its thread, and what lives as long as it does."""

    def __init__(self) -> None:
        # The libraries that a host has loaded by now are a million objects. Looking through them for
        # garbage again and again would stop all calls for 0.2 s each time.
        gc.collect()
        gc.freeze()
        self.loop = asyncio.new_event_loop()
        self.shared: dict[Hashable, Any] = {}
        self.shared_lock = threading.Lock()
        self.thread = threading.Thread(target=self._run, name="dj-ext-calls", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def close(self) -> None:
        for thing in list(self.shared.values()):
            if isinstance(thing, Closing):
                await thing.close()


class Closing:
    """Something in `shared` that is closed, on the loop, before the process ends."""

    async def close(self) -> None:
        raise NotImplementedError


_current: _ProcessLoop | None = None
_inherited: list[_ProcessLoop] = []  # a parent's loops: kept, as deleting them would report leaks
_lock = threading.Lock()


def _get() -> _ProcessLoop:
    global _current
    with _lock:
        if _current is None:
            _current = _ProcessLoop()
        return _current


def _after_fork() -> None:
    global _current, _lock
    _lock = threading.Lock()
    if _current is not None:
        _inherited.append(_current)
        _current = None


def _at_exit() -> None:
    if _current is not None:
        future = asyncio.run_coroutine_threadsafe(_current.close(), _current.loop)
        try:
            future.result(CLOSE_WAIT_S)
        except Exception:  # the process ends anyway, and nobody is left to act on it
            future.cancel()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)


def shared(key: Hashable, make: Callable[[], T]) -> T:
    """The one object under `key` that lives as long as this process's loop, made on first use."""
    here = _get()
    with here.shared_lock:
        if key not in here.shared:
            here.shared[key] = make()
        return cast(T, here.shared[key])


async def on_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Await `coroutine` on the process's loop, whichever loop the caller runs on."""
    here = _get()
    if asyncio.get_running_loop() is here.loop:
        return await coroutine
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, here.loop))


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the process's loop and give its value, or raise what it raised.

    An interrupt (Ctrl-C) while it runs cancels it, waits up to `CANCEL_WAIT_S` for it to end, and
    goes on. Raises RuntimeError when called on the loop's own thread, where it could never end.
    """
    here = _get()
    if threading.current_thread() is here.thread:
        coroutine.close()
        raise RuntimeError("run() was called inside the loop of model calls: await the coroutine instead")
    ended = threading.Event()

    async def tracked() -> T:
        try:
            return await coroutine
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(tracked(), here.loop)
    try:
        return future.result()
    except BaseException:
        if future.cancel():
            ended.wait(CANCEL_WAIT_S)
        raise


async def gather_ordered(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run all at once and give their values in the order given.

    The first exception cancels the others, waits for them, and is raised.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def drive_width(max_concurrency: int) -> int:
    """How many items to have in progress for so many calls in flight."""
    return min(DRIVE_WIDTH, max(64, WIDTH_PER_SLOT * max_concurrency))


def drive(
    items: Sequence[T],
    worker: Callable[[T], Awaitable[R]],
    on_error: Callable[[T, Exception], R],
    width: int = DRIVE_WIDTH,
) -> list[R]:
    """`worker` over all items, up to `width` at once; the results in the order of the items.

    An item whose worker raises gets `on_error(item, exception)` as its result, so that one bad item
    never costs the batch. What `on_error` itself raises ends the batch and is raised.
    """
    return run(_drive(items, worker, on_error, width))


async def _drive(
    items: Sequence[T], worker: Callable[[T], Awaitable[R]], on_error: Callable[[T, Exception], R], width: int
) -> list[R]:
    results: dict[int, R] = {}
    waiting = iter(enumerate(items))

    async def lane() -> None:
        for place, item in waiting:
            try:
                results[place] = await worker(item)
            except Exception as error:
                results[place] = on_error(item, error)

    await gather_ordered([lane() for _ in range(max(1, min(width, len(items))))])
    return [results[place] for place in range(len(items))]


class Microbatch(Generic[T, R]):
    """Hands items to `call`, up to `most` at once: what comes while one call is out goes with the next.

    `call` gives a result for each item, in order; what it raises, each of its items raises. An item
    goes out even if who has asked is cancelled.
    """

    def __init__(self, call: Callable[[list[T]], Awaitable[Sequence[R]]], most: int) -> None:
        self._call, self._most = call, most
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def ask(self, item: T) -> R:
        """The result for one item."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())
        return await future

    async def _send(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            items, futures = [item for item, _ in some], [future for _, future in some]
            try:
                results = await self._call(items)
            except Exception as error:
                for future in futures:
                    if not future.done():  # else its waiter was cancelled
                        future.set_exception(error)
                continue
            for future, result in zip(futures, results, strict=True):
                if not future.done():
                    future.set_result(result)
