"""A cancelled call gives the answer that is already here, within a bounded time, and asks no more."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.dispatcher import Dispatcher
from data_juicer_ext.models.event_loop import drive
from data_juicer_ext.models.http import hedged_try
from data_juicer_ext.models.http.completion import Completion
from data_juicer_ext.models.http.hedged_try import Copy, Race, TryOutcome
from data_juicer_ext.models.prepared_request import PreparedRequest
from data_juicer_ext.models.shared_calls import InFlight, stored_or_asked
from data_juicer_ext.models.store.run_store import RunStore
from data_juicer_ext.models.types import Answer, Result
from tests.fake_openai import FakeServer, Reply
from tests.models.calling import answered, config_for, question, reraise
from tests.models.storing import ABOUT, key_of

USABLE = Completion("B")


async def cancelled_after(seconds: float, run: Race, send: hedged_try.Send) -> TryOutcome:
    task = asyncio.ensure_future(run.run(send))
    await asyncio.sleep(seconds)
    task.cancel()
    return await task


def coming(head: float, body: float, outcome: TryOutcome = USABLE) -> hedged_try.Send:
    """A copy whose response's head comes after `head` seconds and its body `body` seconds later."""

    async def send(copy: Copy) -> TryOutcome:
        copy.sent_at = time.monotonic()
        await asyncio.sleep(head)
        copy.arrived = True
        await asyncio.sleep(body)
        return outcome

    return send


def test_a_body_under_way_is_waited_for() -> None:
    run = Race()
    assert asyncio.run(cancelled_after(0.05, run, coming(0, 0.3))) is USABLE
    assert run.cancelled


def test_an_answer_that_was_on_its_last_step_is_kept() -> None:
    assert asyncio.run(cancelled_after(0.05, Race(), coming(0.06, 0))) is USABLE


@pytest.mark.parametrize(
    "send",
    [coming(60, 0), coming(0, 60), coming(0.06, 0, RuntimeError("x"))],
    ids=["no head", "a body that does not end", "a failure"],
)
def test_nothing_here_in_time_is_a_cancelled_call(send: hedged_try.Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hedged_try, "BODY_GRACE_S", 0.1)
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled_after(0.05, Race(), send))
    assert time.monotonic() - began < 10


def test_no_copy_is_left_behind() -> None:
    ended: list[str] = []

    async def endless(copy: Copy) -> TryOutcome:
        copy.sent_at = time.monotonic()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("slow")
        return USABLE

    async def main() -> tuple[TryOutcome, int]:
        run = Race()
        return await run.run(endless, coming(0, 0)), run.abandoned

    assert asyncio.run(main()) == (USABLE, 1)
    assert ended == ["slow"]


def test_a_cancelled_dispatcher_returns_what_has_arrived(server: FakeServer) -> None:
    """The cancel comes in the same turn of the loop in which the response becomes readable."""

    async def main() -> tuple[Result, bool]:
        dispatcher = Dispatcher(config_for(server))
        refused = False

        async def asks_twice() -> Result:
            nonlocal refused
            result = await dispatcher.answer(PreparedRequest(question()))
            try:
                await dispatcher.answer(PreparedRequest(question("another")))
            except asyncio.CancelledError:
                refused = True
            return result

        task = asyncio.ensure_future(asks_twice())
        while server.last_sent == 0.0:  # the server has written its response
            await asyncio.sleep(0)
        task.cancel()
        try:
            return await task, refused
        finally:
            await dispatcher.close()

    result, refused = asyncio.run(main())
    assert answered(result).text == "B"
    assert refused
    assert [sent.user_text for sent in server.requests] == ["Which?"]


def test_what_has_arrived_at_an_interrupt_is_stored(server: FakeServer, tmp_path: Path) -> None:
    async def main() -> Answer | None:
        dispatcher, store = Dispatcher(config_for(server)), RunStore(tmp_path, on_ray=False)

        async def ask() -> Result:
            return await dispatcher.answer(PreparedRequest(question()))

        asked = asyncio.ensure_future(stored_or_asked(store, InFlight(), key_of(1), ABOUT, ask))
        while server.last_sent == 0.0:
            await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await dispatcher.close()
        return await store.get_async(key_of(1))

    stored = asyncio.run(main())
    assert stored is not None
    assert stored.text == "B"


def test_a_cancelled_dispatcher_gives_its_slot_back(server: FakeServer) -> None:
    async def main() -> Result:
        server.responder = lambda body: Reply(hang=True)
        dispatcher = Dispatcher(config_for(server, max_concurrency=1))
        task = asyncio.ensure_future(dispatcher.answer(PreparedRequest(question())))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.responder = lambda body: "C"
        try:
            return await asyncio.wait_for(dispatcher.answer(PreparedRequest(question())), 5)
        finally:
            await dispatcher.close()

    assert answered(asyncio.run(main())).text == "C"


def test_an_interrupted_batch_sends_nothing_more(server: FakeServer) -> None:
    model = get_model(config_for(server, max_concurrency=8))
    server.responder = lambda body: Reply("B", delay=0.02)
    kept: list[Answer] = []

    async def worker(number: int) -> Result:
        if number == 30:
            raise ValueError("the end")  # cancels the others, as an interrupt would
        result = await model.ask(question(f"q{number}"))
        kept.append(answered(result))
        return result

    with pytest.raises(ValueError, match="the end"):
        drive(range(1000), worker, reraise, width=8)
    sent = len(server.requests)
    threading.Event().wait(0.2)
    assert len(server.requests) == sent < 60
